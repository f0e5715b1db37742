"""`specmodel prove`: whether a property holds however long a design runs, by induction."""

from __future__ import annotations

from typing import Annotated

from specmodel.cli.groups import option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import NoProgress, Output, Search, Subject
from specmodel.cli.viewing import Shown
from specmodel.errors import UsageError

MOST_PATH = 30


@guarded
def prove(
    *,
    subject: Subject,
    invariants: list[str] | None = option(
        None,
        "Prove this invariant or transition property. Repeatable. "
        "[default: all that the design checks]",
        "--invariant",
        metavar="NAME",
    ),
    lemmas: list[str] | None = option(
        None,
        "Prove this invariant beside it, as a lemma. Repeatable. "
        "[default: the others that the design checks]",
        "--with",
        metavar="NAME",
    ),
    alone: bool = option(False, "Without any lemma.", "--alone"),
    assume: list[str] | None = option(
        None, "Take this for granted. Repeatable.", "--assume", metavar="NAME"
    ),
    path: int = option(
        1,
        "k-induction: assume K different states in a row to meet the claims.",
        "--path",
        metavar="K",
        min=1,
        max=MOST_PATH,
    ),
    every: list[str] | None = option(
        None,
        "Prove for all values of a constant, from some on. Repeatable.",
        "--every",
        metavar="CONSTANT",
    ),
    drop: bool = option(False, "Give up lemmas that a step can break, and go on.", "--drop"),
    strengthen: bool = option(
        False, "Look for lemmas among simple claims over the state.", "--strengthen"
    ),
    cores: bool = option(False, "Say which lemmas are not needed; takes longer.", "--needed"),
    each: str = option("60s", "Give up a question after this.", "--query-timeout", metavar="TIME"),
    limits: Annotated[Search, "timeout"],
    search: bool = option(
        True,
        "Whether a search looks if counterexamples to induction can be reached.",
        "--search/--no-search",
    ),
    report: Output,
    quiet: NoProgress = False,
    shown: Shown,
) -> int:
    """Prove that invariants hold however long a design runs, by induction.

    Exit codes: 0 proved; 1 not proved: a step breaks a claim, or it is false at the start; 2 wrong
    usage or a mistake in the spec; 3 no answer in the time given, or interrupted.
    """
    from specmodel import api
    from specmodel.cli import settings as parse
    from specmodel.cli.progress import SeriesProgress
    from specmodel.proof.claims import planned
    from specmodel.proof.cutoff import widened
    from specmodel.proof.reach import reach
    from specmodel.views.proof import proof_report
    from specmodel.views.proof_json import proof_json

    if alone and lemmas:
        raise UsageError("--alone means without lemmas: leave out --with")
    design = subject.python_design()
    free = [name.replace("-", "_") for name in every or ()]
    used = () if alone else lemmas
    design = widened(design, planned(design, invariants, used, assume or ()), free)
    view = shown.view(design.spec)
    with SeriesProgress(quiet, "questions") as line:
        proof = api.prove(
            design,
            properties=invariants,
            lemmas=used,
            assumed=assume or (),
            path=path,
            drop=drop,
            cores=cores,
            strengthen=strengthen,
            every=free,
            query_timeout=parse.duration(each),
            **limits.given(),
            progress=line.update,
        )
    wanted = search and bool(proof.failed) and not proof.stopped
    known = reach(design, proof, api.default_workers()) if wanted else None
    report.show(
        json=lambda: proof_json(design, proof, known),
        text=lambda: proof_report(design, proof, known, report.page(view)),
    )
    return EXIT_CODES[proof.verdict]
