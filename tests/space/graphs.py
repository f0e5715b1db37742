"""The graph of a saved space, and of a spec as it is run: states by their canonical place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains.renaming import renamed, renamings_of, scalar_sets
from specmodel.space.files import STATES, TRANSITIONS, VIOLATIONS, RunFiles, read_json
from specmodel.space.manifest import Manifest

Graph = tuple[list[set[int]], Counter[tuple[int, int, int]]]


def rows(folder: Path, kind: str, level: int) -> list[dict[str, Any]]:
    """The rows of a part of a level, by shard."""
    paths = RunFiles(folder).parts(kind, level)
    return [row for path in paths for row in parquet.ParquetFile(path).read().to_pylist()]


def saved_graph(folder: Path) -> Graph:
    """The states of each level, by their place in the canonical order; the steps, by binding."""
    manifest = Manifest.read(folder)
    layout, files = manifest.layout, RunFiles(folder)
    places: dict[int, int] = {-1: -1}
    levels: list[set[int]] = []
    steps: Counter[tuple[int, int, int]] = Counter()
    for level in range(len(files.committed())):
        levels.append(set())
        for row in rows(folder, STATES, level):
            words = [row[f"w{word}"] & ((1 << 64) - 1) for word in range(manifest.words)]
            places[row["id"]] = layout.domain.index(layout.unpack(words))
            levels[-1].add(places[row["id"]])
    for level in range(len(levels)):
        for row in rows(folder, TRANSITIONS, level):
            steps[places[row["source"]], places[row["target"]], row["binding"]] += 1
    return levels, steps


def real_graph(design: Design, symmetric: bool) -> Graph:
    """The same by running the spec."""
    interpreter, domain = Interpreter(design.spec), design.spec.domain
    sets = list(dict.fromkeys(s for s in scalar_sets(domain) if s.symmetric)) if symmetric else []
    renamings = list(renamings_of(sets))

    def place(state: Any) -> int:
        return min(domain.index(renamed(domain, state, renaming)) for renaming in renamings)

    levels = [{place(state) for state in interpreter.initial()}]
    seen = set(levels[0])
    steps: Counter[tuple[int, int, int]] = Counter()
    while levels[-1]:
        found: set[int] = set()
        for source in levels[-1]:
            for number, state in interpreter.successors(domain.at(source)):
                inside = interpreter.inside(state)
                target = place(state) if inside else -1
                steps[source, target, number] += 1
                if inside and target not in seen:
                    found.add(target)
        seen |= found
        levels.append(found)
    return levels[:-1], steps


def told(folder: Path) -> dict[str, Any]:
    """All that a space says, whatever ids its states have."""
    manifest, files = Manifest.read(folder), RunFiles(folder)
    records, layout = files.committed(), manifest.layout
    places: dict[int, int] = {-1: -1}
    for level in range(len(records)):
        for row in rows(folder, STATES, level):
            words = [row[f"w{word}"] & ((1 << 64) - 1) for word in range(manifest.words)]
            places[row["id"]] = layout.domain.index(layout.unpack(words))
    names = [found.name for found in manifest.properties]
    kept = ("states", "generated", "actions", "violations", "expanded")
    return {
        "graph": saved_graph(folder),
        "parents": {
            places[row["id"]]: (places[row["parent"]], row["binding"])
            for level in range(len(records))
            for row in rows(folder, STATES, level)
        },
        "violations": Counter(
            (level, places[row["state"]], names[row["property"]], row["binding"])
            for level in range(len(records))
            for row in rows(folder, VIOLATIONS, level)
        ),
        "records": [{key: record[key] for key in kept} for record in records],
        "verdicts": read_json(files.properties),
    }
