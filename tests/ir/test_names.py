"""Names that refer to parts of a state: each use is what CPython does, or is refused."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from specmodel.errors import SpecError
from tests.ir.test_symbolic import Graphs
from tests.written import spec_of

SPEC = """
class N(ScalarSet, size=2):
    pass


class Q(Struct):
    g: Annotated[int, Range(0, 9)]


class P(Struct):
    f: Annotated[int, Range(0, 9)]
    q: Q


class S(Struct):
    v: Annotated[list[P], Capacity(3)]
    m: dict[N, P]
    o: P | None
    xs: Annotated[list[Annotated[int, Range(0, 9)]], Capacity(3)]
    z: Set[Q]
    a: Annotated[int, Range(0, 9)]


def p(n: int) -> P:
    return P(n, Q(n))


@init
def start() -> S:
    return S([p(0), p(1)], {{n: p(2) for n in N}}, p(3), [1, 2], {{Q(1)}}, 0)


def bump(x: P) -> int:
    x.f = (x.f + 1) % 10
    return x.f


def put(s: S, k: int) -> int:
    s.v = [p(k), p(k)]
    return k


def add(s: S, k: int) -> int:
    s.xs.append(k)
    return k


def cut(s: S) -> int:
    del s.xs[1:]
    return 1


def first(s: S) -> P:
    return s.v[0]


def found(s: S, k: int) -> P | None:
    for x in s.v:
        if x.f == k:
            return x
    return None


@action
def act(s: S, n: N, c: bool) -> None:
{body}


spec = Spec(state=S, init=start, actions=[act])
"""

FOLLOWED = [
    "w = s.xs + [7]\nfor x in w:\n    if x == 1:\n        w.append(x)\n        break\ns.a = len(w)",
    "x: P | None = None\nfor y in s.v:\n    if y.f > 1:\n        x = p(y.f)\n"
    "if x is None:\n    x = p(4)\nx.f = 5",
    "x = s.v[0]\ny = s.v[0]\nx.f = 5\ns.a = y.f",
    "x = s.v[0] if c else s.v[1]\nx.f = 7\ns.a = s.v[0].f",
    "if c:\n    x = s.v[0]\nelse:\n    x = p(4)\nx.f = 7\ns.a = s.v[0].f + x.q.g % 2",
    "x = p(4)\ns.o = x\nx.f = 5\ns.a = require_some(s.o).f",
    "x = p(4)\ns.v.append(x)\nx.f = 5\ns.a = s.v[-1].f",
    "x = s.v[0]\ns.v.append(p(5))\nx.f = 6\ns.a = s.v[0].f",
    "x = first(s)\nx.f = 8\ns.a = s.v[0].f",
    "bump(first(s))\nbump(s.v[0])\ns.a = s.v[0].f",
    "for x in s.v:\n    x.f += 1\n    x.q.g = x.f",
    "for i, x in enumerate(s.xs):\n    s.xs[i] = x + 1",
    "for i in range(len(s.xs)):\n    s.xs[i] += s.xs[0]",
    "for x in s.xs:\n    s.xs[1] = 7\n    s.a = x",
    "for x in s.v:\n    if x.f == 0:\n        del s.v[:1]\n        break",
    "for x in s.v:\n    if x.f == 1:\n        s.v = []\n        return",
    "for x in s.m.values():\n    x.f += 1",
    "for k, x in s.m.items():\n    s.m[k].f = x.f + 1\ns.a = x.f",
    "x, y = s.v[0], s.v[1]\nx.f, y.f = y.f, x.f",
    "s.v[0], s.v[1] = s.v[1], s.v[0]",
    "s.v[0].q, s.a = s.v[1].q, s.v[0].f",
    "xs = s.xs\nxs += [3]\ns.a = len(s.xs)",
    "w = [[1], [2]]\nu = w[0]\nw[0] += [3]\nu[0] = 4\ns.a = w[0][0] + len(u)",
    "xs = s.xs[:1]\nxs += [3]\nxs[0] = 4\ns.a = xs[0] + len(s.xs)",
    "late = s.v[1:]\ndel s.v[:1]\ns.a = late[0].f",
    "late = [x for x in s.v if x.f]\ns.v = []\ns.a = late[0].f if late else 9",
    "s.v = [s.v[1], s.v[0], s.v[1]]\ns.v[0].f = 9\ns.a = s.v[2].f",
    "s.a = bump(s.v[0]) + s.v[0].f",
    "s.a = s.v[0].f + bump(s.v[0])",
    "s.xs[s.a] = put(s, 1)\ns.a = 1",
    "s.xs[s.v[0].f % 2] = bump(s.v[0])",
    "s.v[bump(s.v[0]) % 2].f += bump(s.v[1])",
    "s.a = 1 if s.v == [p(bump(s.v[0])), p(1)] else 2",
    "x: P | None = s.v[0]\nrequire_some(x).f = 4\ns.a = s.v[0].f",
    "x = s.o\nif x is not None:\n    x.f = 6",
    "x = found(s, 1)\nif x is not None:\n    x.f = 7\ns.a = s.v[1].f",
    "s.z = {x.q for x in s.v}\ns.v[0].q.g = 8\ns.a = len(s.z)",
    "z = {1}\ny = z\nz |= {2}\ns.a = len(y)",
    "for x in {8, 1}:\n    s.a = x",
    "for x in s.z | {Q(0)}:\n    s.a = x.g",
    "w = [p(1), p(2)]\nfor x in w:\n    x.f = 5\ns.v = w",
    "w = [p(1), p(2)]\nu = w\nu[0].f = 5\ndel w[1:]\ns.v = u",
    "s.a = max([1, bump(s.v[0])], default=1)",
    "t = s\nt.a = 3\ns.a += t.a",
    "x = s.v[0]\ns.v[1] = p(7)\nx.f = 2",
    "x = s.v[0].q\ns.v[0].f = 7\nx.g = 2",
    "s.xs[0] += add(s, 4)",
    "for i in range(2):\n    if len(s.xs) < 3:\n        s.xs[i] += add(s, i)",
]

REFUSED = [
    "w = [p(0), p(1)]\nw.append(w[0])\nw[0].f = 3",
    "xs = s.xs\ns.xs += [3]\nxs[0] = 5",
    "s.a = 1 if s.v == [p(0), p(put(s, 1))] else 2",
    "x = s.v[0]\ns.v = []\ns.a = x.f",
    "x = s.v[0]\ns.v[0] = p(7)\ns.a = x.f",
    "x = s.v[0]\ndel s.v[:1]\ns.a = x.f",
    "x = s.v[0].q\ns.v[0] = p(7)\nx.g = 2",
    "x = s.v[s.a % 2]\ns.v[0] = p(7)\nx.f = 2",
    "x = s.v[0]\ns.a = put(s, 2) + x.f",
    "x = s.o\ns.o = None\nif x is None:\n    s.a = 1",
    "for x in s.v:\n    s.v = [p(1)]",
    "for x in s.v:\n    s.v.append(p(1))",
    "for x in s.xs:\n    s.xs.clear()",
    "for x in s.v:\n    put(s, x.f)",
    "for x in s.m.values():\n    s.m = {k: p(1) for k in N}",
    "for x in [y for y in s.v if y.f]:\n    x.f = 3",
    "for x in s.v[1:]:\n    bump(x)",
    "late = s.v[1:]\nlate[0].f = 3",
    "late = s.v[1:]\ns.v[1].f = 3\ns.a = late[0].f",
    "w = s.v + [p(1)]\nw[0].f = 6",
    "x = p(1)\nw = [x]\nx.f = 3\ns.a = w[0].f",
    "x = p(1)\nw = [x, x]\nw[0].f = 3\ns.a = x.f",
    "w = [p(0)]\nw[0] = s.v[0]\nw[0].f = 3",
    "w = [p(0)]\nw.append(s.v[0])\ns.v[0].f = 3\ns.a = w[-1].f",
    "w = {k: s.v[0] for k in N}\nw[n].f = 3",
    "w = {k: p(0) for k in N}\nu = [w[n]]\nw[n].f = 3\ns.a = u[0].f",
    "for x in s.z:\n    x.g = 3",
    "w = list(s.z)\nfor x in w:\n    x.g = 3",
    "for x in s.z:\n    x.g += 1",
    "s.xs[-1] += add(s, 4)",
    "s.xs[s.a - 1] += add(s, 4)",
    "s.xs[0] += cut(s)",
]


@pytest.mark.parametrize("body", FOLLOWED)
def test_followed(tmp_path: Path, body: str) -> None:
    """What the compiled action does is what CPython does, in the states around the first."""
    graphs = Graphs(spec_of(tmp_path, SPEC.format(body=indent(body, "    "))))
    states = list(graphs.interpreter.initial())
    for state in states[:12]:
        graphs.compare(state)
        states += [after for _, after in graphs.interpreter.successors(state)]


@pytest.mark.parametrize("body", REFUSED)
def test_refused(tmp_path: Path, body: str) -> None:
    """Refused with the place, and with what to write instead: CPython would do otherwise."""
    spec = spec_of(tmp_path, SPEC.format(body=indent(body, "    ")))
    with pytest.raises(SpecError) as error:
        Graphs(spec)
    assert error.value.span is not None and error.value.hint


@pytest.mark.parametrize("how", ["for x in s.z:\n    x.g = 3", "x = s.z\nfor y in x:\n    y.g = 1"])
def test_frozen_under_cpython(tmp_path: Path, how: str) -> None:
    """A member of a set cannot change for the interpreter either, which shares it among states."""
    from specmodel.behaviour.steps import Interpreter

    spec = spec_of(tmp_path, SPEC.format(body=indent(how, "    ")))
    interpreter = Interpreter(spec)
    (state,) = interpreter.initial()
    with pytest.raises(SpecError, match="it cannot change"):
        list(interpreter.successors(state))
    assert {q.g for q in state.z} == {1}
