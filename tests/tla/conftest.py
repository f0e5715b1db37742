"""The tests of TLA+ need its parser, which is an extra."""

import pytest

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")
