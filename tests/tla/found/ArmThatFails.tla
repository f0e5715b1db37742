---- MODULE ArmThatFails ----
\* The values of a function in an arm that is not taken may fail, and so may those not asked for.
EXTENDS Integers, Sequences
VARIABLES x, y
F(n) == [i \in {1, 3} |-> 7 \div (n - i)]
Init == x \in 0..4 /\ y = <<>>
Next ==
  /\ y' = CASE x = 0 -> (IF x > 0 THEN F(1) ELSE <<>>)
            [] x = 1 -> (IF x = 1 THEN <<>> ELSE F(x))
            [] x = 2 -> <<(IF x = 2 THEN F(1) ELSE F(2))[3]>>
            [] x = 3 -> <<(IF x = 1 THEN 5 ELSE F(x))[1]>>
            [] OTHER -> (IF x = 4 THEN F(x) ELSE F(1))
  /\ x' = x
====
