---- MODULE Tagged ----
\* The modules of Apalache.
EXTENDS Integers, Sequences, Apalache, Variants
CONSTANT Most
VARIABLES sent, total, seen
Num(i) == Variant("Num", i)
Stop == Variant("Stop", UNIT)
Add(sum, n) == sum + n
Shift(sum, n) == 2 * sum + n
Init == sent := {} /\ total := 0 /\ seen := <<>>
Send == \E i \in 1..Most :
    /\ ConstCardinality(i \notin VariantFilter("Num", sent))
    /\ sent' := sent \union {Num(i)}
    /\ UNCHANGED <<total, seen>>
Close == /\ sent /= {}
         /\ sent' := sent \union {Stop}
         /\ UNCHANGED <<total, seen>>
Take == \E m \in Expand(sent) :
    /\ Stop \in sent
    /\ Len(seen) < 3
    /\ seen' := Append(seen, VariantGetOrElse("Num", m, 0))
    /\ total' := ApaFoldSeqLeft(Shift, 1, seen') % 7
    /\ UNCHANGED sent
Next == Send \/ Skolem(Close) \/ Take
Inv == /\ total \in 0..6
       /\ ApaFoldSet(Add, 0, VariantFilter("Num", sent)) <= (Most * (Most + 1)) \div 2
       /\ \A m \in sent : VariantTag(m) = "Num" => VariantGetUnsafe("Num", m) \in 1..Most
ASSUME /\ MkSeq(3, LAMBDA i : i * i) = <<1, 4, 9>>
       /\ FunAsSeq([i \in 0..3 |-> -i], 2, 3) = <<-1, -2>>
       /\ SetAsFun({<<1, 5>>, <<2, 7>>, <<1, 4>>}) = <<4, 7>>
       /\ Repeat(Shift, 4, 1) = 42
       /\ Guess({3, 2}) = 2
       /\ Repeat(Add, 0, 5) = 5
====
