"""The structure of a shard, and the results of the steps of the search core.

Python owns the structure. AHEAD, BLOCK and LANES give the sizes of the buffers that the structure
points to.
"""

from __future__ import annotations

from specmodel.machine.language import Structure, i64

AHEAD = 32
"""The number of buckets whose cache lines are fetched ahead of the present lookup."""

SOON = 8
"""A bucket is inspected this number of places ahead: if it is full, the cache line of the next
bucket is fetched.
"""


class ShardWords(Structure):
    """A shard, as machine code sees it."""

    table: i64
    capacity: i64
    used: i64
    most: i64
    tag: i64
    state_mask: i64
    shards: i64
    own: i64
    expand: i64
    keep: i64
    canon: i64
    context: i64
    in_columns: i64
    in_at: i64
    in_end: i64
    chunk: i64
    out: i64
    out_limit: i64
    stride: i64
    stage: i64
    hashes: i64
    batch: i64
    batch_stride: i64
    batch_at: i64
    batch_end: i64
    fresh: i64
    fresh_count: i64
    routes: i64
    generated: i64
    scan: i64
    scan_at: i64
    scan_end: i64
    scan_tag: i64
    target: i64
    found: i64
    best: i64
    single: i64
    scratch: i64
    buckets: i64
    pool: i64
    inboxes: i64
    filled: i64
    in_runs: i64
    input: i64
    input_chunk: i64
    input_count: i64
    level: i64
    frontiers: i64
    check: i64
    totals: i64
    records: i64
    records_end: i64
    phase: i64
    turn: i64
    tag_step: i64
    looks: i64
    checked: i64
    sample: i64
    level_at: i64
    unread: i64
    crowd: i64
    profile: i64


class Route(Structure):
    """The buffer of states for a shard: columns, their distance in words, the number of states."""

    columns: i64
    count: i64
    stride: i64


# The kinds of input other than states of any owner: a share of a frontier, or a received chunk.
SHARE = 1
RECEIVED = 2

# The results of a step.
DONE = 0
FRESH_FULL = 1
TABLE_FULL = 2
NO_CHUNK = 3
KERNEL = 4
STUCK = 5
WAITING = 6
ENDED = 7
UNSETTLED = 8
MORE_IN_RUNS = 9

BLOCK = 512
