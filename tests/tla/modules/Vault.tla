---- MODULE Vault ----
EXTENDS Naturals
CONSTANT Coin
VARIABLE held
NoCoin == CHOOSE c : c \notin Coin
Most == 1
Empty == held = NoCoin
Put(c) == Empty /\ held' = c
Take == ~Empty /\ held' = NoCoin
====
