/*
 * Memory tags (events 6.1): trackers, sets of tags, tags, and snapshots of their sizes.
 *
 * A counter is a tag in a tracker, so that the counters of a reading are made as they occur. The names of
 * tags are whole paths. Sizes are as the emitter counts them; nothing is added up here.
 */
#include "base/hash.h"
#include "format/utrace/feed/family_list.h"

enum { TRACKERS = 256 };

struct tag {
    uint64_t id;
    const struct tk_str *name;
    uint8_t set;
};

struct counter {
    uint64_t tag;
    const struct tk_str *said; /* its name when it was said */
    uint8_t tracker;
};

struct state {
    const struct tk_str *trackers[TRACKERS], *sets[TRACKERS];
    struct tk_map tag_index; /* id -> place in tags */
    TK_VEC(struct tag) tags;
    struct tk_map counter_index[TRACKERS]; /* tag -> place in counters; of a reading */
    TK_VEC(struct counter) counters;
};

enum { NUMBER, NAME };

static int on_named(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str **names)
{
    const struct tk_str *name = tk_ut_str(feed, ev, NAME, 1);
    uint64_t number = tk_ut_u64(ev, NUMBER);
    if (!name)
        return TK_ENOMEM;
    if (number < TRACKERS)
        names[number] = name;
    else
        tk_ut_bad_payload(feed, ev, "its number is too large");
    return TK_OK;
}

static int on_tracker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return on_named(feed, ev, ((struct state *)state)->trackers);
}

static int on_set(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return on_named(feed, ev, ((struct state *)state)->sets);
}

enum { TAG_ID, TAG_SET, TAG_NAME };

static int on_tag(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tag tag = {.id = tk_ut_u64(ev, TAG_ID),
                      .name = tk_ut_str(feed, ev, TAG_NAME, 1),
                      .set = (uint8_t)tk_ut_u64(ev, TAG_SET)};
    uint32_t at = tk_map_get(&s->tag_index, tag.id);
    if (!tag.name)
        return TK_ENOMEM;
    if (at != TK_MAP_NONE) {
        s->tags.v[at] = tag;
        return TK_OK;
    }
    if (tk_vec_push(&s->tags, tag) || tk_map_put(&s->tag_index, tag.id, (uint32_t)s->tags.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

/* ---- snapshots ---- */

/* Says what counter number `at` is, as far as that is known now. */
static int say_counter(struct tk_ut_feed *feed, struct state *s, size_t at)
{
    struct counter *counter = &s->counters.v[at];
    uint32_t tag = tk_map_get(&s->tag_index, counter->tag);
    struct tk_fact fact = {
        .kind = TK_FACT_COUNTER, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.counter = (struct tk_fact_counter){
        .id = at, .kind = TK_COUNTER_TAG, .unit = TK_COUNTER_BYTES, .group = s->trackers[counter->tracker]};
    if (tag != TK_MAP_NONE) {
        counter->said = fact.u.counter.name = s->tags.v[tag].name;
        fact.u.counter.text = s->sets[s->tags.v[tag].set];
    }
    return tk_ut_emit(feed, &fact);
}

/* The counter of a tag in a tracker, said at its first use. */
static int find_counter(struct tk_ut_feed *feed, struct state *s, uint8_t tracker, uint64_t tag,
                        uint32_t *out)
{
    struct counter counter = {.tag = tag, .tracker = tracker};
    *out = tk_map_get(&s->counter_index[tracker], tag);
    if (*out != TK_MAP_NONE)
        return TK_OK;
    if (s->counters.n >= feed->capture->ctx->limits.counters) {
        tk_health_limit(&feed->out->health, TK_LIMIT_counters, TK_NO_OFFSET, 1,
                        "the value of a memory tag was left out");
        return TK_OK;
    }
    *out = (uint32_t)s->counters.n;
    if (tk_vec_push(&s->counters, counter) || tk_map_put(&s->counter_index[tracker], tag, *out))
        return TK_ENOMEM;
    return say_counter(feed, s, *out);
}

/* Numbers of an array field, 4 or 8 bytes each as the program has its pointers. */
struct numbers {
    struct tk_bytes bytes;
    size_t width, n;
};

static struct numbers numbers_of(const struct tk_ut_event *ev, unsigned i)
{
    struct numbers v = {.width = 8};
    if (!ev->bound[i])
        return v;
    v.bytes = tk_ut_event_bytes(ev, ev->bound[i]);
    v.width = (size_t)1 << (ev->bound[i]->info & TK_UT_INFO_WIDTH);
    v.n = v.bytes.n / v.width;
    return v;
}

static uint64_t number_at(const struct numbers *v, size_t i)
{
    return tk_load_le(v->bytes.p + i * v->width, v->width);
}

static int64_t signed_at(const struct numbers *v, size_t i)
{
    unsigned shift = (unsigned)(64 - 8 * v->width);
    return (int64_t)(number_at(v, i) << shift) >> shift;
}

enum { TRACKER, CYCLE, TAGS, VALUES };

static int say_value(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint64_t tag,
                     int64_t bytes)
{
    uint8_t tracker = (uint8_t)tk_ut_u64(ev, TRACKER);
    uint32_t counter;
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_TAG_VALUE, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
    int rc = find_counter(feed, s, tracker, tag, &counter);
    if (rc != TK_OK || counter == TK_MAP_NONE)
        return rc;
    fact.u.counter_value =
        (struct tk_fact_counter_value){.id = counter, .op = TK_COUNTER_SET, .number.v.i = bytes};
    return tk_ut_emit(feed, &fact);
}

static int on_values(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct numbers tags = numbers_of(ev, TAGS), values = numbers_of(ev, VALUES);
    size_t n = tags.n < values.n ? tags.n : values.n;
    int rc = TK_OK;
    if (tags.n != values.n)
        tk_ut_bad_payload(feed, ev, "it does not have as many values as tags");
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = say_value(feed, state, ev, number_at(&tags, i), signed_at(&values, i));
    return rc;
}

static void begin_llm(void *state)
{
    struct state *s = state;
    for (size_t i = 0; i < TRACKERS; i++)
        tk_map_release(&s->counter_index[i]);
    s->counters.n = 0;
}

/* Tags that were defined, or defined anew, after their first value. */
static int finish_llm(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    for (size_t i = 0; i < s->counters.n && rc == TK_OK; i++) {
        uint32_t tag = tk_map_get(&s->tag_index, s->counters.v[i].tag);
        if (tag != TK_MAP_NONE && s->tags.v[tag].name != s->counters.v[i].said)
            rc = say_counter(feed, s, i);
    }
    return rc;
}

static void release_llm(void *state)
{
    struct state *s = state;
    begin_llm(state);
    tk_map_release(&s->tag_index);
    tk_vec_release(&s->tags);
    tk_vec_release(&s->counters);
}

static const struct tk_ut_bind binds[] = {
    {"LLM.TrackerSpec", on_tracker, true, {"TrackerId", "Name"}},
    {"LLM.TagSetSpec", on_set, true, {"TagSetId", "Name"}},
    {"LLM.TagsSpec", on_tag, true, {"TagId", "TagSetId", "Name"}},
    {"LLM.TagValue", on_values, false, {"TrackerId", "Cycle", "Tags", "Values"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_llm = {.name = "llm",
                                           .facts = TK_FACT_MASK(TAG_VALUE),
                                           .binds = binds,
                                           .state = sizeof(struct state),
                                           .begin = begin_llm,
                                           .finish = finish_llm,
                                           .release = release_llm};
