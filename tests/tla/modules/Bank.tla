---- MODULE Bank ----
\* A configuration gives values to definitions of an instantiated module, as `Name = [Module] value`.
EXTENDS Naturals
CONSTANTS Coin, Nothing
VARIABLES held, count
V == INSTANCE Vault
Most == 7
Init == held = V!NoCoin /\ count = 0
Next == \/ (\E c \in Coin : V!Put(c)) /\ count' = (count + V!Most) % Most
        \/ V!Take /\ UNCHANGED count
TypeOK == held \in Coin \cup {Nothing}
====
