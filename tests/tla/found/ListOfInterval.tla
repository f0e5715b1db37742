---- MODULE ListOfInterval ----
\* A function on 1..n is a sequence, also if n depends on the state.
EXTENDS Integers, Sequences
VARIABLES x, y
Init == x = <<1>> /\ y \in {<<>>, <<0>>}
Twice == [i \in 1..Len(x) |-> (x[i] + 1) % 3]
Next ==
  \/ /\ Len(x) < 3
     /\ x' = x \o Twice
     /\ UNCHANGED y
  \/ x' = Twice /\ y' = [i \in 1..Len(y) |-> 2]
Typed == Twice \in Seq(0..2) /\ Len(Twice) = Len(x) /\ (Len(x) = 1 => Twice \in {<<0>>, <<1>>, <<2>>})
====
