"""Results on their way from the machine that made them, without anything that exists only there.

Each machine that loads a design makes the classes of its states anew. So states are sent as packed
words, steps as numbers of bindings, and places in sources by their names in a sent design. The
receiver makes the result of its own design.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from typing import Any

from specmodel.behaviour.formulas import formulas
from specmodel.behaviour.lasso import described
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines.spark.sent_design import files_of
from specmodel.errors import Span, SpecError
from specmodel.ir.layout import Layout
from specmodel.model.model import Rule
from specmodel.results import PropertyResult, Result, SpecFailure, Trace


class ResultPickler:
    """Packs the results of one copy of a design, and unpacks those of another copy."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.interpreter = Interpreter(design.spec)
        self.layout = Layout(design.spec.domain)
        self.files = files_of(design)

    def packed(self, found: Result | SpecError) -> bytes:
        """A result, or an error in a spec, ready to be sent."""
        file = io.BytesIO()
        _Packer(file, self).dump(found)
        return file.getvalue()

    def unpacked(self, sent: bytes) -> Result | SpecError:
        """The same, for this copy of the design, with places in its own sources."""
        return _Unpacker(io.BytesIO(sent), self).load()

    def rule(self, name: str) -> Rule:
        """The property of a name."""
        (rule,) = self.design.chosen([name])
        return rule


class _Packer(pickle.Pickler):
    """Replaces the objects of one copy of a design by values that mean the same to any copy."""

    def __init__(self, file: io.BytesIO, pickler: ResultPickler) -> None:
        super().__init__(file)
        self.pickler = pickler
        self.names = {file: name for name, file in pickler.files.items()}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """The value that replaces an object; None for an object that is the same everywhere."""
        if isinstance(obj, Span):
            return Span, *obj._replace(file=self.names.get(obj.file, obj.file))
        if isinstance(obj, Trace):
            numbers, pack = self.pickler.interpreter.numbers, self.pickler.layout.pack
            back = None if obj.back is None else numbers[str(obj.back)]
            steps = [numbers[str(step)] for step in obj.steps]
            return Trace, [tuple(pack(state)) for state in obj.states], steps, obj.loop, back
        if isinstance(obj, SpecFailure):
            return SpecFailure, obj.message, obj.span, obj.hint, obj.trace, obj.where
        if isinstance(obj, PropertyResult) and obj.lasso is not None:
            rule, told = self.pickler.rule(obj.name), obj.lasso
            held = [(f.claim, f.named_arguments) for f in formulas(rule)]
            formula = held.index((told.claim, dict(told.arguments)))
            return PropertyResult, replace(obj, lasso=None), formula, told.since, told.smallest
        return None


class _Unpacker(pickle.Unpickler):
    """Replaces the values of a packer by objects of this copy of the design."""

    def __init__(self, file: io.BytesIO, pickler: ResultPickler) -> None:
        super().__init__(file)
        self.pickler = pickler

    def persistent_load(self, pid: Any) -> object:
        """The object that `persistent_id` has replaced by this value."""
        kind, *told = pid
        if kind is Span:
            place = Span(*told)
            return place._replace(file=self.pickler.files.get(place.file, place.file))
        if kind is Trace:
            states, steps, loop, back = told
            step = self.pickler.interpreter.step
            unpacked = tuple(map(self.pickler.layout.unpack, states))
            return Trace(
                unpacked,
                tuple(map(step, steps, unpacked)),
                loop,
                None if back is None else step(back, unpacked[-1]),
            )
        if kind is SpecFailure:
            message, span, hint, trace, where = told
            return SpecFailure(message, span, hint, trace=trace, where=where)
        found, place, since, smallest = told
        failed = formulas(self.pickler.rule(found.name))[int(place)]
        lasso = described(self.pickler.interpreter, found.trace, failed, since, smallest)
        return replace(found, lasso=lasso)
