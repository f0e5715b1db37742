"""Which options of a check each engine lacks, and what is said to whoever asks for one."""

from __future__ import annotations

from specmodel.errors import UsageError
from specmodel.results import Options

_SPARK_ONLY = dict.fromkeys(("master", "run"), "{option} goes with --engine spark")
_UNASKING = {"query_timeout": "the {engine} engine asks no solver: query_timeout is for smt"}
_NO_CHECKPOINTS = "the interpreter keeps no checkpoints: use the native engine"
_OWN_WAY = "the interpreter keeps states its own way: use the native engine"
_UNFIT = "{option} is not for the spark engine"
_UNKEPT = (
    "{option} is about states that a search keeps, and the smt engine keeps none: use the native "
    "engine, or limit it with --max-depth, --timeout or --query-timeout"
)

LACKING: dict[str, dict[str, str]] = {
    "native": _SPARK_ONLY | _UNASKING,
    "interpret": {
        **_SPARK_ONLY,
        **_UNASKING,
        "checkpoint": _NO_CHECKPOINTS,
        "resume": _NO_CHECKPOINTS,
        "save_space": "the interpreter saves no space: use the native engine",
        **dict.fromkeys(("spill", "compress", "fingerprint"), _OWN_WAY),
        "partial_order": "partial-order reduction is part of the native engine only",
    },
    "spark": {
        **_UNASKING,
        "checkpoint": f"{_UNFIT}: --run DIR keeps all of a run",
        "resume": f"{_UNFIT}: --run DIR goes on",
        **dict.fromkeys(("spill", "compress", "fingerprint", "coverage", "max_memory"), _UNFIT),
    },
    "smt": {
        **_SPARK_ONLY,
        **dict.fromkeys(("max_states", "max_memory", "spill", "compress", "fingerprint"), _UNKEPT),
        **dict.fromkeys(("checkpoint", "save_space", "partial_order", "coverage"), _UNKEPT),
    },
}
"""By engine and field of `Options`."""


def refuse_lacking(engine: str, options: Options) -> None:
    """Raises UsageError for an option that an engine does not have."""
    for name, words in LACKING[engine].items():
        if getattr(options, name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(words.format(option=option, engine=engine))
