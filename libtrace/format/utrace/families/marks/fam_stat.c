/*
 * Statistics of the engine (events 4.2): definitions, and batches of changes.
 *
 * A batch is a series of entries:
 *
 *   varint  id << 3 | operation
 *   varint  cycles since the entry before
 *   value   zigzag varint (2, 3), double (4, 5), nothing (0, 1)
 *
 * EventBatch counts its cycles on from 0 for as long as its thread lives; EventBatch2 begins at 0 in each
 * batch, so that its first difference is the time itself. A batch of one thread can come long after those of
 * others that it overlaps in time.
 */
#include "base/hash.h"
#include "format/utrace/feed/family_list.h"

#include <string.h>

enum { INCREMENT, DECREMENT, ADD_INT, SET_INT, ADD_REAL, SET_REAL, OPERATIONS };

struct state {
    struct tk_map threads;   /* thread -> place in clocks; of a reading, like clocks */
    TK_VEC(uint64_t) clocks; /* of EventBatch: cycles so far */
};

enum { ID, REAL, MEMORY, CLEARS, NAME, TEXT, GROUP };

/* Up to 4.25 both texts are attached: a narrow name, NUL, and a wide description. */
static int texts(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_fact_counter *counter)
{
    struct tk_intern *strings = &feed->capture->strings;
    const uint8_t *p = ev->attachment;
    size_t n = ev->n_attachment, name = 0;
    if (tk_ut_has(ev, NAME)) {
        counter->name = tk_ut_str(feed, ev, NAME, 1);
        counter->text = tk_ut_str(feed, ev, TEXT, 2);
    } else {
        while (name < n && p[name])
            name++;
        size_t text = name < n ? name + 1 : n;
        counter->name = tk_ut_text(strings, p, name, 1);
        counter->text = tk_ut_text(strings, n ? p + text : p, n - text, 2);
    }
    if (tk_ut_has(ev, GROUP))
        counter->group = tk_ut_str(feed, ev, GROUP, 1);
    return counter->name && counter->text && (counter->group || !tk_ut_has(ev, GROUP)) ? TK_OK : TK_ENOMEM;
}

static int on_spec_stat(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_COUNTER, 0);
    (void)state;
    fact.thread = TK_NO_THREAD;
    fact.seq = TK_NO_SEQ;
    fact.u.counter = (struct tk_fact_counter){
        .id = tk_ut_u64(ev, ID),
        .kind = TK_COUNTER_STAT,
        .unit = tk_ut_u64(ev, MEMORY) ? TK_COUNTER_BYTES : TK_COUNTER_NUMBER,
        .real = tk_ut_u64(ev, REAL) != 0,
        .clears = tk_ut_u64(ev, CLEARS) != 0,
    };
    return texts(feed, ev, &fact.u.counter) == TK_OK ? tk_ut_define(feed, &fact) : TK_ENOMEM;
}

static struct tk_number whole(int64_t i)
{
    return (struct tk_number){.v.i = i};
}

static struct tk_number zigzag(struct tk_cur *c)
{
    uint64_t z = tk_varint(c, "a value");
    return whole((int64_t)(z >> 1 ^ (0 - (z & 1))));
}

static struct tk_number real(struct tk_cur *c)
{
    struct tk_number number = {.real = true};
    uint64_t bits = tk_u64(c, "a value");
    memcpy(&number.v.r, &bits, sizeof bits);
    return number;
}

/* False where there is no such operation. */
static bool operand(struct tk_cur *c, unsigned operation, struct tk_fact_counter_value *out)
{
    if (operation >= OPERATIONS)
        return false;
    if (operation == INCREMENT || operation == DECREMENT)
        out->number = whole(operation == INCREMENT ? 1 : -1);
    else
        out->number = operation == ADD_INT || operation == SET_INT ? zigzag(c) : real(c);
    out->op = operation == SET_INT || operation == SET_REAL ? TK_COUNTER_SET : TK_COUNTER_ADD;
    return true;
}

/* When an entry is, from its difference and the time of the one before. */
typedef uint64_t time_fn(const struct tk_ut_feed *feed, uint64_t before, uint64_t difference);

static uint64_t running(const struct tk_ut_feed *feed, uint64_t before, uint64_t difference)
{
    (void)feed;
    return before + difference;
}

/* A difference that is a time of the recording, and not before the last one, is a time: buffers that were put
 * together begin at 0 again. */
static uint64_t restarting(const struct tk_ut_feed *feed, uint64_t before, uint64_t difference)
{
    uint64_t start = feed->capture->clock.start;
    return start && difference >= start && difference >= before ? difference : before + difference;
}

/* Says the entries of a batch; *clock is the time before and then after it. */
static int say_batch(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t thread,
                     struct tk_bytes data, time_fn *time, uint64_t *clock)
{
    struct tk_cur c = tk_cur_of(data.p, data.n);
    int rc = TK_OK;
    while (tk_cur_left(&c) && rc == TK_OK) {
        struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_STAT_VALUE, 0);
        uint64_t head = tk_varint(&c, "an id"), difference = tk_varint(&c, "a time");
        uint64_t at = time(feed, *clock, difference);
        fact.u.counter_value.id = head >> 3;
        fact.thread = thread;
        fact.time = tk_ut_since(feed, at);
        bool known = operand(&c, (unsigned)(head & 7), &fact.u.counter_value);
        if (!known || !tk_cur_ok(&c)) {
            tk_ut_bad_payload(feed, ev,
                              known ? "its entries are cut off" : "an entry has no known operation");
            return TK_OK;
        }
        *clock = at;
        rc = tk_ut_emit(feed, &fact);
    }
    return rc;
}

enum { DATA, THREAD };

static uint32_t thread_of_stat(const struct tk_ut_event *ev)
{
    uint32_t id = (uint32_t)tk_ut_u64(ev, THREAD);
    return id ? id | TK_UT_OS_THREAD : ev->tid;
}

static int on_batch2(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint64_t clock = 0;
    (void)state;
    return say_batch(feed, ev, thread_of_stat(ev), tk_ut_bytes(ev, DATA), restarting, &clock);
}

/* The clock of a thread, or NULL if out of memory. */
static uint64_t *clock_of(struct state *s, uint32_t thread)
{
    uint32_t at = tk_map_get(&s->threads, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)s->clocks.n;
        if (tk_vec_push(&s->clocks, 0) || tk_map_put(&s->threads, thread, at))
            return NULL;
    }
    return &s->clocks.v[at];
}

/* The first difference of a batch, 0 where there is none. */
static uint64_t first_difference(struct tk_bytes data)
{
    struct tk_cur c = tk_cur_of(data.p, data.n);
    tk_varint(&c, "an id");
    return tk_varint(&c, "a time");
}

/* Where the first batches of a thread are not in the recording, nothing says what its times count from: they
 * are put at its start. */
static void mend_clock(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_bytes data,
                       uint64_t *clock)
{
    uint64_t start = feed->capture->clock.start, first = first_difference(data);
    if (*clock || !data.n || first >= start / 2)
        return;
    tk_health_note(&feed->out->health, TK_HEALTH_TIME_UNRELIABLE, ev->offset, 1,
                   "the first statistics of thread %u are missing, the times of the others are unknown",
                   thread_of_stat(ev));
    *clock = start - first;
}

static int on_batch(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint64_t *clock = clock_of(state, thread_of_stat(ev));
    struct tk_bytes data = tk_ut_bytes(ev, DATA);
    if (!clock)
        return TK_ENOMEM;
    mend_clock(feed, ev, data, clock);
    return say_batch(feed, ev, thread_of_stat(ev), data, running, clock);
}

static void begin_stat(void *state)
{
    struct state *s = state;
    tk_map_release(&s->threads);
    s->clocks.n = 0;
}

static void release_stat(void *state)
{
    struct state *s = state;
    tk_map_release(&s->threads);
    tk_vec_release(&s->clocks);
}

static const struct tk_ut_bind binds[] = {
    {"Stats.Spec",
     on_spec_stat,
     true,
     {"Id", "IsFloatingPoint", "IsMemory", "ShouldClearEveryFrame", "Name", "Description", "Group"}},
    {"Stats.EventBatch", on_batch, false, {"Data", "ThreadId"}},
    {"Stats.EventBatch2", on_batch2, false, {"Data", "ThreadId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_stat = {.name = "stat",
                                            .facts = TK_FACT_MASK(STAT_VALUE),
                                            .binds = binds,
                                            .state = sizeof(struct state),
                                            .begin = begin_stat,
                                            .release = release_stat};
