"""Plays scenarios and counterexamples of the client designs to all clients, and writes a page.

    python -m specmodel.conformance.kafka docs/conformance/clients.md [--repeat N] [--jobs N]

A play takes 6 to 30 s, and there are 228. Clients that are not there are named as such.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from specmodel.conformance.kafka.commands import exit_code
from specmodel.conformance.kafka.table import TABLES, played_table, table_page
from specmodel.files import cannot


def main(words: Sequence[str]) -> int:
    """Plays, and writes the page. Returns 0.

    Raises UsageError before anything is played if the page cannot be written.
    """
    parser = argparse.ArgumentParser(prog="python -m specmodel.conformance.kafka")
    parser.add_argument("page", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--transcripts", type=Path, help="leave the transcripts here")
    given = parser.parse_args(words)
    with cannot(f"write {given.page}"):
        given.page.touch()
    tables = [played_table(title, given.repeat, given.jobs, given.transcripts) for title in TABLES]
    text = "\n".join(table_page(tables, given.repeat))
    given.page.write_text(f"{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main, sys.argv[1:]))
