/*
 * Opening a .tracy: the container, then a pass over the front of the payload, which defines what others refer
 * to.
 */
#include "format/tracy/reading/reading_in.h"
#include "format/tracy/reading/section_walk.h"
#include "format/tracy/reading/tracy.h"
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"
#include "tracekit/captures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the front defines ---- */

static int define_version(struct tk_tracy_capture *c)
{
    char text[12];
    tk_tracy_version_text(text, c->version);
    const struct tk_str *s = tk_intern_c(&c->interned, text);
    return s ? tk_tracy_define_session(c, "TracyVersion", tk_cell_of_text(s)) : TK_ENOMEM;
}

static int define_crash(struct tk_tracy_capture *c)
{
    const struct tk_str *text = tk_tracy_string_of_pointer(&c->strings, c->crash_message);
    return c->crash_message && text ? tk_tracy_define_session(c, "CrashMessage", tk_cell_of_text(text))
                                    : TK_OK;
}

static int define_threads(struct tk_tracy_capture *c)
{
    int rc = TK_OK;
    for (uint32_t i = 1; i < c->threads.local.n && rc == TK_OK; i++) {
        struct tk_fact fact = tk_tracy_thread_fact(c, i, false);
        rc = tk_tracy_define(c, &fact);
    }
    return rc;
}

static int define_timers(struct tk_tracy_capture *c)
{
    int rc = TK_OK;
    uint64_t missing = 0;
    for (uint32_t i = 0; i < c->locations.none && rc == TK_OK; i++) {
        struct tk_fact fact = tk_tracy_timer_fact(c, i);
        missing += !tk_tracy_location_exists(&c->locations, tk_tracy_location_id(&c->locations, i));
        rc = tk_tracy_define(c, &fact);
    }
    for (uint32_t i = 0; i <= c->locations.unknown && rc == TK_OK; i++) {
        const struct tk_fact fact = tk_tracy_timer_fact(c, i);
        rc = tk_timer_keys_add(&c->locations.keys, &fact.u.timer) ? TK_ENOMEM : TK_OK;
    }
    if (missing)
        tk_health_note(&c->ctx->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, missing,
                       "the capture does not define all source locations that it numbers");
    return rc;
}

/* Facts of the front, in the order in which all readings give them: the clock first. */
static int define_all(struct tk_tracy_capture *c)
{
    int rc = define_version(c);
    if (rc == TK_OK)
        rc = define_crash(c);
    if (rc == TK_OK && tk_tracy_locations_number(&c->locations))
        rc = TK_ENOMEM;
    if (rc == TK_OK)
        rc = define_threads(c);
    return rc == TK_OK ? define_timers(c) : rc;
}

/* ---- the front ---- */

static int walk_front(struct tk_tracy_capture *c, struct tk_err *err)
{
    struct tk_tracy_batch nothing = {0};
    struct tk_tracy_walk w;
    int rc = tk_tracy_walk_open(&w, c, NULL, true, &nothing, &c->ctx->health, err);
    if (rc == TK_OK)
        rc = tk_tracy_choose_layout(c, err);
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(&w, err);
    c->front_end = w.faulted ? UINT64_MAX : tk_tracy_at(&w.in);
    if (rc == TK_OK && !w.faulted) /* the list behind the front begins with its length */
        c->locks = tk_tracy_u64(&w.in, "locks") > 0 && tk_tracy_ok(&w.in);
    tk_tracy_walk_close(&w);
    tk_tracy_batch_release(&nothing);
    return rc;
}

/* Is a type of record, so often in the capture, something that was recorded? Some are always there. */
static bool is_recorded(enum tk_tracy_record record, uint64_t n)
{
    if (record == TK_TRACY_APP_INFO || record == TK_TRACY_MEMORY_POOL)
        return false;
    return n > (record == TK_TRACY_FRAME ? 2u : 0u);
}

/* Blocks of a capture that is looked over when it is opened, as that takes no time. */
#define FEW_BLOCKS 8u

/*
 * A walk over all of it, which says whether it is cut off, where no header says so, and without zones
 * whether there is anything. Done where there is not much to walk over.
 */
static int look_over(struct tk_tracy_capture *c, struct tk_err *err)
{
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_tracy_walk w;
    int rc = tk_tracy_walk_open(&w, c, NULL, false, &nothing, &quiet, err);
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(&w, err);
    for (unsigned i = 0; i < TK_TRACY_RECORD_COUNT; i++)
        if (is_recorded((enum tk_tracy_record)i, w.counts[i]))
            c->empty = false;
    tk_tracy_walk_close(&w);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    return rc;
}

/* What stands in front of the zones is read when a capture is opened, whatever is requested. */
static void say_part(struct tk_context *ctx)
{
    if (!ctx->options || !ctx->options->in_part)
        return;
    snprintf(ctx->part, sizeof ctx->part, "its header and definitions");
    ctx->front = true;
}

static int no_definitions(struct tk_err *err)
{
    return tk_err_nomem(err, "the definitions of the capture");
}

/* The clock has to be reported first, but when it began stands in the header. */
static int read_front(struct tk_tracy_capture *c, struct tk_err *err)
{
    c->empty = true;
    int rc = tk_tracy_define_clock(c) == TK_OK ? walk_front(c, err) : no_definitions(err);
    if (rc == TK_OK)
        rc = define_all(c) == TK_OK ? TK_OK : no_definitions(err);
    tk_health_left_out(&c->ctx->health, &c->interned.left_out);
    if (rc == TK_OK)
        c->definitions.v[0].u.clock = c->clock;
    return rc == TK_OK && (c->empty || c->box.n <= FEW_BLOCKS) ? look_over(c, err) : rc;
}

/* ---- the capture ---- */

static bool capture_may_have(const struct tk_capture *base, uint64_t facts)
{
    const struct tk_tracy_capture *c = (const struct tk_tracy_capture *)base;
    return facts & ~TK_FACT_MASK(TASK_WAIT) & ~(c->locks ? 0 : TK_FACT_MASK(LOCK));
}

static bool capture_truncated(const struct tk_capture *base)
{
    return ((const struct tk_tracy_capture *)base)->truncated;
}

static bool capture_empty(const struct tk_capture *base)
{
    return ((const struct tk_tracy_capture *)base)->empty;
}

static void capture_close(struct tk_capture *base)
{
    struct tk_tracy_capture *c = (struct tk_tracy_capture *)base;
    tk_tracy_container_release(&c->box);
    tk_tracy_strings_release(&c->strings);
    tk_tracy_threads_release(&c->threads);
    tk_tracy_locations_release(&c->locations);
    tk_map_release(&c->categories);
    tk_vec_release(&c->definitions);
    tk_intern_release(&c->interned);
    tk_arena_release(&c->arena);
    free(c);
}

static const struct tk_capture_ops ops = {tk_tracy_source_open, tk_tracy_describe, capture_may_have,
                                          capture_truncated,    capture_empty,     capture_close};

int tk_tracy_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err)
{
    struct tk_tracy_capture *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "the capture");
    c->base.ops = &ops;
    c->ctx = ctx;
    c->strings.limit = ctx->limits.strings;
    tk_intern_bound(&c->interned, ctx->limits.strings, &tk_beyond_limit);
    c->clock = (struct tk_fact_clock){.frequency = 1000000000, .epoch = (double)NAN};
    int rc = tk_tracy_container_open(&c->box, ctx, err);
    c->truncated = c->box.truncated;
    if (rc == TK_OK)
        rc = read_front(c, err);
    say_part(ctx);
    ctx->kept = tk_tracy_edits_kept(c);
    if (rc != TK_OK) {
        capture_close(&c->base);
        return rc;
    }
    *out = &c->base;
    return TK_OK;
}

const struct tk_format tk_format_tracy = {
    .name = "tracy",
    .help = "capture of the Tracy profiler",
    .probe = tk_tracy_container_probe,
    .open = tk_tracy_capture_open,
    .tables = tk_tracy_tables,
    .row_tables = tk_tracy_row_tables,
    .hints = {
        [TK_HINT_FRAMES] = "Tracy records them where the program has FrameMark",
        [TK_HINT_SCOPE_TEXTS] = "Tracy records texts of zones where the program has ZoneText",
        [TK_HINT_CPU] = "Tracy records them where the program has ZoneScoped",
        [TK_HINT_GPU] = "Tracy records them where the program has TracyGpuZone, TracyVkZone or their like",
        [TK_HINT_WAITS] = "Tracy records locks that are TracyLockable, and context switches as administrator",
        [TK_HINT_SWITCHES] = "Tracy records them as administrator, without TRACY_NO_CONTEXT_SWITCH",
        [TK_HINT_MEMORY] = "Tracy records them where the program has TracyAlloc and TracyFree",
        [TK_HINT_CALLSTACKS] =
            "Tracy records them where the program has TracyAllocS, or with TRACY_CALLSTACK",
        [TK_HINT_LOADING] = "Tracy does not record loading; look at zones and messages",
        [TK_HINT_NETWORK] = "Tracy does not record a network; look at plots",
        [TK_HINT_SAMPLES] = "Tracy records them as administrator, without TRACY_NO_SAMPLING",
        [TK_HINT_MODULES] = "Tracy looks functions up where it records call stacks or samples",
        [TK_HINT_SYMBOLS] = "Tracy looks functions up where it records call stacks or samples",
        [TK_HINT_COUNTERS] = "Tracy records them where the program has TracyPlot",
        [TK_HINT_LOG] = "Tracy records them where the program has TracyMessage",
    }};

/*
 * Trying the layouts of a minor version on a capture.
 */

struct trial {
    size_t sections; /* walked through */
    bool whole;      /* all of them, and nothing is left */
};

/* But for the container, which is that of the capture. */
static void release_blank(struct tk_tracy_capture *blank)
{
    tk_tracy_strings_release(&blank->strings);
    tk_tracy_threads_release(&blank->threads);
    tk_tracy_locations_release(&blank->locations);
    tk_map_release(&blank->categories);
    tk_vec_release(&blank->definitions);
    tk_intern_release(&blank->interned);
    tk_arena_release(&blank->arena);
}

/* A walk over all of the payload that defines nothing, and says nothing of what it meets. */
static int try_layout(const struct tk_tracy_capture *c, uint32_t version, struct trial *out,
                      struct tk_err *err)
{
    struct tk_tracy_capture blank = {
        .ctx = c->ctx, .box = c->box, .version = version, .layout = tk_tracy_layout_of(version)};
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_tracy_walk *w = malloc(sizeof *w); /* too large for the stack */
    if (!w)
        return tk_err_nomem(err, "a layout");
    int rc = tk_tracy_walk_open(w, &blank, NULL, false, &nothing, &quiet, err);
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(w, err);
    *out =
        (struct trial){w->index, !w->faulted && w->index == tk_tracy_n_sections && tk_tracy_at_end(&w->in)};
    tk_tracy_walk_close(w);
    free(w);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    release_blank(&blank);
    return rc;
}

static void note_choice(struct tk_tracy_capture *c, uint32_t chosen, bool likeliest, bool fits)
{
    char text[12], known[12];
    if (likeliest && !tk_tracy_version_is_newer(c->version))
        return;
    tk_tracy_version_text(text, c->version);
    tk_tracy_version_text(known, chosen);
    tk_health_note(&c->ctx->health, TK_HEALTH_VERSION_NEWER, TK_NO_OFFSET, 1,
                   "the capture was saved by Tracy %s; it is read as one of %s, %s", text, known,
                   likeliest ? "the newest that is known"
                   : fits    ? "whose layout it has"
                             : "in whose layout most of it can be read");
}

/* A version that is known is believed unless another layout fits all of the capture. */
static int choose(const struct tk_tracy_capture *c, const uint32_t *versions, size_t n, size_t *best,
                  bool *fits, struct tk_err *err)
{
    size_t sections = 0;
    for (size_t i = 0; i < n; i++) {
        struct trial trial;
        int rc = try_layout(c, versions[i], &trial, err);
        if (rc < 0)
            return rc;
        if (trial.whole || (trial.sections > sections && tk_tracy_version_is_newer(c->version))) {
            sections = trial.sections;
            *best = i;
            *fits = trial.whole;
        }
        if (trial.whole)
            break;
    }
    return TK_OK;
}

int tk_tracy_choose_layout(struct tk_tracy_capture *c, struct tk_err *err)
{
    uint32_t versions[TK_TRACY_CANDIDATES];
    size_t n = tk_tracy_version_candidates(c->version, versions), best = 0;
    bool fits = false;
    int rc = n > 1 && !tk_tracy_version_is_released(c->version) ? choose(c, versions, n, &best, &fits, err)
                                                                : TK_OK;
    if (rc < 0)
        return rc;
    c->layout = tk_tracy_layout_of(versions[best]);
    note_choice(c, versions[best], best == 0, fits);
    return TK_OK;
}
