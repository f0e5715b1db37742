"""A bank's transfers, asked for by messages that are sent again until they are answered.

A request can be delivered twice, and its answer can be lost. The bank that remembers which requests
it has dealt with pays each once.
"""

from typing import Annotated

from specmodel.lang import (
    Range,
    ScalarSet,
    Spec,
    Struct,
    action,
    constant,
    init,
    invariant,
    reachable,
    require,
)

requests = constant("requests", 2, low=1, high=4, doc="how many transfers are asked for")
sendings = constant("sendings", 2, low=1, high=3, doc="how often each request is sent at most")


class Request(ScalarSet, size=requests, symmetric=True):
    """A transfer that a customer asks for."""


class Bank(Struct):
    """The whole state: for each request, what was sent, is under way, was paid and answered."""

    sent: dict[Request, Annotated[int, Range(0, sendings)]]
    waiting: dict[Request, Annotated[int, Range(0, sendings)]]
    paid: dict[Request, Annotated[int, Range(0, sendings)]]
    answered: dict[Request, bool]


@init
def quiet() -> Bank:
    """Nothing was asked for."""
    return Bank(
        sent={r: 0 for r in Request},
        waiting={r: 0 for r in Request},
        paid={r: 0 for r in Request},
        answered={r: False for r in Request},
    )


@action
def send(s: Bank, r: Request) -> None:
    """A customer without an answer sends the request, for the first time or again."""
    require(not s.answered[r])
    require(s.sent[r] < sendings)
    s.sent[r] += 1
    s.waiting[r] += 1


@action(kind="pay")
def pay(s: Bank, r: Request) -> None:
    """The bank pays whatever it is asked for."""
    require(s.waiting[r] > 0)
    s.waiting[r] -= 1
    s.paid[r] += 1


@action(kind="pay")
def pay_once(s: Bank, r: Request) -> None:
    """The bank pays what it has not yet paid."""
    require(s.waiting[r] > 0)
    require(s.paid[r] == 0)
    s.waiting[r] -= 1
    s.paid[r] += 1


@action
def recognise(s: Bank, r: Request) -> None:
    """The bank has paid that already, and only says so again."""
    require(s.waiting[r] > 0)
    require(s.paid[r] > 0)
    s.waiting[r] -= 1


@action
def answer(s: Bank, r: Request) -> None:
    """The customer learns that it is paid; an answer that is lost is one that does not come."""
    require(s.paid[r] > 0)
    require(not s.answered[r])
    s.answered[r] = True


@invariant
def paid_once(s: Bank) -> bool:
    """No request is paid twice."""
    return all(s.paid[r] <= 1 for r in Request)


@reachable
def all_answered(s: Bank) -> bool:
    """Every customer can get an answer."""
    return all(s.answered[r] for r in Request)


transfer_naive = Spec(
    state=Bank,
    init=quiet,
    actions=[send, pay, answer],
    invariants=[paid_once],
    reachable=[all_answered],
)
transfer = transfer_naive.replacing(pay=pay_once).adding(actions=[recognise])
