---- MODULE Doubled_TTrace_1795773492 ----
EXTENDS Sequences, TLCExt, Doubled, Toolbox, Naturals, TLC

_expression ==
    LET Doubled_TEExpression == INSTANCE Doubled_TEExpression
    IN Doubled_TEExpression!expression
----

_trace ==
    LET Doubled_TETrace == INSTANCE Doubled_TETrace
    IN Doubled_TETrace!trace
----

_prop ==
    ~<>[](
        side = (0)
        /\
        half = (1)
    )
----

_init ==
    /\ side = _TETrace[1].side
    /\ half = _TETrace[1].half
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ side  = _TETrace[i].side
        /\ side' = _TETrace[j].side
        /\ half  = _TETrace[i].half
        /\ half' = _TETrace[j].half

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("Doubled_TTrace_1795773492.json", _TETrace)

=============================================================================

 Note that you can extract this module `Doubled_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `Doubled_TEExpression.tla` file takes precedence 
  over the module `Doubled_TEExpression` below).

---- MODULE Doubled_TEExpression ----
EXTENDS Sequences, TLCExt, Doubled, Toolbox, Naturals, TLC

expression == 
    [
        \* To hide variables of the `Doubled` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        side |-> side
        ,half |-> half
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_sideUnchanged |-> side = side'
        
        \* Format the `side` variable as Json value.
        \* ,_sideJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(side)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_sideModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].side # _TETrace[s-1].side
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE Doubled_TETrace ----
\*EXTENDS IOUtils, Doubled, TLC
\*
\*trace == IODeserialize("Doubled_TTrace_1795773492.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE Doubled_TETrace ----
EXTENDS Doubled, TLC

trace == 
    <<
    ([side |-> 0,half |-> 0]),
    ([side |-> 0,half |-> 1])
    >>
----


=============================================================================

---- CONFIG Doubled_TTrace_1795773492 ----
CONSTANTS
    Top = 2

PROPERTY
    _prop

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Fri Nov 27 09:58:16 UTC 2026