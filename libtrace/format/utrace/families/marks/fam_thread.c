/*
 * Threads and their groups (wire 5.5, events 1.3).
 */
#include "base/hash.h"
#include "format/utrace/feed/family_list.h"

#include <string.h>

/* Groups of the model before 4.26 nest per creating thread: few, so a plain stack of (thread, group). */
struct group_scope {
    uint32_t thread;
    const struct tk_str *name;
};

struct state {
    const struct tk_str *group; /* the current one, NULL: none */
    struct tk_map groups;       /* thread -> index in named, for threads that have a group */
    TK_VEC(const struct tk_str *) named;
    struct tk_map last; /* thread -> index in the capture's definitions: what was said of it last */
    TK_VEC(struct group_scope) scopes;
};

enum { THREAD, SYSTEM, HINT, NAME };

/* A thread stays in the first group it was in. *out is NULL where it has none. */
static int find_group(struct state *s, uint32_t thread, const struct tk_str **out)
{
    uint32_t i = tk_map_get(&s->groups, thread);
    *out = i != TK_MAP_NONE ? s->named.v[i] : s->group;
    if (i != TK_MAP_NONE || !s->group)
        return TK_OK;
    if (tk_vec_push(&s->named, s->group) || tk_map_put(&s->groups, thread, (uint32_t)s->named.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

static bool is_rhi(const struct tk_str *name)
{
    return name->n == 9 && memcmp(name->p, "RHIThread", 9) == 0;
}

static int define_thread(struct tk_ut_feed *feed, struct state *s, const struct tk_fact *fact)
{
    const size_t at = feed->capture->definitions.n;
    int rc = tk_ut_define(feed, fact);
    if (rc == TK_OK && at < feed->capture->definitions.n && tk_map_put(&s->last, fact->thread, (uint32_t)at))
        rc = TK_ENOMEM;
    return rc;
}

static int say_thread(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint32_t thread,
                      struct tk_fact_thread info)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_THREAD, 0);
    fact.thread = thread;
    fact.seq = TK_NO_SEQ;
    fact.u.thread_info = info;
    fact.u.thread_info.named = true;
    return info.name ? define_thread(feed, s, &fact) : TK_ENOMEM;
}

static int on_thread(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t thread = tk_ut_has(ev, THREAD) ? (uint32_t)tk_ut_u64(ev, THREAD) : ev->tid;
    struct tk_fact_thread info = {.name = tk_ut_str(feed, ev, NAME, 1),
                                  .system_id = (uint32_t)tk_ut_u64(ev, SYSTEM),
                                  .sort_hint = (int32_t)tk_ut_u64(ev, HINT),
                                  .has_system = tk_ut_has(ev, SYSTEM)};
    if (find_group(state, thread, &info.group) != TK_OK)
        return TK_ENOMEM;
    if (info.name && is_rhi(info.name) && !(info.group = tk_intern_c(&feed->capture->strings, "Render")))
        return TK_ENOMEM;
    return say_thread(feed, state, ev, thread, info);
}

static int on_group_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    s->group = tk_ut_str(feed, ev, 0, 1);
    return s->group ? TK_OK : TK_ENOMEM;
}

static int on_group_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    (void)ev;
    ((struct state *)state)->group = NULL;
    return TK_OK;
}

/* ---- before 4.26: threads are known by their number in the operating system ---- */

static int on_game_thread(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t id = (uint32_t)tk_ut_u64(ev, 0);
    struct tk_fact_thread info = {.name = tk_intern_c(&feed->capture->strings, "GameThread"),
                                  .system_id = id,
                                  .sort_hint = -1,
                                  .has_system = true};
    return say_thread(feed, state, ev, id | TK_UT_OS_THREAD, info);
}

enum { CREATING, CREATED, PRIORITY };

static int on_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t creating = (uint32_t)tk_ut_u64(ev, CREATING), created = (uint32_t)tk_ut_u64(ev, CREATED);
    struct tk_fact_thread info = {
        .name = tk_ut_text(&feed->capture->strings, ev->attachment, ev->n_attachment, 2),
        .system_id = created,
        .sort_hint = (int32_t)tk_ut_u64(ev, PRIORITY),
        .has_system = true};
    if (find_group(s, created | TK_UT_OS_THREAD, &info.group) != TK_OK)
        return TK_ENOMEM;
    for (size_t i = s->scopes.n; i-- > 0 && !info.group;)
        if (s->scopes.v[i].thread == creating)
            info.group = s->scopes.v[i].name;
    return say_thread(feed, s, ev, created | TK_UT_OS_THREAD, info);
}

/* Overrides the group of a thread that was reported, or will be. */
static int on_set_group(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t thread = (uint32_t)tk_ut_u64(ev, 0) | TK_UT_OS_THREAD, last = tk_map_get(&s->last, thread);
    const struct tk_str *name = tk_ut_text(&feed->capture->strings, ev->attachment, ev->n_attachment, 1);
    if (!name || tk_vec_push(&s->named, name) || tk_map_put(&s->groups, thread, (uint32_t)s->named.n - 1))
        return TK_ENOMEM;
    if (last == TK_MAP_NONE)
        return TK_OK;
    struct tk_fact fact = feed->capture->definitions.v[last];
    fact.u.thread_info.group = name;
    return define_thread(feed, s, &fact);
}

static int on_group_scope_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct group_scope scope = {(uint32_t)tk_ut_u64(ev, 0),
                                tk_ut_text(&feed->capture->strings, ev->attachment, ev->n_attachment, 1)};
    if (!scope.name)
        return TK_ENOMEM;
    return tk_vec_push(&((struct state *)state)->scopes, scope) ? TK_ENOMEM : TK_OK;
}

static int on_group_scope_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t thread = (uint32_t)tk_ut_u64(ev, 0);
    (void)feed;
    for (size_t i = s->scopes.n; i-- > 0;) {
        if (s->scopes.v[i].thread != thread)
            continue;
        memmove(&s->scopes.v[i], &s->scopes.v[i + 1], (s->scopes.n - i - 1) * sizeof *s->scopes.v);
        s->scopes.n--;
        break;
    }
    return TK_OK;
}

static void release_thread(void *state)
{
    struct state *s = state;
    tk_map_release(&s->groups);
    tk_map_release(&s->last);
    tk_vec_release(&s->named);
    tk_vec_release(&s->scopes);
}

static const struct tk_ut_bind binds[] = {
    {"$Trace.ThreadInfo", on_thread, true, {"ThreadId", "SystemId", "SortHint", "Name"}},
    {"$Trace.ThreadGroupBegin", on_group_begin, true, {"Name"}},
    {"$Trace.ThreadGroupEnd", on_group_end, true, {0}},
    {"Misc.RegisterGameThread", on_game_thread, true, {"ThreadId"}},
    {"Misc.CreateThread", on_create, true, {"CurrentThreadId", "CreatedThreadId", "Priority"}},
    {"Misc.SetThreadGroup", on_set_group, true, {"ThreadId"}},
    {"Misc.BeginThreadGroupScope", on_group_scope_begin, true, {"CurrentThreadId"}},
    {"Misc.EndThreadGroupScope", on_group_scope_end, true, {"CurrentThreadId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_thread = {
    .name = "thread", .binds = binds, .state = sizeof(struct state), .release = release_thread};
