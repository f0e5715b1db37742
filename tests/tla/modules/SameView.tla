---- MODULE SameView ----
\* A VIEW of variables that have one value each.
EXTENDS Integers
VARIABLES none, count, five
Init == none = <<<<>>>> /\ count = 0 /\ five = 5
Next == count' = (count + 1) % 4 /\ UNCHANGED <<none, five>>
None == <<none>>
Five == <<five, none>>
Below == count < 2
====
