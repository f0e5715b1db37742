"""Memory reserved for a search of known size, while the rest of the engine is loaded.

A design's file says how many states it has. Tables with room for these need not grow, and an idle
processor can prepare their memory in time. The host of a virtual machine may take milliseconds for
each huge page, longer than the search takes to fill the page with states.
"""

from __future__ import annotations

import threading

from specmodel.design import Design
from specmodel.engines.native.loop.memory import HUGE_PAGE, Region, fetch
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.ir.layout import Layout
from specmodel.machine.words import WORD
from specmodel.resources import available, processors
from specmodel.results import Options

PART = 8
"""Tables begin with at most this part (1 / PART) of the memory that the search may use."""


def reserve_for(design: Design, options: Options) -> Reserve | None:
    """The reserve for all states of a design, if its file says how many; else None.

    A search that may end early, or that does not keep all states in tables, gets no reserve.
    """
    fewer = options.symmetry or options.partial_order or options.fingerprint or options.compress
    limits = (options.max_depth, options.max_states, options.spill, options.checkpoint)
    if design.states is None or fewer or any(limit is not None for limit in limits):
        return None
    row = Layout(design.spec.domain).words * WORD
    sizes = Sizes.of_search(row, design.states).shared_by(max(1, options.workers))
    tables = [sizes.slots * row] * sizes.shards
    chunks = [HUGE_PAGE] * (1 + sizes.shards)
    most = options.max_memory or available() or 0
    if sizes.table == Sizes.of_search(row).table or PART * sum(tables) > most:
        return None
    try:
        return Reserve(design.states, [*chunks, *tables])
    except (OSError, RuntimeError):
        # Without this memory, or without a thread, the search begins small and grows.
        return None


class Reserve:
    """Regions of memory of these sizes, which a thread prepares until they are taken.

    `states` is the number of states that fit in them.
    """

    def __init__(self, states: int, sizes: list[int]) -> None:
        """Raises OSError if the system has not enough memory."""
        self.states = states
        self._regions = [Region(size, ready=False) for size in sizes]
        self._using = threading.Lock()
        if processors() > 1:
            threading.Thread(target=self._make_ready, name="specmodel_reserve", daemon=True).start()

    def take(self, size: int) -> Region | None:
        """A region of a size, if there is one, with the pages prepared so far."""
        with self._using:
            found = next((region for region in self._regions if region.size == size), None)
            if found is not None:
                self._regions.remove(found)
            return found

    def close(self) -> None:
        """Releases the regions that no table uses."""
        with self._using:
            for region in self._regions:
                region.close()
            self._regions.clear()

    def _make_ready(self) -> None:
        for region in list(self._regions):
            for start in range(0, region.size, HUGE_PAGE):
                with self._using:
                    if region not in self._regions:
                        break
                    fetch(region.address + start, min(HUGE_PAGE, region.size - start))
