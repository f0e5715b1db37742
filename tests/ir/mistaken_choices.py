"""Choices, orders and loops that a spec may not have, as `tests.ir.mistakes`."""

from __future__ import annotations

from tests.ir.mistakes import Mistake

KEY = "compare ints: key=lambda x: x.term, or a tuple of ints"
NEXT = "write next(x for x in xs if ...), or next((x for x in xs if ...), None)"
ROUNDS = "as far as its condition tells, this loop may go on after 40 rounds"
COUNT = "count the rounds, as in while i < len(s.log), or loop over range(...)"
SUBSETS = "subsets takes what is known before the search"

CHOICES = [
    Mistake("while s.on:\n    s.n = 1", "s.on", ROUNDS, COUNT),
    Mistake("while s.on:\n    s.n = 1\nelse:\n    s.n = 0", "s.n = 0", "a loop has no else here"),
    Mistake("x = sorted(s.log)", "s.log", "a value of Point has no order", KEY),
    Mistake("x = sorted(s.log, key=lambda p: p)", "p", "a value of Point has no order", KEY),
    Mistake(
        "x = max(s.seen, key=lambda m: s.seen)",
        "s.seen",
        "a set of a value of Node has no order",
        KEY,
    ),
    Mistake(
        "x = max(s.maybes, key=lambda m: s.far.x if s.on else None)",
        "s.far.x if s.on else None",
        "an int or None has no order",
        "leave those out that are None",
    ),
    Mistake(
        "x = sorted(s.ints, reverse=s.on)",
        "s.on",
        "reverse is a constant here",
        "write reverse=True or reverse=False",
    ),
    Mistake(
        "x = sorted(s.ints, s.ints)",
        "sorted(s.ints, s.ints)",
        "sorted takes one collection, and maybe key= and reverse=",
    ),
    Mistake(
        "x = min(s.n, s.at, key=abs)",
        "min(s.n, s.at, key=abs)",
        "min with a key takes one collection, and maybe a default",
    ),
    Mistake(
        "x = min([p for p in s.log], key=lambda p: p.x)",
        "[p for p in s.log]",
        "this list is made for nothing",
        "leave out the brackets",
    ),
    Mistake(
        "x = min(s.log, key=lambda p, q: p.x)",
        "lambda p, q: p.x",
        "a key is a function of the element alone",
    ),
    Mistake(
        "x = min(s.log, key=lambda p: p.x, default=0)",
        "min(s.log, key=lambda p: p.x, default=0)",
        "an element is a value of Point, the default an int",
    ),
    Mistake("x = next(s.ints)", "next(s.ints)", "next takes a generator here", NEXT),
    Mistake("x = next(iter(s.ints))", "next(iter(s.ints))", "next takes a generator here", NEXT),
    Mistake(
        "x = subsets(s.seen)",
        "subsets(s.seen)",
        SUBSETS,
        "choose among all: q for q in subsets(Acceptor) if q <= s.votes",
    ),
    Mistake(
        "x = subsets(Node, 1, 2)",
        "subsets(Node, 1, 2)",
        "subsets() takes from 1 to 2 positional arguments but 3 were given",
    ),
    Mistake(
        "x = values(State)",
        "values(State)",
        "there are 39,242,981,965,824 values of State",
        "a set of them has at most 4,096: make those that are needed",
    ),
    Mistake("x, x = 1, 2", "x, x = 1, 2", "x gets two values at once", "leave one out"),
]
