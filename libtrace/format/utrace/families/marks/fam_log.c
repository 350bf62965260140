/*
 * Log messages (events 3.3).
 */
#include "format/utrace/families/marks/message_points.h"
#include "format/utrace/feed/family_list.h"

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

/* A message of unknown origin is shown by its first text. */
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
