"""`specmodel list`: the designs that can be named."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specmodel.cli.guard import HOLDS, WRONG, complain, guarded, remark
from specmodel.cli.options import Form, Format


@guarded
def list_designs(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Look below this folder only.")
    ] = None,
    form: Form = Format.text,
) -> int:
    """List the designs that can be named: in ./models, $SPECMODEL_PATH and those shipped."""
    from specmodel.cli import output as out
    from specmodel.errors import UsageError
    from specmodel.results.plain import json_text, members
    from specmodel.suite.catalog import catalog

    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    found = catalog(None if folder is None else (folder.resolve(),))
    documents = [found.designs[name] for name in sorted(found.designs)]
    verdicts = [d.expect.get("verdict") for d in documents]
    if form is Format.json:
        told = [members(d, "design=name question source file=path") for d in documents]
        rows = [{**row, "expect": verdict} for row, verdict in zip(told, verdicts, strict=True)]
        out.emit([json_text({"designs": rows})])
    else:
        names = max((len(d.name) for d in documents), default=0)
        out.emit(
            f"{d.name:<{names}}  {verdict or '':<8}  {d.question}".rstrip()
            for d, verdict in zip(documents, verdicts, strict=True)
        )
        if not documents and not found.broken:
            remark("no designs found")
    for wrong in found.broken:
        complain(str(wrong))
    return WRONG if found.broken else HOLDS
