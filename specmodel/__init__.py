"""specmodel: a model checker and explorer for protocol designs written in Python.

    import specmodel

    result = specmodel.check("kip320", log_size=2)
    print(result.verdict, result.distinct)

What a spec author imports is in `specmodel.lang`.
"""

from __future__ import annotations

import sys
from importlib import import_module

from specmodel.version import __version__ as __version__

# Not from typing: the fewer imports, the sooner a command handles Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specmodel.analysis.ablation import AblationTable
    from specmodel.analysis.comparison import Comparison
    from specmodel.analysis.correspondence import Correspondence
    from specmodel.analysis.counterexamples import Counterexamples
    from specmodel.analysis.minimising import Minimised
    from specmodel.analysis.reasons import Reasons
    from specmodel.analysis.rival import Replayed
    from specmodel.analysis.sweep import Sweep
    from specmodel.api import (
        ablate,
        check,
        compare,
        conform,
        counterexamples,
        equal,
        equal_under,
        graph,
        load,
        minimise,
        prove,
        replay_trace,
        simulate,
        solve,
        sweep,
        validate,
        why,
    )
    from specmodel.conformance.logs.validation import ValidatedLog
    from specmodel.conformance.verdicts import ConformanceReport
    from specmodel.design import Design
    from specmodel.errors import Disagreement, SpecError, SpecmodelError, UsageError
    from specmodel.results import (
        Options,
        PropertyResult,
        Result,
        Simulation,
        SpecFailure,
        Step,
        Trace,
    )
    from specmodel.testing import (
        assert_behaviour,
        assert_conforms,
        assert_holds,
        assert_validates,
        assert_violated,
    )

__all__ = [
    "AblationTable",
    "Comparison",
    "ConformanceReport",
    "Correspondence",
    "Counterexamples",
    "Design",
    "Disagreement",
    "Minimised",
    "Options",
    "PropertyResult",
    "Reasons",
    "Replayed",
    "Result",
    "Simulation",
    "SpecError",
    "SpecFailure",
    "SpecmodelError",
    "Step",
    "Sweep",
    "Trace",
    "UsageError",
    "ValidatedLog",
    "ablate",
    "assert_behaviour",
    "assert_conforms",
    "assert_holds",
    "assert_validates",
    "assert_violated",
    "check",
    "compare",
    "conform",
    "counterexamples",
    "equal",
    "equal_under",
    "graph",
    "load",
    "minimise",
    "prove",
    "replay_trace",
    "simulate",
    "solve",
    "sweep",
    "validate",
    "why",
]

_PLACES = (
    "errors",
    "design",
    "results",
    "api",
    "testing",
    "analysis.ablation",
    "analysis.comparison",
    "analysis.correspondence",
    "analysis.counterexamples",
    "analysis.minimising",
    "analysis.reasons",
    "analysis.rival",
    "conformance.verdicts",
    "conformance.logs.validation",
    "analysis.sweep",
)
"""The modules of these names. A module imports those before it, as a rule."""


def load_ipython_extension(shell: Any) -> None:
    """Lets IPython show results as pictures, for `%load_ext specmodel`."""
    from specmodel.notebook import register  # imports this module

    register(shell)


if "IPython" in sys.modules:
    from specmodel.notebook import register_if_interactive

    register_if_interactive()


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that `import specmodel` is fast."""
    for place in _PLACES if name in __all__ else ():
        module = import_module(f"{__name__}.{place}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
