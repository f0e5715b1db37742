"""Whole spec files: types, a state, helpers, actions, properties, fairness, a spec."""

from __future__ import annotations

import ast
import random

from tests.fuzz.kinds import BOOL, INT, Kind, World, option, size
from tests.fuzz.picks import Picker, branches, calls, picks
from tests.fuzz.refining import abstraction
from tests.fuzz.statements import STEP, Lines, Statements
from tests.fuzz.writer import Helper

IMPORTS = """\
from enum import Enum, auto
from typing import Annotated

from specmodel.lang import (
    Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant,
    constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines,
    require, require_some, strong, subsets, transition, values, weak,
)
"""

HABITS = (
    *("zip", "reversed", "in range", "key in map", "truth", "+x", "frozenset"),
    *("keys", "range step", "del item", "bare list", "retype", "index", "tuple", "method"),
)
"""What is written in a few specs only, since the reference does not list it."""


def spec_text(seed: int, odd: float = 0.03) -> str:
    """The text of the spec with a number: the same for the same number.

    Some specs, an `odd` share, have much that the reference says is refused.
    """
    return _File(random.Random(seed), odd).text()


class _File:
    """One spec file."""

    def __init__(self, draw: random.Random, odd: float) -> None:
        self.draw = draw
        self.world = World(draw)
        self.helpers: list[Helper] = []
        self.pickers: list[Picker] = []
        self.pool: dict[str, list[str]] = {}
        self.odd = 1.0 if draw.random() < odd else 0.0
        often = 0.3 if self.odd else 0.01
        self.habits = frozenset(h for h in HABITS if draw.random() < often)
        self.risk = draw.choice((0.0, 0.0, 0.02, 0.05, 0.1, 0.3))
        self.large = draw.choice((1, 1, 2, 2, 3, 4))
        self.busy = draw.random() < 0.1
        several = [*self.world.structs, *self.world.unions]
        if several and self.world.order is None and draw.random() < 0.05:
            self.world.order = kind = draw.choice(several)
            self.world.put_in_order([self.writer().literal(kind) for _ in range(2)])

    def text(self) -> str:
        parts = [IMPORTS, self.types(), self.start()]
        some = (0, 1, 1, 2, 3) if self.world.unions else (0, 0, 1, 1, 2, 3)
        for number in range(3 if self.busy else self.draw.choice(some)):
            parts.append(self.helper(f"h{number}"))
        for number in range(self.draw.choice((0, 0, 0, 0, 1, 2))):
            parts += self.picker(f"take{number}")
        actions: list[tuple[str, list[str]]] = []
        for name in ("act", "step", "move")[: self.draw.choice((1, 1, 2, 2, 3))]:
            written, parameters = self.action(name)
            parts.append(written)
            actions.append((name, parameters))
        listed, written = self.properties(actions)
        parts += written
        if self.draw.random() < 0.12 and (
            above := abstraction(self.draw, self.world.state, self.writer, self.judging)
        ):
            parts += above.parts
            for key in above.lists:
                listed[key].append("seen")
        names = ", ".join(name for name, _ in actions)
        more = "".join(f", {key}=[{', '.join(v)}]" for key, v in listed.items() if v)
        if self.draw.random() < 0.2:
            more += ", deadlock=True"
        parts.append(f"spec = Spec(state=S, init=start, actions=[{names}]{more})\n")
        return ast.unparse(ast.parse("\n\n".join(parts))) + "\n"

    def writer(self, **given: object) -> Statements:
        writer = Statements(self.draw, self.world, helpers=list(self.helpers), pool=self.pool)
        writer.odd, writer.risk, writer.habits = self.odd, self.risk, self.habits
        writer.busy = self.busy
        writer.budget = 8 + 9 * self.large
        if given.get("pure"):
            writer.risk /= 2
        for name, value in given.items():
            setattr(writer, name, value)
        return writer

    # Types and the initial state

    def types(self) -> str:
        world, lines = self.world, Lines()
        aliases, declared = dict(world.aliases), set[Kind]()
        for kind in world.enums:
            lines += [f"class {kind.text}(Enum):"]
            lines += [f"{STEP}{m.split('.')[1]} = auto()" for m in kind.members]
        for kind in world.actors:
            symmetric = ", symmetric=True" if world.symmetric else ""
            lines += [
                f"class {kind.text}(ScalarSet, size={len(kind.members)}{symmetric}):",
                "    pass",
            ]
        for kind in (*world.structs, world.state):
            base = next((k for k in world.structs if k.text == (*kind.bases, "")[0]), None)
            own = kind.fields[len(base.fields) if base else 0 :]
            lines += [f"class {kind.text}({base.text if base else 'Struct'}):"]
            lines += [f"{STEP}{f}: {part.text}" for f, part in own] or ["    pass"]
            if kind.default:
                lines[-1] += f" = {kind.default}"
            declared.add(kind)
            counts = [f for f, part in own if part.name == "int"]
            if "method" in self.habits and counts:
                world.methods.add(kind.text)
                lines += ["    def double(self) -> int:", f"        return 2 * self.{counts[0]}"]
            for name, union in list(aliases.items()):
                if {part for part in union.parts if part.name == "struct"} <= declared:
                    lines += [f"{name} = {' | '.join(part.text for part in union.parts)}"]
                    del aliases[name]
        lines += world.module
        return "\n".join(lines)

    def start(self) -> str:
        writer = self.writer(starting=self.draw.random() < 0.7)
        parameters = ""
        first: dict[str, str] = {}
        if self.world.symmetric:
            parameters = f"n: {self.world.actors[0].text}"
            writer.bind("n", self.world.actors[0], "parameter")
            first["who"] = "n"
        elif self.draw.random() < 0.5:
            fields = [(f, k) for f, k in self.world.state.fields if size(k) <= 12]
            if fields:
                name, kind = self.draw.choice(fields)
                parameters = f"x: {kind.text}"
                first[name] = "x"
        values = [
            f"{f}={first[f] if f in first else writer.literal(kind)}"
            for f, kind in self.world.state.fields
        ]
        return f"@init\ndef start({parameters}) -> S:\n    return S({', '.join(values)})"

    # Functions

    def helper(self, name: str) -> str:
        """A function that actions and later helpers may call."""
        draw, world = self.draw, self.world
        pool = [INT, BOOL, *world.enums, *world.actors]
        big = (
            [*world.structs] * 2
            + [*world.unions] * 3
            + [k for _, k in world.state.fields if k.name in ("list", "set", "bag", "map", "table")]
        )
        parameters: list[Kind] = []
        if self.busy or draw.random() < 0.6:
            parameters.append(world.state)
        for _ in range(draw.choice((0, 1, 1, 2)) if parameters else draw.choice((1, 1, 2))):
            parameters.append(draw.choice(big if big and draw.random() < 0.6 else pool))
        if world.symmetric and world.actors[0] not in parameters:
            parameters.append(world.actors[0])
        changes = draw.random() < (0.8 if self.busy else 0.5)
        result = draw.choice([INT, INT, BOOL, *world.actors, *world.structs, *big])
        if changes and draw.random() < (0.1 if self.busy else 0.6):
            result = None
        elif result is not None and result.name != "option" and draw.random() < 0.15:
            result = option(draw.choice(world.ints) if result is INT else result)
        replaced = changes and bool(world.unions) and draw.random() < 0.6
        if replaced and world.state not in parameters:
            parameters.insert(0, world.state)
        if replaced and draw.random() < 0.7:
            result = draw.choice((INT, BOOL))
        writer = self.writer(pure=not changes, result=result)
        written: list[str] = []
        for kind in parameters:
            text = "s" if kind is world.state else writer.fresh(kind)
            writer.begin(text, kind, "state" if kind is world.state else "parameter")
            written.append(f"{text}: {writer.annotation(kind)}")
        head = f"def {name}({', '.join(written)}) -> "
        head += f"{writer.annotation(result) if result else 'None'}:"
        lines = writer.store_union() if replaced else []
        lines += writer.block(draw.choice((0, 1, 1, 2, 3)), 2)
        if result is not None and draw.random() < 0.3 and (ending := writer.matched_return()):
            lines += ending
        elif result is not None:
            given = writer.path(result) if result.mutable and draw.random() < 0.5 else None
            lines.append(f"return {given or writer.expr(result, 2)}")
        names = tuple(w.split(":")[0] for w in written)
        self.helpers.append(Helper(name, tuple(parameters), result, changes, names))
        return "\n".join([head, *(STEP + line for line in lines)])

    def action(self, name: str) -> tuple[str, list[str]]:
        draw, world = self.draw, self.world
        writer = self.writer()
        writer.begin("s", world.state, "state")
        parameters: list[str] = []
        taken: list[tuple[str, Kind]] = []
        pool = [k for k in (*world.actors, *world.enums, BOOL, *world.ints) if size(k) <= 10]
        if draw.random() < 0.4:
            parts = (*world.structs, *world.unions, *(kind for _, kind in world.state.fields))
            pool += [kind for kind in parts if size(kind) <= 6]
        bindings = 1
        wanted = [world.actors[0]] if world.symmetric else []
        wanted += [draw.choice(pool) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
        for kind in wanted:
            if bindings * size(kind) > 12:
                continue
            bindings *= size(kind)
            text = writer.fresh(kind)
            writer.bind(text, kind, "argument")
            parameters.append(f"{text}: {kind.text}")
            taken.append((text, kind))
        lines: Lines = []
        if draw.random() < 0.4:
            lines += writer.guard(0)
        picked, count = self.picked(writer, 12 // bindings, ends=True)
        lines += picked
        first = draw.random()
        if first < 0.6:
            lines += writer.progress(0)
        lines += writer.block(draw.choice((1, 2, 3, 3, 4)) + self.large // 2, 2)
        kinds = tuple(kind for _, kind in taken)
        if draw.random() < 0.3:  # later actions may call it
            names = ("s", *(text for text, _ in taken))
            helper = Helper(name, (world.state, *kinds), None, True, names)
            if picked:
                self.pickers.append(Picker(helper, count, fixed=False))
            else:
                self.helpers.append(helper)
        head = f"@action\ndef {name}({', '.join(['s: S', *parameters])}) -> None:"
        return "\n".join([head, *(STEP + line for line in lines)]), [
            p.split(":")[0] for p in parameters
        ]

    def picked(self, writer: Statements, most: int, ends: bool) -> tuple[Lines, int]:
        """What an action picks, itself or in a function that it calls, and its bindings.

        `ends`: it may return before a pick.
        """
        lines, bindings = Lines(), 1
        chance = self.draw.random()
        if most > 3 and self.draw.random() < 0.25:
            return branches(writer, self.pickers, most, ends)
        if self.pickers and chance < 0.5:
            lines, bindings = calls(writer, self.pickers, most)
        if (0.35 if self.pickers else 0) < chance < (0.65 if self.pickers else 0.35):
            more, count = picks(writer, most // bindings)
            lines, bindings = lines + more, bindings * count
        if bindings > 1 and self.draw.random() < 0.2:
            more, count = calls(writer, self.pickers, most // bindings)
            lines, bindings = lines + more, bindings * count
        return lines, bindings

    def picker(self, name: str) -> list[str]:
        """A function that picks, for actions to call; none if there is nothing to pick."""
        draw, world = self.draw, self.world
        writer = self.writer()
        writer.begin("s", world.state, "state")
        parameters, written = [world.state], ["s: S"]
        if draw.random() < 0.35:
            kind = draw.choice([INT, BOOL, *world.actors, *world.structs])
            text = writer.fresh(kind)
            writer.begin(text, kind, "parameter")
            parameters.append(kind)
            written.append(f"{text}: {writer.annotation(kind)}")
        lines = writer.progress(0) if draw.random() < 0.2 else []
        picked, bindings = self.picked(writer, 6, ends=False)
        if not picked:
            picked, bindings = picks(writer, 6)
        if not picked:
            return []
        lines += picked
        got = [n for n in writer.names if n.text in ("got", "other")]
        one = draw.choice(got) if got and draw.random() < 0.7 else None
        kinds = sorted((k for k in writer.every_kind()), key=lambda k: k.text)
        writer.result = result = one.kind if one else draw.choice([None, *kinds])
        lines += writer.block(draw.choice((0, 0, 1, 2)), 1)
        if one and result:
            lines += [f"return {one.text}"]
        elif result:
            lines += [f"return {writer.path(result) or writer.expr(result, 1)}"]
        names = tuple(w.split(":")[0] for w in written)
        helper = Helper(name, tuple(parameters), result, True, names)
        self.pickers.append(Picker(helper, bindings, fixed=one is not None))
        head = f"def {name}({', '.join(written)}) -> "
        head += f"{writer.annotation(result) if result else 'None'}:"
        return ["\n".join([head, *(STEP + line for line in lines)])]

    def judging(
        self,
        head: str,
        names: tuple[str, ...],
        parameters: tuple[Kind, ...] = (),
        state: Kind | None = None,
    ) -> str:
        """A function that says something of states: of the spec's own by default."""
        writer = self.writer(pure=True, result=BOOL)
        if state is not None:
            writer.helpers = []
        state = state or self.world.state
        for name in names:
            writer.begin(name, state, "state")
        written = [f"{name}: {state.text}" for name in names]
        for kind in parameters:
            writer.bind("of", kind, "parameter")
            written.append(f"of: {kind.text}")
        lines: Lines = []
        if self.draw.random() < 0.25:
            lines = writer.block(self.draw.choice((1, 2)), 1)
        lines.append(f"return {writer.expr(BOOL, 3)}")
        return "\n".join([head.format(", ".join(written)), *(STEP + line for line in lines)])

    def properties(
        self, actions: list[tuple[str, list[str]]]
    ) -> tuple[dict[str, list[str]], list[str]]:
        """What the spec lists, and the functions."""
        draw, parts = self.draw, list[str]()
        listed: dict[str, list[str]] = {
            "invariants": [], "transitions": [], "reachable": [], "constraints": [],
            "liveness": [], "fairness": [],
        }  # fmt: skip

        def add(key: str, mark: str, name: str, names: tuple[str, ...] = ("s",)) -> None:
            listed[key].append(name)
            parts.append(self.judging(f"@{mark}\ndef {name}({{}}) -> bool:", names))

        for number in range(draw.choice((0, 1, 1, 2, 3))):
            add("invariants", "invariant", f"inv{number}")
        for number in range(draw.choice((0, 0, 1, 1, 2))):
            add("reachable", "reachable", f"can{number}")
        if draw.random() < 0.2:
            add("transitions", "transition", "change", ("before", "after"))
        if draw.random() < 0.15:
            add("constraints", "constraint", "within")
        if draw.random() < 0.25:
            self.temporal(listed, parts, actions)
        if not any(listed[k] for k in ("invariants", "reachable", "transitions", "liveness")):
            add("invariants", "invariant", "inv0")
        return listed, parts

    def temporal(
        self, listed: dict[str, list[str]], parts: list[str], actions: list[tuple[str, list[str]]]
    ) -> None:
        draw = self.draw
        for number in range(draw.choice((1, 1, 2))):
            mark = draw.choice(("eventually", "always_eventually", "eventually_always", "leads_to"))
            name = f"goal{number}"
            kinds: tuple[Kind, ...] = ()
            few = (*self.world.actors, *self.world.enums, *self.world.unions, BOOL)
            pool = [k for k in few if size(k) <= 3]
            if draw.random() < 0.3 or (self.world.symmetric and mark == "leads_to"):
                kinds = (draw.choice(pool),)
            if mark == "leads_to":
                parts.append(self.judging(f"def cause{number}({{}}) -> bool:", ("s",), kinds))
                mark = f"leads_to(when=cause{number})"
            listed["liveness"].append(name)
            parts.append(self.judging(f"@{mark}\ndef {name}({{}}) -> bool:", ("s",), kinds))
        for name, parameters in actions:
            if draw.random() < 0.6:
                per = ""
                if parameters and draw.random() < 0.5:
                    per = f", per={draw.choice(parameters)!r}"
                other = ""
                if not per and len(actions) > 1 and draw.random() < 0.2:
                    other = f", {draw.choice(actions)[0]}"
                listed["fairness"].append(f"{draw.choice(('weak', 'strong'))}({name}{other}{per})")
