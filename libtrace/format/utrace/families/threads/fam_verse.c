/*
 * Samples of the Verse machine (events 8.8, changes-since 3): callstacks of names, innermost first. Those
 * that follow each other are joined to a timeline of calls: what is common from the root on stays open, the
 * rest ends and begins at the time of the sample. Samples come in any order, so they are sorted when all are
 * there.
 */
#include "base/wrap.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

#include <stdlib.h>

enum { BEGIN, END, DURATION, FUNCTION, DEPTH, SAMPLES, SELF, NATIVE, LINE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [BEGIN] = {"start", TK_TIME, 0, NULL, "time of the first sample that contains it"},
    [END] = {"end", TK_TIME, 0, NULL, "time of the first sample without it, or of the last sample"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL, "name; empty if it is not defined"},
    [DEPTH] = {"depth", TK_UINT, 0, NULL, "number of enclosing calls"},
    [SAMPLES] = {"samples", TK_UINT, 0, "samples", "number of samples that contain it"},
    [SELF] = {"excl_samples", TK_UINT, 0, "samples", "samples with it as the innermost call"},
    [NATIVE] = {"native_samples", TK_UINT, 0, "samples", "exclusive samples in native code"},
    [LINE] = {"line", TK_UINT, 0, NULL, "source line of its first exclusive sample"},
};

const struct tk_table tk_ut_table_verse = {
    .name = "verse",
    .help = "calls of Verse functions as seen in samples, outer calls first",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

#define MOST_DEPTH 1024u /* frames of a sample that are looked at */

struct sample {
    int64_t time;
    size_t order, stack; /* of its coming; place of its first frame, root first */
    uint32_t depth, line;
    bool native;
};

struct call {
    uint32_t function, depth, line;
    int64_t begin, end;
    uint64_t samples, self, native;
};

struct state {
    struct tk_ut_id_names names;
    TK_VEC(struct sample) samples;
    TK_VEC(uint32_t) stacks;
};

enum { S_ID, S_NAME };

static int on_string(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_id_names_put(feed, &s->names, ev, tk_ut_u64(ev, S_ID), S_NAME, 2);
}

enum { STACK, CYCLES, S_LINE };

static int keep_verse(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, bool native)
{
    struct tk_bytes stack = tk_ut_bytes(ev, STACK);
    uint32_t depth = stack.n / 4 < MOST_DEPTH ? (uint32_t)(stack.n / 4) : MOST_DEPTH;
    struct sample sample = {.time = tk_ut_since(feed, tk_ut_u64(ev, CYCLES)),
                            .order = s->samples.n,
                            .stack = s->stacks.n,
                            .depth = depth,
                            .line = native ? 0 : (uint32_t)tk_ut_u64(ev, S_LINE),
                            .native = native};
    if (s->samples.n >= feed->capture->ctx->limits.rows ||
        s->stacks.n + depth > 16 * feed->capture->ctx->limits.rows) {
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, ev->offset, 1, "a Verse sample was left out");
        return TK_OK;
    }
    if (stack.n % 4 || stack.n / 4 > MOST_DEPTH)
        tk_ut_bad_payload(feed, ev, "its callstack is too deep, or ends inside a frame");
    for (uint32_t i = depth; i-- > 0;)
        if (tk_vec_push(&s->stacks, tk_load32(stack.p + 4 * (size_t)i)))
            return TK_ENOMEM;
    return tk_vec_push(&s->samples, sample) ? TK_ENOMEM : TK_OK;
}

static int on_sample(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return keep_verse(feed, state, ev, false);
}

static int on_native(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return keep_verse(feed, state, ev, true);
}

/* ---- the timeline ---- */

static int by_time_verse(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    int order = (x->time > y->time) - (x->time < y->time);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

struct timeline {
    TK_VEC(struct call) calls; /* in order of begin, outer ones first */
    size_t open[MOST_DEPTH];   /* places in calls */
    uint32_t n_open;
};

static int add_sample(struct timeline *t, const struct sample *sample, const uint32_t *stacks)
{
    uint32_t same = 0;
    while (same < t->n_open && same < sample->depth &&
           t->calls.v[t->open[same]].function == stacks[sample->stack + same])
        same++;
    for (uint32_t i = same; i < t->n_open; i++)
        t->calls.v[t->open[i]].end = sample->time;
    for (t->n_open = same; t->n_open < sample->depth; t->n_open++) {
        struct call call = {
            .function = stacks[sample->stack + t->n_open], .depth = t->n_open, .begin = sample->time};
        t->open[t->n_open] = t->calls.n;
        if (tk_vec_push(&t->calls, call))
            return TK_ENOMEM;
    }
    for (uint32_t i = 0; i < t->n_open; i++) {
        struct call *call = &t->calls.v[t->open[i]];
        bool inner = i + 1 == t->n_open;
        call->end = sample->time;
        call->samples++;
        if (inner && !call->self && !sample->native)
            call->line = sample->line;
        call->self += inner;
        call->native += inner && sample->native;
    }
    return TK_OK;
}

static int say_verse(struct tk_ut_feed *feed, const struct state *s, const struct call *call)
{
    struct tk_ut_row_key key = TK_UT_ROW_ANY;
    key.timed = true;
    key.begin = call->begin;
    key.end = call->end;
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_verse, key);
    if (!row)
        return TK_ENOMEM;
    row[BEGIN] = tk_cell_of_time(call->begin);
    row[END] = tk_cell_of_time(call->end);
    row[DURATION] = tk_ut_cell_since(BEGIN, tk_wrap_sub(call->end, call->begin));
    row[FUNCTION] = tk_cell_of_nonempty(tk_ut_id_names_get(&s->names, call->function));
    row[DEPTH] = tk_cell_of_uint(call->depth);
    row[SAMPLES] = tk_cell_of_uint(call->samples);
    row[SELF] = tk_cell_of_uint(call->self);
    row[NATIVE] = tk_cell_of_uint(call->native);
    if (call->line)
        row[LINE] = tk_cell_of_uint(call->line);
    return TK_OK;
}

static int finish_verse(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    struct timeline *t = calloc(1, sizeof *t);
    int rc = t ? TK_OK : TK_ENOMEM;
    if (s->samples.n)
        qsort(s->samples.v, s->samples.n, sizeof *s->samples.v, by_time_verse);
    for (size_t i = 0; i < s->samples.n && rc == TK_OK; i++)
        rc = add_sample(t, &s->samples.v[i], s->stacks.v);
    for (size_t i = 0; rc == TK_OK && i < t->calls.n; i++)
        rc = say_verse(feed, s, &t->calls.v[i]);
    if (t)
        tk_vec_release(&t->calls);
    free(t);
    return rc;
}

static void begin_verse(void *state)
{
    struct state *s = state;
    tk_ut_id_names_release(&s->names);
    tk_vec_release(&s->samples);
    tk_vec_release(&s->stacks);
}

static const struct tk_ut_bind binds[] = {
    {"VerseVMSampler.StringEvent", on_string, false, {"Id", "Name"}},
    {"VerseVMSampler.SampleEvent", on_sample, false, {"Callstack", "Cycles", "Line"}},
    {"VerseVMSampler.NativeSampleEvent", on_native, false, {"Callstack", "Cycles"}},
    {"Verse.DeclareString", on_string, false, {"Id", "Name"}},
    {"Verse.BytecodeSample", on_sample, false, {"Callstack", "Cycles", "Line"}},
    {"Verse.NativeSample", on_native, false, {"Callstack", "Cycles"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_verse, NULL};

const struct tk_ut_family tk_ut_fam_verse = {.name = "verse",
                                             .rows = tables,
                                             .binds = binds,
                                             .state = sizeof(struct state),
                                             .begin = begin_verse,
                                             .finish = finish_verse,
                                             .release = begin_verse};
