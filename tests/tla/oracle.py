"""Has TLC check the modules beside this.

    python -m tests.tla.oracle CLASSPATH

writes `tlc.json` anew: for each configuration the verdict, and the numbers of states if all were
searched, or the length of the trace.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MODULES = Path(__file__).resolve().parent / "modules"
RESULTS = Path(__file__).resolve().parent / "tlc.json"


def configurations() -> list[Path]:
    """The configurations, each of the module whose name is before the first dash."""
    return sorted(MODULES.glob("*.cfg"))


def module_of(configuration: Path) -> Path:
    """The module of a configuration."""
    return MODULES / f"{configuration.stem.partition('-')[0]}.tla"


def judged(configuration: Path, classpath: str) -> dict[str, Any]:
    """What TLC says of a configuration."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-XX:+UseSerialGC", "-cp", classpath, "tlc2.TLC", "-workers", "1"]
        # The version of TLC that was used knows no CHECK_DEADLOCK.
        given = Path(folder) / "given.cfg"
        text = configuration.read_text()
        given.write_text(text.replace("CHECK_DEADLOCK FALSE\n", ""))
        command += ["-deadlock"] if "CHECK_DEADLOCK FALSE" in text else []
        command += ["-metadir", folder, "-config", str(given), module_of(configuration).name]
        said = subprocess.run(command, cwd=MODULES, capture_output=True, text=True).stdout
    found = re.search(r"(\d+) states generated, (\d+) distinct states found", said)
    depth = re.search(r"depth of the complete state graph search is (\d+)", said)
    if "No error has been found" in said and found:
        return {
            "verdict": "holds",
            "generated": int(found[1]),
            "distinct": int(found[2]),
            "depth": int(depth[1]) if depth else 0,
        }
    error = re.search(r"Error: (.*)", said)
    states = len(re.findall(r"^State \d+:", said, re.M))
    return {"verdict": "violated", "states": states, "error": error[1] if error else said[-300:]}


def main(classpath: str) -> None:
    """Writes the file."""
    found = {path.stem: judged(path, classpath) for path in configurations()}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
