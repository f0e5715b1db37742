---- MODULE DyadicRationals ----
\* Fractions whose denominators are powers of two, as records in lowest terms.
LOCAL INSTANCE Integers
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC
LOCAL INSTANCE Sequences

Zero == [num |-> 0, den |-> 1]
One == [num |-> 1, den |-> 1]
IsDyadicRational(r) == \E i \in 0..r.den : 2^i = r.den

LOCAL Lowest(num, den) ==
    LET common == Max({d \in 1..den : num % d = 0 /\ den % d = 0})
    IN [num |-> num \div common, den |-> den \div common]
Half(r) == Lowest(r.num, 2 * r.den)
Add(p, q) ==
    IF p = Zero THEN q
    ELSE LET den == IF p.den >= q.den THEN p.den ELSE q.den
         IN Lowest(p.num * (den \div p.den) + q.num * (den \div q.den), den)
PrettyPrint(r) ==
    IF r = Zero THEN "0"
    ELSE IF r = One THEN "1"
    ELSE ToString(r.num) \o "/" \o ToString(r.den)
====
