"""A light that is plugged in and blinks for ever, or stays dark for ever, instead of staying on."""

from __future__ import annotations

from specmodel.lang import (
    Spec,
    Struct,
    action,
    eventually,
    eventually_always,
    init,
    require,
    weak,
)


class Light(Struct):
    plugged: bool
    on: bool


@init
def dark() -> Light:
    return Light(plugged=False, on=False)


@action
def plug_in(s: Light) -> None:
    require(not s.plugged)
    s.plugged = True


@action
def switch_on(s: Light) -> None:
    require(s.plugged and not s.on)
    s.on = True


@action
def switch_off(s: Light) -> None:
    require(s.on)
    s.on = False


@eventually_always
def settles(s: Light) -> bool:
    """In the end it stays on."""
    return s.on


@eventually
def shines(s: Light) -> bool:
    """In the end it is on, which nothing promises."""
    return s.on


light = Spec(
    state=Light,
    init=dark,
    actions=[plug_in, switch_on, switch_off],
    liveness=[settles],
    fairness=[weak(plug_in), weak(switch_on)],
)

unpromised = Spec(
    state=Light, init=dark, actions=[plug_in, switch_on, switch_off], liveness=[shines]
)
