---- MODULE PartThatFails ----
\* A function in a tuple, a record or an EXCEPT has all its values, whatever is read of it.
EXTENDS Integers, Sequences, TLC
VARIABLES x, y
F(n) == [i \in {1, 3} |-> 7 \div (n - i)]
Init == x \in 0..8 /\ y = 0
Next ==
  /\ CASE x = 0 -> Len(<<F(y)>>) = 1
       [] x = 1 -> Len(<<F(y + 1)>>) = 1
       [] x = 2 -> [a |-> F(y + 1), b |-> 1].b = 1
       [] x = 3 -> Len([<<1, 2>> EXCEPT ![1] = F(y + 3)]) = 2
       [] x = 4 -> Len(Append(<<>>, F(y + 1))) = 1
       [] x = 5 -> DOMAIN (1 :> F(y + 1)) = {1}
       [] x = 6 -> SelectSeq(<<F(y + 1)>>, LAMBDA f : FALSE) = <<>>
       [] x = 7 -> DOMAIN F(y + 1) = {1, 3}
       [] OTHER -> DOMAIN [j \in {1, 2} |-> F(y + j)] = {1, 2}
  /\ UNCHANGED <<x, y>>
====
