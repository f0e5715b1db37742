"""Where things are in the struct of a shard, and what the steps of the search core end with.

A shard is a struct of 64-bit words whose fields are numbered here; Python owns it. AHEAD, BLOCK and
LANES say how large the buffers are that it points to.
"""

from __future__ import annotations

AHEAD = 32
"""Buckets whose lines are under way while another is looked into."""

SOON = 8
"""Buckets before its turn, one is looked at: if it is full, the line of the next is asked for."""

# Where each field of a shard is.
TABLE = 0
CAPACITY = 1
USED = 2
MOST = 3
TAG = 4
STATE_MASK = 5
SHARDS = 6
OWN = 7
EXPAND = 8
KEEP = 9
CANON = 10
CONTEXT = 11
IN = 12
IN_AT = 13
IN_END = 14
CHUNK = 15
OUT = 16
OUT_LIMIT = 17
STRIDE = 18
STAGE = 19
HASHES = 20
BATCH = 21
BATCH_STRIDE = 22
BATCH_AT = 23
BATCH_END = 24
FRESH = 25
FRESH_COUNT = 26
ROUTES = 27
GENERATED = 28
SCAN = 29
SCAN_AT = 30
SCAN_END = 31
SCAN_TAG = 32
TARGET = 33
FOUND = 34
BEST = 35
SINGLE = 36
SCRATCH = 37
BUCKETS = 38
POOL = 39
INBOXES = 40
FILLED = 41
IN_RUNS = 42
INPUT = 43
INPUT_CHUNK = 44
INPUT_COUNT = 45
LEVEL = 46
FRONTIERS = 47
CHECK = 48
SURVEY = 49
RECORDS = 50
RECORDS_END = 51
PHASE = 52
TURN = 53
TAG_STEP = 54
LOOKS = 55
CHECKED = 56
SAMPLE = 57
LEVEL_AT = 58
UNREAD = 59
CROWD = 60
CENSUS = 61
FIELDS = 62

# What the input is, beside states whose owner is elsewhere: a share of a frontier, or a chunk that
# came in.
SHARE = 1
RECEIVED = 2

# A route: where states for one shard go, how many are there, and the distance between columns.
ROUTE = 3
ROUTE_COUNT = 1
ROUTE_STRIDE = 2

# What a step ends with.
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

# The kernel's context.
COUNT = 0
STATUS = 1

BLOCK = 512
LANES = 8
