/*
 * Log messages (events 3.3).
 */
#include "format/utrace/families/marks/message_points.h"
#include "format/utrace/feed/family_list.h"
#include "format/utrace/schema/printf_args.h"

#include <stdlib.h>
#include <string.h>

/*
 * Points and messages.
 */

int tk_ut_message_point_put(struct tk_ut_message_points *s, uint64_t address,
                            const struct tk_ut_message_point *point)
{
    uint32_t i = tk_map_get(&s->index, address);
    if (i != TK_MAP_NONE) {
        s->points.v[i] = *point;
        return TK_OK;
    }
    if (tk_vec_push(&s->points, *point) || tk_map_put(&s->index, address, (uint32_t)s->points.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

const struct tk_ut_message_point *tk_ut_message_point_get(const struct tk_ut_message_points *s,
                                                          uint64_t address)
{
    uint32_t i = tk_map_get(&s->index, address);
    return i == TK_MAP_NONE || i >= s->points.n ? NULL : &s->points.v[i];
}

int tk_ut_message_point_texts(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned file,
                              unsigned format, struct tk_ut_message_point *point)
{
    struct tk_intern *strings = &feed->capture->strings;
    if (tk_ut_has(ev, format)) {
        point->file = tk_ut_str(feed, ev, file, 1);
        point->format = tk_ut_str(feed, ev, format, 2);
    } else {
        const uint8_t *p = ev->attachment;
        size_t n = ev->n_attachment, narrow = 0;
        while (narrow < n && p[narrow])
            narrow++;
        size_t wide = narrow < n ? narrow + 1 : n;
        point->file = tk_ut_text(strings, p, narrow, 1);
        point->format = tk_ut_text(strings, n ? p + wide : p, n - wide, 2);
    }
    return point->file && point->format ? TK_OK : TK_ENOMEM;
}

int tk_ut_message_wait(struct tk_ut_feed *feed, struct tk_ut_message_points *s, const struct tk_fact *fact,
                       uint64_t point, struct tk_ut_message_args args)
{
    struct tk_ut_message m = {*fact, point, args};
    uint8_t *copy;
    if (s->waiting.n >= feed->capture->ctx->limits.pending_logs) {
        tk_health_limit(&feed->out->health, TK_LIMIT_pending_logs, TK_NO_OFFSET, 1,
                        "a message of unknown origin was dropped");
        return TK_OK;
    }
    if (!(copy = malloc(args.bytes.n + 1)))
        return TK_ENOMEM;
    if (args.bytes.n)
        memcpy(copy, args.bytes.p, args.bytes.n);
    m.args.bytes.p = copy;
    if (tk_vec_push(&s->waiting, m)) {
        free(copy);
        return TK_ENOMEM;
    }
    return TK_OK;
}

int tk_ut_messages_finish(struct tk_ut_feed *feed, struct tk_ut_message_points *s, tk_ut_message_fn *say)
{
    int rc = TK_OK;
    for (size_t i = 0; i < s->waiting.n; i++) {
        struct tk_ut_message *m = &s->waiting.v[i];
        const struct tk_ut_message_point *point = tk_ut_message_point_get(s, m->point);
        if (!point)
            tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, 1,
                           "a message of thread %u has no definition of its kind", m->fact.thread);
        if (rc == TK_OK)
            rc = say(feed, &m->fact, point, m->args);
        free((void *)m->args.bytes.p);
    }
    s->waiting.n = 0;
    return rc;
}

int tk_ut_message_text(struct tk_ut_feed *feed, const struct tk_str *format, struct tk_ut_message_args args,
                       struct tk_str *out)
{
    bool cut;
    if (tk_ut_format(&feed->out->arena, format, args.bytes.p, args.bytes.n, out, &cut) != TK_OK)
        return TK_ENOMEM;
    if (cut && !args.partial)
        tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED,
                       feed->lane ? feed->lane->packet : TK_NO_OFFSET, 1,
                       "the arguments of a message end early");
    return TK_OK;
}

void tk_ut_message_points_release(struct tk_ut_message_points *s)
{
    for (size_t i = 0; i < s->waiting.n; i++)
        free((void *)s->waiting.v[i].args.bytes.p);
    tk_vec_release(&s->waiting);
    tk_vec_release(&s->points);
    tk_map_release(&s->index);
}

#define LEVEL_MASK 0x0f
#define SET_COLOUR 0x40 /* a pseudo message */

struct state {
    struct tk_ut_message_points points; /* category: its name once known; see category_of */
    struct tk_map categories;           /* address -> place in names */
    TK_VEC(const struct tk_str *) names;
    TK_VEC(uint64_t) category_of; /* by place of the point */
};

enum { CATEGORY_POINTER, CATEGORY_NAME };

static int on_category(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    const struct tk_str *name = tk_ut_str(feed, ev, CATEGORY_NAME, 2);
    if (!name || tk_vec_push(&s->names, name) ||
        tk_map_put(&s->categories, tk_ut_u64(ev, CATEGORY_POINTER), (uint32_t)s->names.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

enum { SPEC_POINT, SPEC_CATEGORY, SPEC_LINE, SPEC_VERBOSITY, SPEC_FILE, SPEC_FORMAT };

static int on_spec_log(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t address = tk_ut_u64(ev, SPEC_POINT);
    struct tk_ut_message_point point = {.line = (uint32_t)tk_ut_u64(ev, SPEC_LINE),
                                        .verbosity = (uint8_t)tk_ut_u64(ev, SPEC_VERBOSITY)};
    int rc = tk_ut_message_point_texts(feed, ev, SPEC_FILE, SPEC_FORMAT, &point);
    if (rc == TK_OK)
        rc = tk_ut_message_point_put(&s->points, address, &point);
    while (rc == TK_OK && s->category_of.n < s->points.points.n)
        rc = tk_vec_push(&s->category_of, 0) ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK)
        s->category_of.v[tk_map_get(&s->points.index, address)] = tk_ut_u64(ev, SPEC_CATEGORY);
    return rc;
}

/* The category's name may come after the point's definition. */
static const struct tk_str *category(const struct state *s, const struct tk_ut_message_point *point)
{
    size_t i = (size_t)(point - s->points.points.v);
    uint32_t name = i < s->category_of.n ? tk_map_get(&s->categories, s->category_of.v[i]) : TK_MAP_NONE;
    return name == TK_MAP_NONE ? NULL : s->names.v[name];
}

enum { POINT, CYCLE, ARGS };

/* A message of unknown origin is displayed by its first text. */
static int say_log(struct tk_ut_feed *feed, struct tk_fact *fact, const struct tk_ut_message_point *point,
                   struct tk_ut_message_args args)
{
    static const struct tk_str unknown = {"%s", 2, TK_ENC_UTF8};
    struct tk_fact_log *log = &fact->u.log;
    if (point && point->verbosity & SET_COLOUR)
        return TK_OK;
    if (point) {
        log->file = point->file;
        log->line = point->line;
        log->verbosity = point->verbosity & LEVEL_MASK;
    }
    int rc = tk_ut_message_text(feed, point ? point->format : &unknown, args, &log->text);
    return rc == TK_OK ? tk_ut_emit(feed, fact) : rc;
}

static int on_message(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_LOG, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
    uint64_t address = tk_ut_u64(ev, POINT);
    const struct tk_ut_message_point *point = tk_ut_message_point_get(&s->points, address);
    fact.u.log = (struct tk_fact_log){.category = point ? category(s, point) : NULL};
    if (point && fact.u.log.category)
        return say_log(feed, &fact, point, tk_ut_message_args(ev, ARGS));
    return tk_ut_message_wait(feed, &s->points, &fact, address, tk_ut_message_args(ev, ARGS));
}

static int finish_log(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    for (size_t i = 0; i < s->points.waiting.n; i++) {
        struct tk_ut_message *m = &s->points.waiting.v[i];
        const struct tk_ut_message_point *point = tk_ut_message_point_get(&s->points, m->point);
        m->fact.u.log.category = point ? category(s, point) : NULL;
    }
    return tk_ut_messages_finish(feed, &s->points, say_log);
}

static void release_log(void *state)
{
    struct state *s = state;
    tk_ut_message_points_release(&s->points);
    tk_map_release(&s->categories);
    tk_vec_release(&s->names);
    tk_vec_release(&s->category_of);
}

static const struct tk_ut_bind binds[] = {
    {"Logging.LogCategory", on_category, true, {"CategoryPointer", "Name"}},
    {"Logging.LogMessageSpec",
     on_spec_log,
     true,
     {"LogPoint", "CategoryPointer", "Line", "Verbosity", "FileName", "FormatString"}},
    {"Logging.LogMessage", on_message, false, {"LogPoint", "Cycle", "FormatArgs"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_log = {.name = "log",
                                           .facts = TK_FACT_MASK(LOG),
                                           .binds = binds,
                                           .state = sizeof(struct state),
                                           .finish = finish_log,
                                           .release = release_log};
