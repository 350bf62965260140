/*
 * Answers about lanes and scopes, from the index.
 */
#include "base/err.h"
#include "view/view_in.h"

#include <string.h>

enum { PIXELS = 8192, NAMES = 2048, FOUND = 200, PARTS = 128, ROWS = 1024 };

/* ---- lanes and names ---- */

static void put_lane(const struct tk_view_ask *ask, uint32_t i)
{
    const char *table;
    const struct tk_index *index = ask->capture->index;
    struct tk_index_lane lane;
    struct tk_json *j = &ask->m->json;
    tk_index_lane_get(index, i, &lane);
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "kind", tk_index_kind_name(lane.kind, &table));
    tk_json_u64(j, "id", lane.thread);
    tk_json_u64(j, "part", lane.part);
    tk_json_i64(j, "hint", lane.sort_hint);
    tk_json_u64(j, "rows", lane.rows);
    tk_markup_json_text(ask->m, "name", lane.name, TK_MARKUP_NAME);
    tk_markup_json_text(ask->m, "group", lane.group, TK_MARKUP_NAME);
    if (lane.has_process) {
        tk_json_u64(j, "process", lane.process_id);
        tk_markup_json_text(ask->m, "process_name", lane.process, TK_MARKUP_NAME);
    }
    tk_json_u64(j, "scopes", lane.scopes);
    tk_json_u64(j, "unended", lane.unended);
    tk_json_u64(j, "deeper", lane.deeper);
    tk_json_i64(j, "first", tk_index_ns(index, lane.first));
    tk_json_i64(j, "last", tk_index_ns(index, lane.last));
    tk_json_i64(j, "busy", tk_index_ns(index, (int64_t)lane.covered));
    tk_json_close(j);
}

int tk_view_answer_lanes(const struct tk_view_ask *ask)
{
    const struct tk_index *index = ask->capture->index;
    struct tk_index_about about;
    struct tk_json *j = &ask->m->json;
    tk_index_tell(index, &about);
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "reading", ask->capture->number);
    tk_json_i64(j, "first", tk_index_ns(index, about.first));
    tk_json_i64(j, "last", tk_index_ns(index, about.last));
    tk_json_u64(j, "timers", about.timers);
    tk_json_i64(j, "finest", tk_index_ns(index, about.finest));
    tk_json_u64(j, "scopes", about.scopes);
    tk_json_open(j, "lanes", '[');
    for (uint32_t i = 0; i < about.lanes; i++)
        put_lane(ask, i);
    tk_json_close(j);
    tk_json_close(j);
    return TK_OK;
}

int tk_view_answer_names(const struct tk_view_ask *ask)
{
    struct tk_index_timer timer;
    struct tk_json *j = &ask->m->json;
    int64_t from, n;
    if (tk_view_number(ask, "from", 0, UINT32_MAX, &from) || tk_view_number(ask, "n", 1, NAMES, &n))
        return TK_EUSAGE;
    tk_json_open(j, NULL, '[');
    for (int64_t i = from; i < from + n && i <= UINT32_MAX; i++) {
        if (!tk_index_timer_get(ask->capture->index, (uint32_t)i, &timer))
            break;
        tk_json_open(j, NULL, '[');
        tk_markup_json_text(ask->m, NULL, timer.name, TK_MARKUP_NAME);
        tk_markup_json_text(ask->m, NULL, timer.file, TK_MARKUP_NAME);
        tk_json_u64(j, NULL, timer.line);
        tk_json_u64(j, NULL, timer.scopes);
        tk_json_u64(j, NULL, timer.kind);
        tk_json_close(j);
    }
    tk_json_close(j);
    return TK_OK;
}

int tk_view_answer_timer(const struct tk_view_ask *ask)
{
    struct tk_index_timer timer;
    const struct tk_view_capture *c = ask->capture;
    int64_t number;
    if (tk_view_number(ask, "timer", 0, UINT32_MAX, &number))
        return TK_EUSAGE;
    if (!tk_index_timer_get(ask->other->index, (uint32_t)number, &timer))
        return tk_err_set(ask->err, TK_EUSAGE, "there is no such timer");
    uint32_t found = tk_view_timers_at(&c->timers, c->index, timer.name, timer.file, timer.line);
    if (found == UINT32_MAX)
        found = tk_view_timers_named(&c->timers, c->index, timer.name);
    if (found == UINT32_MAX)
        tk_json_plain(&ask->m->json, NULL, "null");
    else
        tk_json_u64(&ask->m->json, NULL, found);
    return TK_OK;
}

/* ---- windows ---- */

/* Little endian, whatever the machine is. */
static void put_bytes(struct tk_buffer *b, uint64_t v, unsigned n)
{
    char *p = tk_buffer_space(b, 8);
    for (unsigned i = 0; i < n; i++)
        p[i] = (char)(v >> 8 * i);
    b->n += n;
}

static void put_double(struct tk_buffer *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_bytes(b, bits, 8);
}

static double length_of(const struct tk_index *index, const struct tk_index_box *box)
{
    const uint64_t cycles = (uint64_t)box->end - (uint64_t)box->begin;
    if (box->flags & TK_INDEX_UNENDED)
        return -1;
    return (double)tk_index_ns(index, cycles < INT64_MAX ? (int64_t)cycles : INT64_MAX);
}

/* Columns, so that a browser reads each as an array: two of 8 bytes, two of 4, the ends of lanes, then 2
 * and 1. */
static void put_boxes(const struct tk_view_ask *ask, const struct tk_index_window *w, size_t lanes)
{
    const struct tk_index *index = ask->capture->index;
    struct tk_buffer *b = &ask->m->out;
    put_bytes(b, w->n, 4);
    put_bytes(b, lanes, 4);
    put_bytes(b, w->exact, 8);
    put_double(b, (double)tk_index_ns(index, w->width));
    for (size_t i = 0; i < w->n; i++)
        put_double(b, (double)tk_index_ns(index, w->boxes[i].begin));
    for (size_t i = 0; i < w->n; i++)
        put_double(b, length_of(index, &w->boxes[i]));
    for (size_t i = 0; i < w->n; i++)
        put_bytes(b, w->boxes[i].timer, 4);
    for (size_t i = 0; i < w->n; i++)
        put_bytes(b, w->boxes[i].count, 4);
    for (size_t i = 0; i < lanes; i++)
        put_bytes(b, w->ends[i], 4);
    for (size_t i = 0; i < w->n; i++)
        put_bytes(b, w->boxes[i].depth, 2);
    for (size_t i = 0; i < w->n; i++)
        put_bytes(b, w->boxes[i].cover, 1);
}

static uint32_t lane_count(const struct tk_view_ask *ask)
{
    struct tk_index_about about;
    tk_index_tell(ask->capture->index, &about);
    return about.lanes;
}

int tk_view_answer_window(const struct tk_view_ask *ask)
{
    struct tk_index *index = ask->capture->index;
    uint32_t lanes[TK_VIEW_LANES];
    int64_t from, to, pixels, rows, quick = 0, each = 0;
    const int n = tk_view_lanes(ask, lane_count(ask), lanes);
    if (n < 0 || tk_view_number(ask, "a", INT64_MIN, INT64_MAX - 1, &from) ||
        tk_view_number(ask, "b", INT64_MIN + 1, INT64_MAX, &to) ||
        tk_view_number(ask, "w", 1, PIXELS, &pixels) || tk_view_number(ask, "d", 0, ROWS, &rows))
        return TK_EUSAGE;
    tk_http_number(ask->query, "quick", 0, 1, &quick);
    tk_http_number(ask->query, "each", 0, 1, &each);
    if (from >= to)
        return tk_err_set(ask->err, TK_EUSAGE, "'b' must be greater than 'a'");
    struct tk_index_question question = {.from = tk_index_cycles(index, from),
                                         .to = tk_index_cycles(index, to),
                                         .pixels = (uint32_t)pixels,
                                         .lanes = lanes,
                                         .n_lanes = (size_t)n,
                                         .rows = (uint32_t)rows,
                                         .quick = quick,
                                         .each = each};
    if (question.to <= question.from)
        question.to = question.from + 1;
    const int rc = tk_index_window(index, &question, &ask->capture->window, ask->err);
    if (rc == TK_OK)
        put_boxes(ask, &ask->capture->window, (size_t)n);
    return rc;
}

/* ---- single scopes ---- */

static void put_box(const struct tk_view_ask *ask, uint32_t lane, const struct tk_index_box *box)
{
    const struct tk_index *index = ask->capture->index;
    struct tk_json *j = &ask->m->json;
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "lane", lane);
    tk_json_i64(j, "start", tk_index_ns(index, box->begin));
    tk_json_member(j, "length");
    tk_markup_format(ask->m, "%.0f", length_of(index, box));
    tk_json_u64(j, "timer", box->timer);
    tk_json_u64(j, "depth", box->depth);
    tk_json_close(j);
}

int tk_view_answer_stack(const struct tk_view_ask *ask)
{
    struct tk_index *index = ask->capture->index;
    struct tk_index_window *w = &ask->capture->window;
    int64_t lane, time, depth;
    if (tk_view_number(ask, "l", 0, UINT32_MAX, &lane) ||
        tk_view_number(ask, "t", INT64_MIN, INT64_MAX, &time) || tk_view_number(ask, "d", 0, ROWS, &depth))
        return TK_EUSAGE;
    if (lane >= lane_count(ask))
        return tk_err_set(ask->err, TK_EUSAGE, "there is no such lane");
    const int rc =
        tk_index_scope_at(index, (uint32_t)lane, tk_index_cycles(index, time), (uint32_t)depth, w, ask->err);
    tk_json_open(&ask->m->json, NULL, '[');
    for (size_t i = 0; i < w->n && rc == TK_OK; i++)
        put_box(ask, (uint32_t)lane, &w->boxes[i]);
    tk_json_close(&ask->m->json);
    return rc;
}

/* The next one of a lane that also begins at another nanosecond, as pages know no finer time. */
static int next_of_lane(const struct tk_view_ask *ask, uint32_t lane, uint32_t timer, int64_t ns, bool back,
                        struct tk_index_box *out)
{
    struct tk_index *index = ask->capture->index;
    int64_t at = tk_index_cycles(index, ns);
    int rc;
    while ((rc = tk_index_next(index, lane, timer, at, back, out, ask->err)) == TK_ITEM) {
        if (tk_index_ns(index, out->begin) != ns)
            return rc;
        at = out->begin;
    }
    return rc;
}

int tk_view_answer_next(const struct tk_view_ask *ask)
{
    uint32_t lanes[TK_VIEW_LANES], of = 0;
    struct tk_index_box best = {0}, box;
    struct tk_index_timer known;
    int64_t timer, time, back = 0;
    const uint32_t all = lane_count(ask);
    const int n = tk_view_lanes(ask, all, lanes);
    int found = 0;
    if (n < 0 || tk_view_number(ask, "timer", 0, UINT32_MAX, &timer) ||
        tk_view_number(ask, "t", INT64_MIN, INT64_MAX, &time))
        return TK_EUSAGE;
    if (!tk_index_timer_get(ask->capture->index, (uint32_t)timer, &known))
        return tk_err_set(ask->err, TK_EUSAGE, "there is no such timer");
    tk_http_number(ask->query, "back", 0, 1, &back);
    for (uint32_t i = 0; i < (n ? (uint32_t)n : all); i++) {
        const uint32_t lane = n ? lanes[i] : i;
        const int rc = next_of_lane(ask, lane, (uint32_t)timer, time, back, &box);
        if (rc < 0)
            return rc;
        if (rc == TK_OK || (found && (back ? box.begin <= best.begin : box.begin >= best.begin)))
            continue;
        best = box;
        of = lane;
        found = 1;
    }
    if (found)
        put_box(ask, of, &best);
    else
        tk_json_plain(&ask->m->json, NULL, "null");
    return TK_OK;
}

/* ---- search ---- */

static int put_found(const struct tk_view_ask *ask, const struct tk_index_found *found)
{
    uint8_t parts[PARTS];
    const char *table;
    struct tk_json *j = &ask->m->json;
    struct tk_index_timer timer;
    const int rc = tk_index_presence(ask->capture->index, found->timer, parts, PARTS, ask->err);
    if (rc < 0 || !tk_index_timer_get(ask->capture->index, found->timer, &timer))
        return rc;
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "timer", found->timer);
    tk_json_u64(j, "scopes", found->scopes);
    tk_json_c(j, "kind", tk_index_kind_name(timer.kind, &table));
    tk_markup_json_text(ask->m, "name", timer.name, TK_MARKUP_NAME);
    tk_json_open(j, "parts", '[');
    for (int i = 0; i < PARTS; i++)
        tk_json_u64(j, NULL, parts[i]);
    tk_json_close(j);
    tk_json_close(j);
    return TK_OK;
}

int tk_view_answer_search(const struct tk_view_ask *ask)
{
    char pattern[512];
    struct tk_index_search *found = &ask->capture->found;
    struct tk_json *j = &ask->m->json;
    const long length = tk_http_parameter(ask->query, "q", pattern, sizeof pattern);
    if (length < 1)
        return tk_err_set(ask->err, TK_EUSAGE, "'q' is a text of at most %zu bytes", sizeof pattern - 1);
    int rc = tk_index_search(ask->capture->index, pattern, FOUND, found, ask->err);
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "matches", found->matches);
    tk_json_open(j, "found", '[');
    for (size_t i = 0; i < found->n && rc == TK_OK; i++)
        rc = put_found(ask, &found->found[i]);
    tk_json_close(j);
    tk_json_close(j);
    return rc;
}
