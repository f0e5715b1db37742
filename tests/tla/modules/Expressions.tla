---- MODULE Expressions ----
\* Expressions that TLC finds true: precedence, comparison, sets, functions, sequences, strings.
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS a, b
LOCAL Pick(S) == CHOOSE x \in S : TRUE
ASSUME -7 \div 2 = -3 /\ (-7) \div 2 = -4 /\ -1 % 3 = 2 /\ 7 \div 2 = 3 /\ (-7) % 3 = 2
ASSUME 2 + 3 * 4 = 14 /\ 2 ^ 10 = 1024 /\ 10 - 3 - 2 = 5
ASSUME {1, 2, 2} = {2, 1} /\ {} # {{}} /\ Cardinality({1, 1}) = 1
ASSUME <<1, 2>> = [i \in 1..2 |-> i] /\ <<1, 2>> # <<1, 2, 3>>
ASSUME [x |-> 1, y |-> 2].y = 2 /\ [x |-> 1, y |-> 2] = [y |-> 2, x |-> 1]
ASSUME [x |-> 1] = ("x" :> 1) /\ DOMAIN [x |-> 1, y |-> 2] = {"x", "y"}
ASSUME [[i \in 1..3 |-> 0] EXCEPT ![1] = 5, ![2] = @ + 1, ![1] = @ + 1] = <<6, 1, 0>>
ASSUME [[x |-> [y |-> 1]] EXCEPT !.x.y = 7].x.y = 7
ASSUME {x \in 1..5 : x % 2 = 1} = {1, 3, 5} /\ {x * x : x \in 1..3} = {1, 4, 9}
ASSUME {<<x, y>> : x \in {1, 2}, y \in {3}} = {1, 2} \X {3}
ASSUME SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}} /\ UNION {{1}, {2, 3}} = 1..3
ASSUME [{1, 2} -> {0}] = {<<0, 0>>} /\ [x : {1, 2}] = {[x |-> 1], [x |-> 2]}
ASSUME Cardinality([1..3 -> 1..2]) = 8 /\ Cardinality(SUBSET (1..5)) = 32
ASSUME (CHOOSE x \in {5, 3, 4} : x > 3) = 4 /\ Pick({<<2>>, <<1>>}) = <<1>>
ASSUME Pick({{1, 2}, {3}}) = {3} /\ Pick({{2}, {1}}) = {1}
ASSUME IF TRUE THEN 1 = 1 ELSE 2 + 5 = 1
ASSUME \A x \in {}, y \in {1} : FALSE
ASSUME \E <<x, y>> \in {<<1, 2>>, <<3, 4>>} : x + y = 7
ASSUME a # b /\ a = a /\ a \notin {1, 2} /\ a # 1 /\ {a, 1} # {b, 1}
ASSUME 5 \in Nat /\ -1 \notin Nat /\ -1 \in Int /\ "q" \in STRING /\ TRUE \in BOOLEAN
ASSUME 3 \in {n \in Nat : n > 2} /\ {1} \in SUBSET Nat /\ <<1, 2>> \in Seq(Nat)
ASSUME [i \in {1, 2} |-> i] \in [{1, 2} -> Nat] /\ <<>> \in Seq({})
ASSUME <<1, 2>> \o <<3>> = <<1, 2, 3>> /\ SubSeq(<<1, 2, 3>>, 2, 3) = <<2, 3>>
ASSUME SubSeq(<<1, 2>>, 2, 1) = <<>> /\ Head(<<4, 5>>) = 4 /\ Tail(<<4>>) = <<>>
ASSUME Len("abc") = 3 /\ "ab" \o "c" = "abc" /\ ToString(<<1, "x", {2}>>) = "<<1, \"x\", {2}>>"
ASSUME SortSeq(<<3, 1, 2>>, LAMBDA p, q : p < q) = <<1, 2, 3>>
ASSUME (1 :> 2 @@ 1 :> 3 @@ 2 :> 4) = <<2, 4>>
ASSUME Cardinality(Permutations({1, 2, 3})) = 6
ASSUME LET unused == 1 \div 0 IN TRUE
ASSUME LET f[n \in 0..5] == IF n = 0 THEN 0 ELSE n + f[n - 1] IN f[5] = 15
ASSUME LET g(x, y) == x - y
           h == g(5, 3)
       IN h = 2
ASSUME (1 = 2 => 1 \div 0 = 1) /\ (TRUE \/ 1 \div 0 = 1)
ASSUME (FALSE /\ 1 \div 0 = 1) = FALSE /\ (TRUE <=> ~FALSE)
ASSUME CASE FALSE -> 1 [] 2 > 1 -> TRUE [] OTHER -> FALSE
ASSUME {1, 2} \subseteq 1..3 /\ ~({4} \subseteq 1..3) /\ 1..0 = {}
ASSUME (1..3 \ {2}) \cup {2} = 1..3 /\ {1, 2} \cap {2, 3} = {2}
ASSUME \b101 = 5 /\ \hFF = 255 /\ \o17 = 15
ASSUME /\ 1 = 1
       /\ \/ 1 = 2
          \/ /\ 2 = 2
             /\ 3 = 3
       /\ 4 = 4
====
