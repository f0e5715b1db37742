"""`specmodel list`: the designs that can be named."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli.groups import argument
from specmodel.cli.guard import HOLDS, WRONG, complain, guarded, remark
from specmodel.cli.options import Format
from specmodel.errors import UsageError


@guarded
def list_designs(
    folder: Path | None = argument("[FOLDER]", "Look below this folder only.", default=None),
    *,
    report: Format,
) -> int:
    """List the designs that can be named: in ./models, $SPECMODEL_PATH and those shipped."""
    from specmodel.results.plain import json_text, members
    from specmodel.suite.catalog import catalog

    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    found = catalog(None if folder is None else (folder.resolve(),))
    listed = [found.designs[name] for name in sorted(found.designs)]
    rows = [
        {**members(d, "design=name question source file=path"), "expect": d.expect.get("verdict")}
        for d in listed
    ]
    names = max((len(d.name) for d in listed), default=0)
    report.show(
        json=lambda: json_text({"designs": rows}),
        text=lambda: (
            f"{d.name:<{names}}  {d.expect.get('verdict', ''):<8}  {d.question}".rstrip()
            for d in listed
        ),
    )
    if not listed and not found.broken and report.form.value == "text":
        remark("no designs found")
    for wrong in found.broken:
        complain(str(wrong))
    return WRONG if found.broken else HOLDS
