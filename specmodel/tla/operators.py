"""The operators that are written with symbols: their names and precedences.

tree-sitter-tlaplus takes every infix operator for left-associative. SANY refuses operators side by
side whose precedences overlap; so does `refuse_conflict`. Source of the precedences: Lamport,
Specifying Systems, table 6.
"""

from __future__ import annotations

from typing import NamedTuple


class Fixity(NamedTuple):
    """The name of an operator, its range of precedences, and whether it associates to the left."""

    name: str
    low: int
    high: int
    associative: bool = False


def _table(text: str) -> dict[str, Fixity]:
    found: dict[str, Fixity] = {}
    for line in text.strip().splitlines():
        kind, name, low, high, *more = line.split()
        found[kind] = Fixity(name, int(low), int(high), bool(more))
    return found


INFIX = _table(r"""
implies => 1 1
plus_arrow -+-> 2 2
equiv \equiv 2 2
iff \equiv 2 2
leads_to ~> 2 2
land /\ 3 3 left
lor \/ 3 3 left
assign := 5 5
bnf_rule ::= 5 5
eq = 5 5
neq # 5 5
lt < 5 5
gt > 5 5
leq \leq 5 5
geq \geq 5 5
approx \approx 5 5
rs_ttile |- 5 5
rd_ttile |= 5 5
ls_ttile -| 5 5
ld_ttile =| 5 5
asymp \asymp 5 5
cong \cong 5 5
doteq \doteq 5 5
gg \gg 5 5
ll \ll 5 5
in \in 5 5
notin \notin 5 5
prec \prec 5 5
succ \succ 5 5
preceq \preceq 5 5
succeq \succeq 5 5
propto \propto 5 5
sim \sim 5 5
simeq \simeq 5 5
sqsubset \sqsubset 5 5
sqsupset \sqsupset 5 5
sqsubseteq \sqsubseteq 5 5
sqsupseteq \sqsupseteq 5 5
subset \subset 5 5
supset \supset 5 5
subseteq \subseteq 5 5
supseteq \supseteq 5 5
compose @@ 6 6 left
map_to :> 7 7
map_from <: 7 7
setminus \ 8 8
cap \cap 8 8 left
cup \cup 8 8 left
dots_2 .. 9 9
dots_3 ... 9 9
plus + 10 10 left
plusplus ++ 10 10 left
oplus \oplus 10 10 left
mod % 10 11
modmod %% 10 11 left
vert | 10 11 left
vertvert || 10 11 left
ominus \ominus 11 11 left
minus - 11 11 left
minusminus -- 11 11 left
amp & 13 13 left
ampamp && 13 13 left
odot \odot 13 13 left
oslash \oslash 13 13
otimes \otimes 13 13 left
mul * 13 13 left
mulmul ** 13 13 left
slash / 13 13
slashslash // 13 13
bigcirc \bigcirc 13 13 left
bullet \bullet 13 13 left
div \div 13 13
circ \o 13 13 left
star \star 13 13 left
excl !! 9 13
hashhash ## 9 13 left
dol $ 9 13 left
doldol $$ 9 13 left
qq ?? 9 13 left
sqcap \sqcap 9 13 left
sqcup \sqcup 9 13 left
uplus \uplus 9 13 left
times \X 10 13
wr \wr 9 14
cdot \cdot 5 14 left
pow ^ 14 14
powpow ^^ 14 14
""")

PREFIX = _table(r"""
lnot ~ 4 4
union UNION 8 8
powerset SUBSET 8 8
domain DOMAIN 9 9
negative -. 12 12
enabled ENABLED 4 15
unchanged UNCHANGED 4 15
always [] 4 15
eventually <> 4 15
""")

POSTFIX = _table(r"""
sup_plus ^+ 15 15
asterisk ^* 15 15
sup_hash ^# 15 15
prime ' 15 15
""")

FIXITIES = {**INFIX, **PREFIX, **POSTFIX}


def clash(outer: Fixity, inner: Fixity, left: bool) -> bool:
    """Whether an operator may not stand, without parentheses, as an operand of another.

    `left`: it is the left operand. Equal associative operators may stand there, and `\\X` does.
    """
    if outer.name == inner.name and left and (outer.associative or outer.name == "\\X"):
        return False
    return inner.low <= outer.high
