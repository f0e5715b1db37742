"""Random TLA+ modules with configurations, by a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.tla.random_kinds import BOOL, INT, Kind, size
from tests.tla.random_terms import Env, TermWriter

HEAD = """\
---- MODULE R ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS M, m1, m2, nil, K
VARIABLES {variables}
vars == <<{variables}>>
RECURSIVE Sum(_)
Sum(S) == IF S = {{}} THEN 0 ELSE LET e == CHOOSE e0 \\in S : TRUE IN e + Sum(S \\ {{e}})
RECURSIVE Total(_)
Total(s) == IF s = <<>> THEN 0 ELSE Head(s) + Total(Tail(s))
"""

CONSTANTS = """\
CONSTANTS
  m1 = m1
  m2 = m2
  M = {m1, m2}
  nil = nil
  K = 2
"""


@dataclass(frozen=True)
class RandomModule:
    """A module named R, and its configuration."""

    text: str
    configuration: str


class ModuleWriter:
    """Writes a module."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"module {seed}")
        risk = self.rng.choice([0.0, 0.0, 0.02, 0.2])
        self.terms = TermWriter(self.rng, risk)
        count = self.rng.choice([1, 2, 2, 3])
        self.variables = {"xyz"[i]: self.terms.kind(self.rng.choice([1, 2])) for i in range(count)}
        self.env: Env = tuple(self.variables.items())
        self.lines: list[str] = []

    def module(self) -> RandomModule:
        """The module."""
        self.lines.append(HEAD.format(variables=", ".join(self.variables)).rstrip())
        for _ in range(self.rng.choice([0, 1, 2])):
            self._operator()
        if self.terms.chance(0.15):
            self._recursive()
        self._initial()
        actions = [self._given(self._action()) for _ in range(self.rng.choice([1, 2, 2, 3]))]
        self.lines.append("Next ==\n" + "\n".join(f"  \\/ {act}" for act in actions))
        configuration = [CONSTANTS.rstrip(), "INIT Init", "NEXT Next"]
        for i in range(self.rng.choice([1, 1, 2])):
            self.lines.append(f"Inv{i} == {self._invariant()}")
            configuration.append(f"INVARIANT Inv{i}")
        if self.terms.chance(0.4):
            self.lines.append(f"Steps == [][{self._step()}]_{self.rng.choice(['vars', 'x'])}")
            configuration.append("PROPERTY Steps")
        if self.terms.chance(0.2):
            self.lines.append(f"Inside == {self.terms.expr(BOOL, 2, self.env)}")
            configuration.append("CONSTRAINT Inside")
        if self.terms.chance(0.1):
            self.lines.append(f'Near == TLCGet("level") < {self.rng.choice([2, 3, 5])}')
            configuration.append("CONSTRAINT Near")
        if self.terms.chance(0.6):
            configuration.append("CHECK_DEADLOCK FALSE")
        text = "\n".join([*self.lines, "===="])
        return RandomModule(f"{text}\n", "\n".join(configuration) + "\n")

    def _operator(self) -> None:
        name, kind = self.terms.fresh("Op"), self.terms.kind(1)
        kinds = tuple(self.terms.kind(1) for _ in range(self.rng.choice([0, 1, 2])))
        given = [(self.terms.fresh(), k) for k in kinds]
        body = self.terms.expr(kind, 2, (*self.env, *given))
        shown = f"({', '.join(n for n, _ in given)})" if given else ""
        self.lines.append(f"{name}{shown} == {body}")
        self.terms.operators.append((name, kinds, kind))

    def _recursive(self) -> None:
        """Two operators, each defined by the other, as parts of the state that may be read."""
        one, other, kind = self.terms.fresh("Re"), self.terms.fresh("Re"), self.terms.kind(1)
        first, down = self.terms.expr(kind, 1, self.env), ("n", INT)
        inner = self.terms.expr(kind, 2, (*self.env, down, (f"{one}(n - 1)", kind)))
        outer = self.terms.expr(kind, 1, (*self.env, down, (f"{other}(n)", kind)))
        self.lines.append(f"RECURSIVE {one}(_)")
        self.lines.append(f"{other}(n) == IF n = 0 THEN {first} ELSE {inner}")
        self.lines.append(f"{one}(n) == IF n = 0 THEN {first} ELSE {outer}")
        self.env = (*self.env, (f"{one}(1)", kind), (f"{other}(2)", kind))

    def _initial(self) -> None:
        parts: list[str] = []
        for name, kind in self.variables.items():
            if self.terms.chance(0.2) and size(kind) < 5:
                parts.append(f"{name} \\in {self.terms.all_of(kind)}")
            elif self.terms.chance(0.2):
                one, two = self.terms.constant(kind), self.terms.constant(kind)
                parts.append(f"{name} \\in {{{one}, {two}}}")
            else:
                parts.append(f"{name} = {self.terms.expr(kind, self.rng.choice([0, 1]), ())}")
        self.lines.append("Init ==\n" + "\n".join(f"  /\\ {part}" for part in parts))

    # Actions

    def _action(self) -> str:
        """A disjunct of Next; its definitions are added."""
        name = self.terms.fresh("Act")
        env, parameter = self.env, ""
        kind = self.terms.kind(1)
        if self.terms.chance(0.5):
            parameter = self.terms.fresh("p")
            env = (*env, (parameter, kind))
        body = self._body(env)
        shown = f"({parameter})" if parameter else ""
        self.lines.append(f"{name}{shown} ==\n{body}")
        if not parameter:
            return name
        members = self.terms.expr(("set", kind), 2, self.env)
        outer = self.terms.fresh("p")
        return f"\\E {outer} \\in {members} : {name}({outer})"

    def _given(self, action: str) -> str:
        """An action, which may be the argument of an operator, which is defined here."""
        if not self.terms.chance(0.2):
            return action
        name, given = self.terms.fresh("Do"), self.terms.fresh("act")
        if self.terms.chance(0.5):
            self.lines.append(f"{name}({given}) == {given}")
            return f"{name}({action})"
        value = self.terms.fresh("p")
        test = self.terms.expr(BOOL, 1, (*self.env, (value, INT)))
        self.lines.append(f"{name}({given}, {value}) ==\n  /\\ {test}\n  /\\ {given}")
        return f"{name}({action}, {self.terms.expr(INT, 1, self.env)})"

    def _body(self, env: Env) -> str:
        parts: list[str] = []
        if self.terms.chance(0.6):
            parts.append(self.terms.expr(BOOL, 2, env))
        names = list(self.variables)
        self.rng.shuffle(names)
        same: list[str] = []
        primed = env
        for name in names:
            if self.terms.chance(0.35) and len(same) + 1 < len(names):
                same.append(name)
                continue
            parts.append(self._assigned(name, primed))
            primed = (*primed, (f"{name}'", self.variables[name]))
            if self.terms.chance(0.1):
                parts.append(self.terms.expr(BOOL, 2, primed))
        if same:
            shown = ", ".join(same)
            parts.append(f"UNCHANGED <<{shown}>>" if len(same) > 1 else f"UNCHANGED {shown}")
        if self.terms.chance(0.1):
            one, two = (self.terms.expr(BOOL, 1, env) for _ in range(2))
            parts.insert(self.rng.randrange(len(parts) + 1), f"({one} => {two})")
        return "\n".join(f"  /\\ {part}" for part in parts)

    def _assigned(self, name: str, env: Env, depth: int = 2) -> str:
        """A formula that gives a variable its next value."""
        terms, kind = self.terms, self.variables[name]
        value = terms.expr(kind, self.rng.choice([1, 2, 2, 3]), env)
        inner = lambda: self._assigned(name, env, depth - 1)  # noqa: E731
        test = lambda: terms.expr(BOOL, 2, env)  # noqa: E731
        match self.rng.randrange(14 if depth else 8):
            case 0 | 1:
                v = terms.fresh("n")
                inside = terms.bounded(kind, v)
                return f"{name}' = (LET {v} == {value} IN IF {inside} THEN {v} ELSE {name})"
            case 2:
                return f"({name}' = {value} /\\ {terms.bounded(kind, f'{name}' + chr(39))})"
            case 3:
                if kind == INT:
                    return f"{name}' = {value} % 4"
                if kind[0] in ("bool", "str", "mv"):
                    return f"{name}' = {value}"
                v = terms.fresh("n")
                return f"\\E {v} \\in {{{value}}} : ({terms.bounded(kind, v)} /\\ {name}' = {v})"
            case 4 if size(kind) < 20:
                v = terms.fresh()
                chosen = terms.expr(BOOL, 2, (*env, (v, kind)))
                return f"{name}' \\in {{{v} \\in {terms.all_of(kind)} : {chosen}}}"
            case 5:
                v = terms.fresh()
                members = terms.expr(("set", kind), 2, env)
                return f"{name}' \\in {{{v} \\in {members} : {terms.bounded(kind, v)}}}"
            case 6 if size(kind) < 20:
                v = terms.fresh()
                chosen = terms.expr(BOOL, 2, (*env, (v, kind)))
                return f"(\\E {v} \\in {terms.all_of(kind)} : {chosen} /\\ {name}' = {v})"
            case 4 | 5 | 6 | 7:
                v = terms.fresh("n")
                inside = terms.bounded(kind, v)
                return f"(LET {v} == {value} IN {inside} /\\ {name}' = {v})"
            case 8:
                return f"(({inner()}) \\/ ({inner()}))"
            case 9:
                return f"(IF {test()} THEN {inner()} ELSE {inner()})"
            case 10:
                arms = f"CASE {test()} -> {inner()} [] {test()} -> {inner()}"
                return (
                    f"({arms})" if terms.chance(terms.risk) else f"({arms} [] OTHER -> {inner()})"
                )
            case 11:
                v, other = terms.fresh(), terms.kind(1)
                members = terms.expr(("set", other), 2, env)
                more = self._assigned(name, (*env, (v, other)), depth - 1)
                return f"(\\E {v} \\in {members} : {more})"
            case 12:
                v, other = terms.fresh("l"), terms.kind(1)
                held = terms.expr(other, 2, env)
                more = self._assigned(name, (*env, (v, other)), depth - 1)
                return f"(LET {v} == {held} IN {more})"
            case _:
                return f"({test()} /\\ {inner()})"

    # Properties

    def _invariant(self) -> str:
        if self.terms.chance(0.12):
            acts = [line.split(" ==")[0] for line in self.lines if line.startswith("Act")]
            plain = [act for act in acts if "(" not in act]
            if plain:
                test = self.terms.expr(BOOL, 1, self.env)
                return f"({test} \\/ ENABLED {self.rng.choice(plain)})"
        if self.terms.chance(0.6):
            parts = [self.terms.bounded(k, n) for n, k in self.variables.items()]
            return "(" + " /\\ ".join(parts) + ")"
        return self.terms.expr(BOOL, 3, self.env)

    def _step(self) -> str:
        primed: list[tuple[str, Kind]] = [(f"{n}'", kind) for n, kind in self.variables.items()]
        made: list[tuple[str, Kind, Kind]] = []
        for _ in range(self.rng.choice([0, 0, 1, 3])):
            name, given = self.terms.fresh("Of"), self.terms.fresh("p")
            held, kind = self.terms.kind(1), self.terms.kind(1)
            passed = [(f"{of}({given})", k) for of, taken, k in made if taken == held]
            env = (*self.env, (given, held), (f"{given}'", held), *passed)
            self.lines.append(f"{name}({given}) == {self.terms.expr(kind, 2, env)}")
            made.append((name, held, kind))
        calls = [(f"{n}({self.terms.expr(held, 1, self.env)})", kind) for n, held, kind in made]
        return self.terms.expr(BOOL, 2, (*self.env, *primed, *calls))


def random_module(seed: int) -> RandomModule:
    """The module of a seed."""
    return ModuleWriter(seed).module()
