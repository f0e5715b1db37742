---- MODULE Clock ----
\* INSTANCE with substitutions, refinement, properties of several forms.
EXTENDS Naturals
CONSTANTS Hours, Minutes
VARIABLES hour, minute
vars == <<hour, minute>>
Total == hour * (Minutes + 1) + minute
Day(top) == INSTANCE Counter WITH n <- Total, Top <- top
Whole2 == INSTANCE Counter WITH n <- Total, Top <- (Hours + 1) * (Minutes + 1) - 1
Only == INSTANCE Counter WITH n <- minute, Top <- Minutes
Init == hour = 0 /\ minute = 0
Tick == /\ minute' = IF minute = Minutes THEN 0 ELSE minute + 1
        /\ hour' = IF minute < Minutes THEN hour ELSE (hour + 1) % (Hours + 1)
Skip == /\ minute = 0
        /\ hour' = (hour + 1) % (Hours + 1)
        /\ minute' = 0
Next == Tick
Both == Tick \/ Skip
Spec == Init /\ [][Next]_vars
Skipping == Init /\ [][Both]_vars
Refines == Whole2!Spec
RefinesMinutes == Only!Spec
Starts == hour = 0 /\ minute = 0
Bounded == [](hour \in 0..Hours /\ minute \in 0..Minutes)
Parity == [](Only!Odd => minute # 0)
====
