/*
 * Kafka replication of one partition under KIP-320 fencing, for SPIN.
 *
 * Parameters, given to spin with -D: REPLICAS (2 to 4), LOG_SIZE (1 to 4), MAX_RECORDS and
 * MAX_LEADER_EPOCH (at most 15 possible records, at most 7 epochs).
 *
 * One process, one option of its loop for each binding of an action, one d_step for each option:
 * every step of SPIN is one step of the protocol and no state exists between two of them.
 * The states are as narrow as SPIN can hold them, one 32-bit word a replica, because hashing and
 * comparing states is most of SPIN's work.
 *
 * How values are written:
 *   a leader is 0 for none and r + 1 for replica r, an epoch is 0 for none and e + 1 for epoch e,
 *   so that the initial state is all zero but for the ISR;
 *   an ISR is a bit mask;
 *   a record is 1 + id * epochs + epoch, four bits wide, 0 where the log holds nothing;
 *   the epoch of the quorum is always the last epoch issued, so it has no variable of its own;
 *   request[e] is leader + 8 * ISR of the LeaderAndIsr request of epoch e, 0 if not yet sent.
 */

#if REPLICAS < 2 || REPLICAS > 4 || LOG_SIZE < 1 || LOG_SIZE > 4
#error "REPLICAS must be 2 to 4 and LOG_SIZE 1 to 4"
#endif
#define EPOCHS (MAX_LEADER_EPOCH + 1)
#if MAX_RECORDS * EPOCHS > 15 || EPOCHS > 7
#error "MAX_RECORDS * (MAX_LEADER_EPOCH + 1) must be at most 15, MAX_LEADER_EPOCH at most 6"
#endif

#define ALL ((1 << REPLICAS) - 1)
#define BIT(r) (1 << (r))

typedef Replica {
    unsigned hw : 3;
    unsigned epoch : 3;
    unsigned leader : 3;
    unsigned isr : 4;
    unsigned end : 3;
    unsigned log : 16
}

Replica replica[REPLICAS];
byte request[EPOCHS];
unsigned quorum_leader : 3;
unsigned quorum_isr : 4 = ALL;
unsigned issued_epochs : 3;
unsigned issued_ids : 4;

/* Only used within a step: not part of the state. */
hidden byte point;

#define RECORD_AT(r, offset) ((replica[r].log >> (4 * (offset))) & 15)
#define EPOCH_OF(record) (((record) - 1) % EPOCHS + 1)

#define PRESUMES(l) (replica[l].leader == (l) + 1)
#define FOLLOWS_EPOCH(l, f) \
    (replica[f].leader == (l) + 1 && replica[f].epoch == replica[l].epoch)
#define TRUE_LEADER(l) \
    (quorum_leader == (l) + 1 && PRESUMES(l) && replica[l].epoch == issued_epochs)

/* Controller */

#define NEW_EPOCH(l, members) \
    quorum_leader = l; \
    quorum_isr = members; \
    request[issued_epochs] = quorum_leader + 8 * quorum_isr; \
    issued_epochs++

#define CONTROLLER_ELECT(r) \
    :: d_step { \
        issued_epochs < EPOCHS && (quorum_isr & BIT(r)) && quorum_leader != (r) + 1 -> \
        NEW_EPOCH((r) + 1, quorum_isr) \
    }

/* A leader that leaves takes the leadership with it; the last member stays in the ISR. */
#define CONTROLLER_SHRINK(r) \
    :: d_step { \
        issued_epochs < EPOCHS && quorum_leader == (r) + 1 -> \
        NEW_EPOCH(0, (quorum_isr == BIT(r) -> quorum_isr : quorum_isr & ~BIT(r))) \
    } \
    :: d_step { \
        issued_epochs < EPOCHS && quorum_leader != (r) + 1 && (quorum_isr & BIT(r)) -> \
        NEW_EPOCH(quorum_leader, quorum_isr & ~BIT(r)) \
    }

/* Replicas and the LeaderAndIsr requests, which are never consumed */

#define REQUESTED(e) (request[e] & 7)
#define BECOME_LEADER(e) \
    :: d_step { \
        REQUESTED(e) && replica[REQUESTED(e) - 1].epoch < (e) + 1 -> \
        point = REQUESTED(e) - 1; \
        replica[point].epoch = (e) + 1; \
        replica[point].leader = point + 1; \
        replica[point].isr = request[e] >> 3 \
    }

/* One more than the last offset at which both logs hold the same record, else 0. */
#define SAME_AT(a, b, o) (RECORD_AT(a, o) && RECORD_AT(a, o) == RECORD_AT(b, o))
#define DIVERGES_1(a, b) (SAME_AT(a, b, 0) -> 1 : 0)
#define DIVERGES_2(a, b) (SAME_AT(a, b, 1) -> 2 : DIVERGES_1(a, b))
#define DIVERGES_3(a, b) (SAME_AT(a, b, 2) -> 3 : DIVERGES_2(a, b))
#define DIVERGES_4(a, b) (SAME_AT(a, b, 3) -> 4 : DIVERGES_3(a, b))
#if LOG_SIZE == 1
#define DIVERGES DIVERGES_1
#elif LOG_SIZE == 2
#define DIVERGES DIVERGES_2
#elif LOG_SIZE == 3
#define DIVERGES DIVERGES_3
#else
#define DIVERGES DIVERGES_4
#endif

#define BECOME_FOLLOWER(f, e) \
    :: d_step { \
        replica[f].epoch < (e) + 1 && REQUESTED(e) && REQUESTED(e) != (f) + 1 \
        && replica[REQUESTED(e) - 1].epoch == (e) + 1 \
        && replica[REQUESTED(e) - 1].leader == REQUESTED(e) -> \
        point = DIVERGES(REQUESTED(e) - 1, f); \
        replica[f].log = replica[f].log & ((1 << (4 * point)) - 1); \
        replica[f].end = point; \
        replica[f].hw = (replica[f].hw < point -> replica[f].hw : point); \
        replica[f].epoch = (e) + 1; \
        replica[f].leader = REQUESTED(e); \
        replica[f].isr = request[e] >> 3 \
    }

/* Records and the high watermark */

#define WRITE(l) \
    :: d_step { \
        PRESUMES(l) && issued_ids < MAX_RECORDS && replica[l].end < LOG_SIZE -> \
        replica[l].log = replica[l].log \
            | ((issued_ids * EPOCHS + replica[l].epoch) << (4 * replica[l].end)); \
        replica[l].end++; \
        issued_ids++ \
    }

#define FETCH(l, f) \
    :: d_step { \
        PRESUMES(l) && FOLLOWS_EPOCH(l, f) && replica[f].end < replica[l].end -> \
        replica[f].log = replica[f].log | (replica[l].log & (15 << (4 * replica[f].end))); \
        replica[f].end++; \
        replica[f].hw = (replica[l].hw < replica[f].end -> replica[l].hw : replica[f].end) \
    }

#define ACKNOWLEDGES(l, f) \
    && (!(replica[l].isr & BIT(f)) \
        || (FOLLOWS_EPOCH(l, f) && replica[f].end > replica[l].hw))
#define INC_HIGH_WATERMARK(l) \
    :: d_step { \
        PRESUMES(l) && replica[l].hw < replica[l].end EACH_WITH(ACKNOWLEDGES, l) -> \
        replica[l].hw++ \
    }

/* Changes of the ISR by the true leader, without a new epoch */

#define LEADER_SHRINK(l, f) \
    :: d_step { \
        TRUE_LEADER(l) && (replica[l].isr & BIT(f)) \
        && (!FOLLOWS_EPOCH(l, f) || replica[f].end < replica[l].end) -> \
        replica[l].isr = replica[l].isr & ~BIT(f); \
        quorum_isr = replica[l].isr \
    }

#define REACHED_EPOCH(l) \
    (replica[l].hw == replica[l].end \
     || EPOCH_OF(RECORD_AT(l, replica[l].hw)) == replica[l].epoch)
#define LEADER_EXPAND(l, f) \
    :: d_step { \
        TRUE_LEADER(l) && !(replica[l].isr & BIT(f)) && FOLLOWS_EPOCH(l, f) \
        && replica[f].end >= replica[l].hw && REACHED_EPOCH(l) -> \
        replica[l].isr = replica[l].isr | BIT(f); \
        quorum_isr = replica[l].isr \
    }

/* WeakIsr looks at the ISR the presumed leader knows, StrongIsr at that of the quorum: every
   member holds the leader's record at each offset below the leader's high watermark. Written as
   one option of the loop, they are evaluated once a state, not once a transition. */

#define BELOW_HW(l) ((1 << (4 * replica[l].hw)) - 1)
#define AGREES(l, f) \
    && (!((replica[l].isr | quorum_isr) & BIT(f)) \
        || !((replica[l].log ^ replica[f].log) & BELOW_HW(l)))
#define HOLDS(l) \
    && (!PRESUMES(l) || (replica[l].hw <= replica[l].end EACH_WITH(AGREES, l)))

/* The bindings */

#if REPLICAS == 2
#define EACH(a) a(0) a(1)
#define EACH_WITH(a, x) a(x, 0) a(x, 1)
#define EACH_PAIR(a) a(0, 1) a(1, 0)
#elif REPLICAS == 3
#define EACH(a) a(0) a(1) a(2)
#define EACH_WITH(a, x) a(x, 0) a(x, 1) a(x, 2)
#define EACH_PAIR(a) a(0, 1) a(0, 2) a(1, 0) a(1, 2) a(2, 0) a(2, 1)
#else
#define EACH(a) a(0) a(1) a(2) a(3)
#define EACH_WITH(a, x) a(x, 0) a(x, 1) a(x, 2) a(x, 3)
#define EACH_PAIR(a) \
    a(0, 1) a(0, 2) a(0, 3) a(1, 0) a(1, 2) a(1, 3) a(2, 0) a(2, 1) a(2, 3) a(3, 0) a(3, 1) a(3, 2)
#endif

#define OF_EPOCH(e) \
    BECOME_LEADER(e) BECOME_FOLLOWER(0, e) BECOME_FOLLOWER(1, e) OF_EPOCH_3(e) OF_EPOCH_4(e)
#if REPLICAS > 2
#define OF_EPOCH_3(e) BECOME_FOLLOWER(2, e)
#else
#define OF_EPOCH_3(e)
#endif
#if REPLICAS > 3
#define OF_EPOCH_4(e) BECOME_FOLLOWER(3, e)
#else
#define OF_EPOCH_4(e)
#endif

active proctype partition() {
    end:
    do
    :: d_step { !(true EACH(HOLDS)) -> assert(false) }
    EACH(CONTROLLER_ELECT)
    EACH(CONTROLLER_SHRINK)
    OF_EPOCH(0)
#if MAX_LEADER_EPOCH > 0
    OF_EPOCH(1)
#endif
#if MAX_LEADER_EPOCH > 1
    OF_EPOCH(2)
#endif
#if MAX_LEADER_EPOCH > 2
    OF_EPOCH(3)
#endif
#if MAX_LEADER_EPOCH > 3
    OF_EPOCH(4)
#endif
#if MAX_LEADER_EPOCH > 4
    OF_EPOCH(5)
#endif
#if MAX_LEADER_EPOCH > 5
    OF_EPOCH(6)
#endif
    EACH_PAIR(LEADER_EXPAND)
    EACH_PAIR(LEADER_SHRINK)
    EACH(WRITE)
    EACH(INC_HIGH_WATERMARK)
    EACH_PAIR(FETCH)
    od
}
