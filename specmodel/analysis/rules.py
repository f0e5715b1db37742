"""The rules of a design that can be weakened one at a time: conditions of guards, and actions.

A condition is weakened by replacing it with `True`. If it is in a predicate that others call as
well, the guard gets a copy of that predicate without the condition, so that everything else keeps
its meaning. An action is weakened by replacing it with another action that a design of the same
files has in its place.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, get_type_hints

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.lang.loading import edited_text
from specmodel.lang.lowering.source import FunctionSource
from specmodel.lang.packages import Edit, modules_beside, relative_name
from specmodel.lang.python_rule import PythonRule
from specmodel.lang.rules import require
from specmodel.lang.spec import Spec
from specmodel.model.model import Interpreted, Model
from specmodel.suite.targets import spec_of

Function = Callable[..., Any]


@dataclass(frozen=True)
class Condition:
    """A condition of a guard, and the edits of the source that remove it.

    `function` is the action or helper of the guard, `actions` are those of the design that have the
    guard; `text` is as written, at `span`. `depth` is 0 for a whole conjunct, and one more within a
    predicate or quantifier that is itself listed before it; `within` is that predicate's name.
    """

    function: str
    actions: tuple[str, ...]
    text: str
    span: Span
    depth: int
    within: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class ActionReplacement:
    """An action that another design has in the place of `old`; `added` are added with it."""

    old: str
    new: str
    added: tuple[str, ...]
    span: Span

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the design that it replaces."""
        return (self.old,)


def conditions(model: Model) -> tuple[Condition, ...]:
    """The conditions of all guards of a spec's actions, in the order of the actions and lines.

    A condition in a helper of several actions is listed once, with the first. `require_some` has no
    condition to remove: its guard is that the value is there. Those of a TLA+ module are the
    conjuncts without primes of its actions, and of the operators that these apply.
    """
    if isinstance(model, Interpreted):
        return _of_sites(model)
    spec = spec_of(model)
    users: dict[Function, list[str]] = {}
    for rule in spec.rules:
        for function in _reached(rule.function):
            users.setdefault(function, []).append(rule.name)
    found: list[Condition] = []
    for function, actions in users.items():
        source = FunctionSource(function)
        for guard in _guards(source):
            for part in _parts(guard, source):
                edits = (*part.here, *part.elsewhere)
                text, span = part.text, part.span
                found.append(
                    Condition(
                        source.node.name, tuple(actions), text, span, part.depth, part.within, edits
                    )
                )
    return tuple(found)


def _of_sites(model: Model) -> tuple[Condition, ...]:
    """The conditions of a model that says itself where its guards are."""
    interpreter, found = Interpreter.of(model), dict[Span, Condition]()
    for rule in model.rules:
        for site in interpreter.sites(rule):
            if (span := site.span) is None:
                continue
            function = site.via[-1] if site.via else rule.name
            new = Condition(function, (), site.text, span, 0, "", (Edit(span, "TRUE"),))
            known = found.get(span, new)
            found[span] = replace(known, actions=tuple(dict.fromkeys((*known.actions, rule.name))))
    return tuple(found.values())


def replacements(model: Model) -> tuple[ActionReplacement, ...]:
    """The possible replacements of each action, by the designs in the spec's files."""
    if isinstance(model, Interpreted):
        return ()
    spec = spec_of(model)
    designs = list({id(design): design for design in _lineage(spec)}.values())
    pairs = [pair for design in designs for pair in _replaced(design)]
    listed = {rule.function for rule in spec.rules}
    found: list[ActionReplacement] = []
    for rule in spec.rules:
        others = sorted(
            (f for f in _connected(rule.function, pairs) - listed if _alike(f, rule.function)),
            key=lambda f: (f.__code__.co_filename, f.__code__.co_firstlineno),
        )
        found += [
            ActionReplacement(rule.name, f.__name__, (), PythonRule(f, "action").span)
            for f in others
        ]
    return (*found, *_with_company(spec, designs))


def replaced(model: Model, replacement: ActionReplacement) -> Spec:
    """The spec with a replacement made. Raises KeyError if its files no longer have the actions."""
    spec = spec_of(model)
    known = {f.__name__: f for design in _lineage(spec) for f in design.actions}
    changed = spec.replacing("", **{replacement.old: known[replacement.new]})
    if replacement.added:
        changed = changed.adding("", actions=[known[name] for name in replacement.added])
    return changed


# Guards and their conditions


@dataclass(frozen=True)
class _ConditionPart:
    """A condition within an expression: the edits of the function it is in, and of other places."""

    text: str
    span: Span
    depth: int
    within: str
    here: tuple[Edit, ...]
    elsewhere: tuple[Edit, ...] = ()


def _reached(function: Function) -> list[Function]:
    """A function of a spec and all that it calls, directly or not, in the order of calls."""
    found: dict[Function, None] = {}

    def reach(function: Function) -> None:
        if function in found:
            return
        found[function] = None
        source = FunctionSource(function)
        for node in _calls(source):
            called = _called(node, source)
            if called is not None:
                reach(called)

    reach(function)
    return list(found)


def _calls(source: FunctionSource) -> list[ast.Call]:
    calls = [node for node in ast.walk(source.node) if isinstance(node, ast.Call)]
    return sorted(calls, key=lambda c: (c.lineno, c.col_offset))


def _called(node: ast.Call, source: FunctionSource) -> Function | None:
    """The function of the spec that is called, if it is one."""
    called = source.static(node.func, lambda name: False)
    mine = _package(source.function)
    return called if isinstance(called, FunctionType) and _package(called) == mine else None


def _package(function: Function) -> str:
    """The package in which a load of a spec runs: it tells the spec's code from all other."""
    return function.__module__.partition(".")[0]


def _guards(source: FunctionSource) -> list[ast.expr]:
    """The conditions of `require` in a function, in order."""
    return [
        call.args[0]
        for call in _calls(source)
        if call.args and source.static(call.func, lambda name: False) is require
    ]


def _predicate(function: Function) -> ast.expr | None:
    """The expression that a function returns, if it does nothing else."""
    body = FunctionSource(function).node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]  # the docstring
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return body[0].value
    return None


def _parts(
    node: ast.expr, source: FunctionSource, depth: int = 0, within: str = ""
) -> list[_ConditionPart]:
    """The conjuncts of an expression, including those of predicates that it calls."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _parts(value, source, depth, within)]
    whole = _dropped(node, source, depth, within)
    inner: list[_ConditionPart] = []
    if isinstance(node, ast.Call):
        called = _called(node, source)
        if called is not None:
            inner = _parts_of_call(node, called, source, depth)
        elif source.static(node.func, lambda name: False) is all and node.args:
            quantified = node.args[0]
            if isinstance(quantified, ast.GeneratorExp):
                inner = _parts(quantified.elt, source, depth + 1, within)
    return [whole, *inner] if len(inner) > 1 else [whole]


def _dropped(node: ast.expr, source: FunctionSource, depth: int, within: str) -> _ConditionPart:
    span = source.span(node)
    # Brackets keep the line breaks, and with them the numbers of all following lines.
    lines = span.end_line - span.line
    text = f"(True{chr(10) * lines})" if lines else "True"
    return _ConditionPart(" ".join(span.text().split()), span, depth, within, (Edit(span, text),))


def _parts_of_call(
    node: ast.Call, called: Function, caller: FunctionSource, depth: int
) -> list[_ConditionPart]:
    """The conditions of a predicate, each to be removed from this one call."""
    returned = _predicate(called)
    if returned is None:
        return []
    source = FunctionSource(called)
    name = caller.span(node.func)
    parts: list[_ConditionPart] = []
    for number, part in enumerate(_parts(returned, source, depth + 1, called.__name__), 1):
        copy = f"{called.__name__}_without_{number}"
        made = [*part.elsewhere, _copy(source, copy, part.here)]
        if source.file != caller.file:
            module = relative_name(called.__module__, caller.function.__module__)
            made.append(_appended(caller.file, f"from {module} import {copy}"))
        parts.append(replace(part, here=(Edit(name, copy),), elsewhere=tuple(made)))
    return parts


def _copy(source: FunctionSource, name: str, edits: Sequence[Edit]) -> Edit:
    """Adds an edited copy of a function, under another name, at the end of its file."""
    span = source.span(source.node)
    lines = edited_text(_text(source.file), edits).split("\n")[span.line - 1 : span.end_line]
    copied = "\n".join(lines).replace(f"def {source.node.name}(", f"def {name}(", 1)
    return _appended(source.file, copied)


def _appended(file: str, text: str) -> Edit:
    lines = _text(file).split("\n")
    end = Span(file, len(lines), len(lines[-1]), len(lines), len(lines[-1]))
    return Edit(end, f"\n{text}\n")


def _text(file: str) -> str:
    return "".join(linecache.getlines(file))


# Replacements of actions


def _lineage(spec: Spec) -> Iterator[Spec]:
    """The designs in the files of a spec, and their ancestors."""
    for module in modules_beside(spec.init.__module__).values():
        for held in list(vars(module).values()):
            design = held if isinstance(held, Spec) else None
            while design is not None:
                yield design
                design = design.parent


def _replaced(spec: Spec) -> list[tuple[Function, Function]]:
    """The actions with which a spec replaces those of its parent."""
    parent = spec.parent
    if parent is None or len(parent.actions) != len(spec.actions):
        return []
    pairs = zip(parent.actions, spec.actions, strict=True)
    return [(old, new) for old, new in pairs if old is not new]


def _connected(function: Function, pairs: Sequence[tuple[Function, Function]]) -> set[Function]:
    """All functions that replace a function or are replaced by it, directly or through others."""
    found = {function}
    while more := {f for pair in pairs for f in pair if found & set(pair)} - found:
        found |= more
    return found


def _alike(a: Function, b: Function) -> bool:
    """Whether two actions are of the same state and take the same parameters.

    An action over a larger state does more than the other, such as keeping a history.
    """
    return get_type_hints(a, include_extras=True) == get_type_hints(b, include_extras=True)


def _with_company(spec: Spec, designs: Sequence[Spec]) -> Iterator[ActionReplacement]:
    """Designs that replace one action of this one, and then add others."""
    for design in designs:
        step = design.parent
        if step is None or step.parent is not spec or len(design.actions) <= len(step.actions):
            continue
        pairs, added = _replaced(step), design.actions[len(step.actions) :]
        if len(pairs) == 1:
            (old, new), names = pairs[0], tuple(f.__name__ for f in added)
            yield ActionReplacement(
                old.__name__, new.__name__, names, PythonRule(new, "action").span
            )
