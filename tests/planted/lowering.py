"""Faults in the lowering of Python to the IR."""

from __future__ import annotations

from tests.planted.fault import CONVERSIONS, FORMS, Fault

LOWERING = (
    Fault(
        "<= is taken for <",
        "lang/lowering/comparisons.py",
        'ast.LtE: "<=",',
        'ast.LtE: "<",',
        (FORMS,),
    ),
    Fault(
        "a range of one bound starts at 1",
        "lang/lowering/comparisons.py",
        "zero = Constant(INT, self.source.span(node), 0)\n        return (zero",
        "zero = Constant(INT, self.source.span(node), 1)\n        return (zero",
        (FORMS,),
    ),
    Fault(
        "choices that can fail are left out",
        "lang/lowering/comparisons.py",
        "if not acting and all(map(self.certain, choices[1:])):",
        "if choices:",
        (FORMS,),
    ),
    Fault(
        "a composite is not converted",
        "lang/lowering/types.py",
        "return Apply(_sized(wanted, kind), term.span, whole, (term,))",
        "return term",
        (CONVERSIONS,),
    ),
    Fault(
        "of several conditions of a comprehension one counts",
        "lang/lowering/comprehensions.py",
        "condition = tests[0] if len(tests) == 1 else",
        "condition = tests[0] if tests else",
        (FORMS,),
    ),
    Fault(
        "del xs[n:] keeps what it should drop",
        "lang/lowering/functions.py",
        'Slice(base.type, span, base, None, low), "shift")',
        'Slice(base.type, span, base, low, None), "shift")',
        (FORMS,),
    ),
    Fault(
        "a, b = b, a stores the first at once",
        "lang/lowering/functions.py",
        "made.append(self._assign(node, target, known))",
        "made.append(self._assign(node, target, value))",
        (FORMS,),
    ),
    Fault(
        "a sum of truths is lowered as one of ints where it counts",
        "lang/lowering/calls.py",
        'kind = "count" if isinstance(body.type, BoolDomain) else "sum"',
        'kind = "count"',
        (FORMS,),
    ),
    Fault(
        "a name that two places bind is what a field holds",
        "lang/lowering/functions.py",
        "if places == 1}",
        "if places}",
        ("tests/lang/test_sparse_maps.py",),
    ),
    Fault(
        "a pick takes annotated bounds of ints for granted",
        "lang/lowering/picking.py",
        "(_of_state(held) or not _has_ints(held.type.element)):",
        "INT not in held.type.nested():",
        ("tests/lang/test_helper_picks.py",),
    ),
)
