---- MODULE Climb ----
\* What Steps extends: a height, and the action whose ENABLED is asked for.
EXTENDS Naturals
VARIABLE height
Up == height < 4 /\ height' = height + 1
CanUp == ENABLED Up
====
