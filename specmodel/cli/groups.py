"""Options that go together, as one parameter of a command; typer is told of each of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, get_type_hints


class Group:
    """The values of options that go together: a subclass declares them as typer's parameters."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """The options, as they would stand in the command."""
        return [
            Parameter(name, Parameter.KEYWORD_ONLY, default=getattr(cls, name), annotation=kind)
            for name, kind in get_type_hints(cls, include_extras=True).items()
        ]


def opened(command: Callable[..., int]) -> tuple[Signature, Callable[..., int]]:
    """What a command takes with each option of its groups apart, and the command called so."""
    groups: dict[str, tuple[type[Group], list[str]]] = {}
    parameters: list[Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            options = kind.parameters()
            groups[parameter.name] = kind, [option.name for option in options]
            parameters += options
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    def called(**given: Any) -> int:
        for name, (kind, options) in groups.items():
            given[name] = kind(**{option: given.pop(option) for option in options})
        return command(**given)

    return Signature(parameters), called
