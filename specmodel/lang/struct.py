"""Structs: records with typed, bounded fields. The state of a spec is a struct."""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import sys
from contextlib import suppress
from typing import Any, dataclass_transform, get_type_hints

from specmodel.domains import Domain
from specmodel.domains.records import Record, own_method
from specmodel.errors import Span, SpecError
from specmodel.lang.annotations import domain_of, import_of
from specmodel.syntax import parsed


@dataclass_transform(kw_only_default=False, eq_default=False)
class Struct(Record):
    """A record of typed, bounded fields, written like a dataclass.

        class ReplicaState(Struct):
            hw: Offset
            leader: Replica | None

    Every store is checked against the field's domain (DomainError names the field) and stores a
    private copy: structs have value semantics. A struct that extends another has its fields first.
    """

    def __init_subclass__(cls, *, fixed: bool = False) -> None:
        super().__init_subclass__(fixed=fixed)
        if fixed:
            return
        for method in _METHODS:
            if getattr(cls, method) is not getattr(Struct, method):
                raise own_method(cls, method, _place(cls, method))
        hints = _hints(cls)
        fields: dict[str, Domain] = {}
        for name, hint in _own_order(cls, hints).items():
            try:
                fields[name] = domain_of(hint, place := f"{cls.__name__}.{name}", place)
            except SpecError as wrong:
                place = wrong.span or _place(cls, name)
                raise SpecError(wrong.message, place, wrong.hint) from None
            if isinstance(getattr(cls, name, None), property):
                what = f"{cls.__name__}.{name} is a field and a property"
                raise SpecError(what, _place(cls, name), "leave the property out")
        cls.declare(fields)


_METHODS = (
    "__eq__",
    "__ne__",
    "__hash__",
    "__new__",
    "__init__",
    "__setattr__",
    "__getattribute__",
)
"""The methods that make, compare and read structs: a spec may not replace them."""


def _hints(cls: type) -> dict[str, Any]:
    """The annotations of a struct. Raises SpecError if one has a name that is not defined."""
    for module in {base.__module__ for base in cls.__mro__} - sys.modules.keys():
        with suppress(ImportError):  # of code that is in no module
            importlib.import_module(module)  # of a base from a load that is over
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError as wrong:
        what = f"{wrong.name} is not defined"
        for name, annotation in inspect.get_annotations(cls).items():
            if isinstance(annotation, str) and (wrong.name or "") in annotation:
                where = f"{cls.__name__}.{name}"
                raise SpecError(f"{where}: {what}", _place(cls, name), import_of(wrong)) from None
        raise SpecError(f"{cls.__name__}: {what}", hint=import_of(wrong)) from None


def _place(cls: type, name: str) -> Span | None:
    """The place of a field's annotation or a method in a struct's file; None if not found."""
    owner, file = cls.__name__, getattr(sys.modules.get(cls.__module__), "__file__", None)
    try:
        read = parsed("".join(linecache.getlines(file or "")))
    except SyntaxError:
        return None
    for statement in read.body:
        if isinstance(statement, ast.ClassDef) and statement.name == owner:
            for field in statement.body:
                if isinstance(field, ast.AnnAssign) and ast.unparse(field.target) == name:
                    node = field.annotation
                    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
                    return Span(file or "", node.lineno, node.col_offset, end_line, end)
                if isinstance(field, ast.FunctionDef) and field.name == name:
                    line, start = field.lineno, field.col_offset
                    return Span(file or "", line, start, line, start + len(f"def {name}"))
    return None


def _own_order(cls: type, hints: dict[str, Any]) -> dict[str, Any]:
    """The annotations of fields in the order of definition, fields of base structs first."""
    names: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is not Struct and issubclass(base, Struct):
            names.update({n: hints[n] for n in inspect.get_annotations(base)})
    return names
