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
SCAN = 57
SCAN_AT = 29
SCAN_END = 58
SCAN_TAG = 30
TARGET = 31
FOUND = 32
BEST = 33
SINGLE = 34
SCRATCH = 35
BUCKETS = 36
POOL = 37
INBOXES = 38
FILLED = 39
IN_RUNS = 40
INPUT = 41
INPUT_CHUNK = 42
INPUT_COUNT = 43
LEVEL = 44
FRONTIERS = 45
CHECK = 46
SURVEY = 47
RECORDS = 48
RECORDS_END = 49
PHASE = 50
TURN = 51
TAG_STEP = 52
LOOKS = 53
CHECKED = 54
SAMPLE = 55
LEVEL_AT = 56
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
MORE = 6
WAITING = 7
ENDED = 8
UNSETTLED = 9
MORE_IN_RUNS = 10

# The kernel's context.
COUNT = 0
STATUS = 1

BLOCK = 512
LANES = 8
