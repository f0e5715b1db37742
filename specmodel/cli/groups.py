"""Options that go together, as one parameter of a command; typer gets each of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

T = TypeVar("T")


def option(
    default: T,
    help: str,
    *flags: str,
    metavar: str | None = None,
    min: float | None = None,
    max: float | None = None,
    panel: str | None = None,
) -> T:
    """The default of a parameter that is an option; `panel` is its section in `--help`."""
    return typer.Option(
        default, *flags, help=help, metavar=metavar, min=min, max=max, rich_help_panel=panel
    )


def argument(metavar: str, help: str, default: Any = ...) -> Any:
    """The default of an argument; an argument without a default is required."""
    return typer.Argument(default, metavar=metavar, help=help)


class Group:
    """The values of options that go together: a subclass declares them as a command does.

    A command with only some of them names those: `Annotated[Search, "engine", "workers"]`.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def parameters(cls, *names: str) -> list[Parameter]:
        """The options, as a command would declare them: those that are named, or all."""
        return [
            keyword(name, kind, getattr(cls, name))
            for name, kind in get_type_hints(cls).items()
            if isinstance(getattr(cls, name, None), ParameterInfo) and (not names or name in names)
        ]

    def refuse_wrong(self) -> None:
        """Raises UsageError for impossible values, before the command does anything."""


def keyword(name: str, kind: Any, default: Any) -> Parameter:
    """A parameter of a command."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


@cache  # many commands share them: reading them all again takes 5 ms of `--help`
def _parameters(kind: type[Group], *names: str) -> list[Parameter]:
    return kind.parameters(*names)


def opened(command: Callable[..., int]) -> tuple[Signature, Callable[..., int]]:
    """The parameters of a command, with each option of its groups apart, and the command."""
    groups: dict[str, tuple[type[Group], list[str]]] = {}
    parameters: list[Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        annotated = get_origin(parameter.annotation) is Annotated
        kind, *names = get_args(parameter.annotation) if annotated else (parameter.annotation,)
        if isinstance(kind, type) and issubclass(kind, Group):
            options = _parameters(kind, *names)
            groups[parameter.name] = kind, [option.name for option in options]
            parameters += options
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    def called(**given: Any) -> int:
        for name, (kind, options) in groups.items():
            given[name] = kind(**{option: given.pop(option) for option in options})
        for name in groups:
            given[name].refuse_wrong()
        return command(**given)

    return Signature(parameters), called
