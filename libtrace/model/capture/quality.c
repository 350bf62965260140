/*
 * Table `quality`: conditions that distort times: stalls, lost events, late starts: stalls of the recorder
 * inside it, channels that are off or were switched off, events that were lost, threads with missing bytes or
 * with a clock that went backwards. Nothing of that is damage of the file.
 */
#include "base/wrap.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

enum { KIND, SUBJECT, START, COUNT, TOTAL, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [KIND] = {"kind", TK_TEXT, 0, NULL, "stall, channel, lost, gap, open, clock or overlap"},
    [SUBJECT] = {"subject", TK_TEXT, 0, NULL, "thread or channel concerned"},
    [START] = {"start", TK_TIME, 0, NULL, "stalls: start of the longest"},
    [COUNT] = {"count", TK_UINT, 0, NULL, "number of occurrences"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "stalls: total duration inside the selection"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "effect on the figures"},
};

static const struct tk_table table = {
    .name = "quality",
    .schema = 2,
    .help = "conditions that distort times: stalls, lost events, late starts",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_WHOLE,
};

/* Channels without which the tables about time are not what people expect. */
static const struct {
    const char *name, *text;
} needed[] = {
    {"cpu", "it is off: scopes are missing"},
    {"frame", "it is off: frames are missing"},
};

struct lane {
    uint32_t thread;
    uint64_t cut, open, raised, yielded;
};

struct quality {
    const struct tk_query_context *view;
    uint64_t stalls, lost;
    int64_t stalled, longest, longest_at;
    TK_VEC(struct lane) lanes;
};

static int open_quality(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct quality *q = calloc(1, sizeof *q);
    (void)builder;
    (void)wanted;
    if (!q)
        return tk_err_nomem(err, "the quality of a capture");
    q->view = view;
    *self = q;
    return TK_OK;
}

static void see_stall(struct quality *q, int64_t begin, int64_t end)
{
    const struct tk_select *select = q->view->select;
    if (end < begin || !tk_select_touches(select, begin, end))
        return;
    int64_t length = tk_wrap_sub(tk_select_before(select, end), tk_select_before(select, begin));
    if (!q->stalls || length > q->longest) {
        q->longest = length;
        q->longest_at = begin;
    }
    q->stalls++;
    q->stalled = tk_wrap_add(q->stalled, length);
}

static int feed_quality(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct quality *q = self;
    (void)emit;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_STALL)
            see_stall(q, fact->time, fact->u.stall.end);
        else if (fact->kind == TK_FACT_GAP)
            q->lost += fact->u.gap.last - fact->seq + 1;
    }
    return TK_OK;
}

static int lane_quality(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct quality *q = self;
    struct lane l = {end->thread, end->cut, end->n_lost - end->cut, end->raised, end->yielded};
    if (end->kind != TK_LANE_THREAD || (!l.raised && !l.cut && !l.open && !l.yielded) ||
        !tk_select_touches(q->view->select, end->first, end->last) ||
        !tk_select_thread(q->view->select, q->view->dict, end->thread))
        return TK_OK;
    return tk_vec_push(&q->lanes, l) ? tk_err_nomem(err, "the quality of a capture") : TK_OK;
}

/* ---- rows ---- */

static struct tk_cell *begin_row(struct tk_emit *emit, const char *kind, uint64_t count, const char *text)
{
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return NULL;
    row[KIND] = tk_cell_of_c(kind);
    row[COUNT] = tk_cell_of_uint(count);
    row[TEXT] = tk_cell_of_c(text);
    return row;
}

static void send_stalls(const struct quality *q, struct tk_emit *emit)
{
    struct tk_cell *row = q->stalls ? begin_row(emit, "stall", q->stalls,
                                                "the recorder stalled the program: times include that")
                                    : NULL;
    if (!row)
        return;
    row[START] = tk_query_context_time(q->view, q->longest_at);
    row[TOTAL] = tk_query_context_span(q->view, q->stalled);
}

static void send_lost(const struct quality *q, struct tk_emit *emit)
{
    if (q->lost)
        begin_row(emit, "lost", q->lost,
                  "events were recorded but are missing from the capture: any figure may be incomplete");
}

static bool is_channel(const struct tk_str *name, const char *known)
{
    size_t n = strlen(known);
    bool plural = name->n == n + 1 && (name->p[n] | 0x20) == 's';
    for (size_t i = 0; i < n && i < name->n; i++)
        if ((name->p[i] | 0x20) != known[i])
            return false;
    return name->n == n || plural;
}

static void send_channel(const struct quality *q, const struct tk_fact_channel *c, struct tk_emit *emit)
{
    uint64_t off = q->view->dict->switched_off.v[c - q->view->dict->channels.v];
    const char *text = off ? "it was switched off while recording: some of its events are missing" : NULL;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && c->name && !c->enabled && !off; i++)
        text = is_channel(c->name, needed[i].name) ? needed[i].text : text;
    struct tk_cell *row = text ? begin_row(emit, "channel", off ? off : 1, text) : NULL;
    if (row)
        row[SUBJECT] = tk_cell_of_text(c->name);
}

static void send_of_lane(const struct quality *q, const struct lane *l, const char *kind, uint64_t count,
                         const char *text, struct tk_emit *emit)
{
    struct tk_cell *row = count ? begin_row(emit, kind, count, text) : NULL;
    if (row)
        row[SUBJECT] = tk_query_context_thread(q->view, l->thread);
}

static void send_lane(const struct quality *q, const struct lane *l, struct tk_emit *emit)
{
    send_of_lane(q, l, "gap", l->cut, "scopes were open where its recording has a gap: no time includes them",
                 emit);
    send_of_lane(q, l, "open", l->open, "scopes have no end: no time includes them", emit);
    send_of_lane(q, l, "clock", l->raised, "its times went backwards; they were raised", emit);
    send_of_lane(q, l, "overlap", l->yielded,
                 "scopes overlap the next one by no more than times are rounded: it has that time", emit);
}

static int finish_quality(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct quality *q = self;
    const struct tk_dict *dict = q->view->dict;
    (void)err;
    send_stalls(q, emit);
    send_lost(q, emit);
    for (size_t i = 0; i < dict->channels.n; i++)
        send_channel(q, &dict->channels.v[i], emit);
    for (size_t i = 0; i < q->lanes.n; i++)
        send_lane(q, &q->lanes.v[i], emit);
    return tk_emit_status(emit);
}

static void close_quality(void *self)
{
    struct quality *q = self;
    tk_vec_release(&q->lanes);
    free(q);
}

static const struct tk_scope_hooks scope_hooks = {.lane = lane_quality};

const struct tk_builder tk_builder_quality = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(STALL) | TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GAP), .sums = true},
    .scopes = &scope_hooks,
    .open = open_quality,
    .feed = feed_quality,
    .finish = finish_quality,
    .close = close_quality,
};
