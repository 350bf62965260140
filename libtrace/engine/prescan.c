/*
 * The reading before the reading.
 */
#include "engine/dict_source.h"
#include "engine/run.h"
#include "kept/kept_reading.h"
#include "query/select.h"

#include <stdlib.h>

enum { GAME_FRAMES = 0 }; /* type of the frames that --frames counts */

void tk_prescan_release(struct tk_prescan *scan)
{
    tk_dict_release(&scan->dict);
    tk_frame_list_release(&scan->frame_list);
    tk_region_list_release(&scan->regions);
    tk_switch_list_release(&scan->switches);
    tk_sample_moments_release(&scan->moments);
    tk_alloc_places_release(&scan->places);
    tk_bookmark_range_release(&scan->marks);
    free(scan->frames.v);
    *scan = (struct tk_prescan){0};
}

static void see_frame(struct tk_prescan *scan, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_FRAME && fact->u.frame.type == GAME_FRAMES &&
        scan->marks_frames == TK_NO_THREAD)
        scan->marks_frames = fact->thread;
}

static int feed_prescan(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct tk_prescan *scan = self;
    const uint64_t facts = scan->facts;
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        see_frame(scan, &batch->facts[i]);
        rc = tk_frame_list_feed(&scan->frame_list, &batch->facts[i], err);
        if (rc == TK_OK && facts & TK_FACT_MASK(REGION))
            rc = tk_region_list_feed(&scan->regions, &batch->facts[i], err);
        if (rc == TK_OK && tk_bookmark_range_feed(&scan->marks, &batch->facts[i]))
            rc = tk_err_nomem(err, "bookmarks");
        if (rc == TK_OK && facts & TK_FACT_MASK(SWITCH) &&
            tk_switch_list_feed(&scan->switches, &batch->facts[i]))
            rc = tk_err_nomem(err, "context switches");
        if (rc == TK_OK && facts & TK_FACT_MASK(SAMPLE) &&
            tk_sample_moments_feed(&scan->moments, &batch->facts[i]))
            rc = tk_err_nomem(err, "samples");
        if (rc == TK_OK && facts & TK_FACT_MASK(CALLSTACK) &&
            tk_alloc_places_feed(&scan->places, &batch->facts[i]))
            rc = tk_err_nomem(err, "callstacks");
    }
    return rc;
}

static int end_prescan(void *self, struct tk_err *err)
{
    struct tk_prescan *scan = self;
    const struct tk_kept_taker taker = {.self = scan, .batch = feed_prescan};
    int rc = tk_kept_batch(scan->kept, NULL, &taker, err);
    if (rc == TK_OK)
        rc = tk_frame_list_pair(&scan->frame_list, err);
    if (rc == TK_OK)
        rc = tk_region_list_pair(&scan->regions, err);
    if (rc == TK_OK && tk_switch_list_finish(&scan->switches, &scan->dict))
        rc = tk_err_nomem(err, "context switches");
    if (rc == TK_OK && tk_sample_moments_finish(&scan->moments, &scan->dict))
        rc = tk_err_nomem(err, "samples");
    if (rc == TK_OK && scan->facts & TK_FACT_MASK(CALLSTACK) && tk_alloc_places_settle(&scan->places))
        rc = tk_err_nomem(err, "callstacks");
    return rc;
}

static int read_prescan(struct tk_prescan *scan, struct tk_context *ctx, struct tk_capture *capture,
                        struct tk_err *err)
{
    const struct tk_dict_taker taker = {.self = scan, .batch = feed_prescan, .end = end_prescan};
    const struct tk_kept_purpose purpose = {.ctx = ctx, .capture = capture};
    struct tk_request request = {.facts = scan->facts};
    struct tk_dict_source pull = {.ctx = ctx, .dict = &scan->dict};
    int rc = tk_kept_begin(&scan->kept, &purpose, &request, err);
    if (rc == TK_OK)
        rc = tk_dict_source_read(&pull, capture, &request, &taker, err);
    tk_dict_source_close(&pull);
    (void)tk_kept_done(scan->kept, rc);
    scan->kept = NULL;
    return rc;
}

/*
 * Who marks the game frames is the game thread where its name says nothing, if it has scopes: one is enough.
 */

struct scope_search {
    uint32_t thread;
    bool found;
};

static bool is_searched(void *ctx, uint32_t thread)
{
    return ((const struct scope_search *)ctx)->thread == thread;
}

static int look_for_scopes(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct scope_search *s = self;
    (void)err;
    for (size_t i = 0; i < batch->n_runs && !s->found; i++)
        s->found =
            batch->runs[i].kind == TK_LANE_THREAD && batch->runs[i].thread == s->thread && batch->runs[i].n;
    return TK_OK;
}

static int find_frame_thread(struct tk_prescan *scan, struct tk_context *ctx, struct tk_capture *capture,
                             struct tk_err *err)
{
    struct scope_search search = {.thread = scan->marks_frames};
    const struct tk_dict_taker taker = {.self = &search, .batch = look_for_scopes, .enough = &search.found};
    const struct tk_request request = {
        .facts = TK_FACT_MASK(SCOPES), .want_thread = is_searched, .want_ctx = &search};
    struct tk_dict names;
    struct tk_dict_source pull = {.ctx = ctx, .dict = &names};
    if (tk_dict_thread_role(&scan->dict, scan->marks_frames) != TK_ROLE_OTHER)
        return TK_OK;
    int rc = tk_dict_init(&names, &ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_source_read(&pull, capture, &request, &taker, err);
    tk_dict_source_close(&pull);
    tk_dict_release(&names);
    if (search.found)
        scan->dict.frame_thread = search.thread;
    return rc;
}

/* A recorder may begin a frame by itself, and another with the program: where no more is marked there are
 * none. */
static bool has_whole_frame(const struct tk_frames *frames)
{
    if (frames->n == 2 && frames->v[0].from == 0 && frames->v[1].to == INT64_MAX)
        return false;
    for (size_t i = 0; i < frames->n; i++)
        if (frames->v[i].to != INT64_MAX)
            return true;
    return false;
}

static int make_unit(struct tk_frames *frames, struct tk_err *err)
{
    struct tk_range *v = realloc(frames->v, sizeof *v);
    if (!v)
        return tk_err_nomem(err, "frames");
    *v = (struct tk_range){0, TK_RUN_UNIT};
    frames->v = v;
    frames->n = 1;
    return TK_OK;
}

/* Names of queues may stand behind the scopes that are requested: a word may be one of them. */
static bool wants_queues(const struct tk_capture *capture, const struct tk_selection *query)
{
    if (!capture->ops->may_have(capture, TK_FACT_MASK(GPU_QUEUE)) ||
        !capture->ops->may_have(capture, TK_FACT_MASK(GPU)))
        return false;
    for (size_t i = 0; i < query->n_threads; i++)
        if (tk_pattern_is_word(query->threads[i]))
            return true;
    return false;
}

int tk_prescan_run(struct tk_prescan *scan, struct tk_context *ctx, struct tk_capture *capture,
                   const struct tk_selection *query, const struct tk_prescan_wish *wish, struct tk_err *err)
{
    const struct tk_needs_lists *lists = &wish->lists;
    struct tk_frame_list *list = &scan->frame_list;
    uint64_t facts = 0;
    *scan = (struct tk_prescan){.ctx = ctx, .marks_frames = TK_NO_THREAD};
    if (query->has_frames || lists->frames || lists->roles)
        facts |= TK_FRAME_FACTS;
    if (lists->switches)
        facts |= TK_SWITCH_FACTS;
    if (lists->moments)
        facts |= TK_SAMPLE_MOMENT_FACTS;
    if (lists->places)
        facts |= TK_ALLOC_PLACE_FACTS;
    if (query->n_regions || lists->regions)
        facts |= TK_REGION_FACTS;
    if (wants_queues(capture, query))
        facts |= TK_FACT_MASK(GPU);
    tk_bookmark_range_init(&scan->marks, query->from_bookmark, query->to_bookmark);
    if (query->from_bookmark || query->to_bookmark)
        facts |= TK_FACT_MASK(BOOKMARK);
    int rc = tk_dict_init(&scan->dict, &ctx->limits, err);
    if (rc < 0 || (facts == 0 && query->n_threads == 0))
        return rc;
    scan->done = true;
    scan->facts = facts;
    tk_region_list_init(&scan->regions, ctx, "regions");
    tk_frame_list_init(list, ctx, "frames");
    tk_switch_list_init(&scan->switches, ctx);
    tk_sample_moments_init(&scan->moments, ctx);
    tk_alloc_places_init(&scan->places, ctx, wish->allocators);
    rc = read_prescan(scan, ctx, capture, err);
    if (rc == TK_OK)
        rc = tk_frame_list_ranges(list, GAME_FRAMES, &scan->frames, err);
    if (rc == TK_OK && lists->roles)
        rc = find_frame_thread(scan, ctx, capture, err);
    if (rc == TK_OK && (lists->frames & TK_NEEDS_UNIT) == TK_NEEDS_UNIT && !has_whole_frame(&scan->frames))
        rc = make_unit(&scan->frames, err);
    if (!(lists->frames & TK_NEEDS_ALL_FRAMES))
        tk_frame_list_release(list);
    return rc;
}

static int select_times(struct tk_select *select, const struct tk_fact_clock *clock,
                        const struct tk_selection *query, struct tk_err *err)
{
    struct tk_range range = {INT64_MIN, INT64_MAX};
    if (query->has_from && query->has_to && query->from_ns >= query->to_ns)
        return tk_err_set(err, TK_EUSAGE, "the selection ends before it begins");
    if (query->has_from)
        range.from = tk_clock_first(clock, query->from_ns);
    if (query->has_to)
        range.to = tk_clock_first(clock, query->to_ns);
    if (!query->has_from && !query->has_to)
        return TK_OK;
    return tk_select_narrow(select, &range, 1, "from and to are too close to each other", err);
}

/* The next range of a list of frames, "7", "3-9", "3..9" or "3-". false at its end, or where it is no list.
 */
static bool next_frames(const char **list, uint64_t *first, uint64_t *last)
{
    char *end;
    if (**list < '0' || **list > '9')
        return false;
    *first = *last = strtoull(*list, &end, 10);
    const size_t sign = end[0] == '-' ? 1 : end[0] == '.' && end[1] == '.' ? 2 : 0;
    end += sign;
    if (sign)
        *last = *end >= '0' && *end <= '9' ? strtoull(end, &end, 10) : UINT64_MAX;
    *list = end + (*end == ',');
    return true;
}

/* Frames of a list; those behind the last one of the capture are left out, as those of a range are. */
static int select_list(const struct tk_prescan *scan, struct tk_select *select, const char *list,
                       struct tk_err *err)
{
    const struct tk_frames *frames = &scan->frames;
    struct tk_range *ranges = malloc((frames->n + 1) * sizeof *ranges);
    bool *listed = calloc(frames->n + 1, sizeof *listed);
    uint64_t first, last;
    size_t n = 0;
    for (; ranges && listed && next_frames(&list, &first, &last);)
        for (uint64_t i = first; i <= last && i < frames->n; i++)
            listed[i] = true;
    for (size_t i = 0; ranges && listed && i < frames->n; i++)
        if (listed[i])
            ranges[n++] = frames->v[i];
    const int rc = ranges && listed ? tk_select_narrow(select, ranges, n, "the selected frames", err)
                                    : tk_err_nomem(err, "the selected frames");
    free(ranges);
    free(listed);
    return rc;
}

static int select_frames(const struct tk_prescan *scan, struct tk_select *select,
                         const struct tk_selection *query, struct tk_err *err)
{
    const struct tk_frames *frames = &scan->frames;
    if (!query->has_frames)
        return TK_OK;
    if (query->first_frame > query->last_frame)
        return tk_err_set(err, TK_EUSAGE, "the selected frames end before they begin");
    if (frames->n == 0 || frames->v[0].to == TK_RUN_UNIT)
        return tk_frames_missing(scan->ctx, err);
    if (query->first_frame >= frames->n)
        return tk_err_set(err, TK_EMATCH, "there is no frame %llu: the game frames are 0 to %zu",
                          (unsigned long long)query->first_frame, frames->n - 1);
    if (query->frame_list)
        return select_list(scan, select, query->frame_list, err);
    size_t first = (size_t)query->first_frame;
    size_t last = query->last_frame < frames->n ? (size_t)query->last_frame : frames->n - 1;
    return tk_select_narrow(select, frames->v + first, last - first + 1, "the selected frames", err);
}

static int check_regions(const struct tk_prescan *scan, struct tk_select *select, struct tk_err *err)
{
    size_t n = scan->regions.regions.n;
    const struct tk_str **names = malloc((n + 1) * sizeof *names);
    if (!names)
        return tk_err_nomem(err, "the names of regions");
    for (size_t i = 0; i < n; i++)
        names[i] = scan->regions.regions.v[i].name;
    int rc = tk_pattern_check(&select->regions, "region", names, n, err);
    free(names);
    return rc;
}

/* The times of the regions that match. */
static size_t matching(const struct tk_prescan *scan, const struct tk_select *select, struct tk_range *out)
{
    size_t n = 0;
    for (size_t i = 0; i < scan->regions.regions.n; i++) {
        const struct tk_region *r = &scan->regions.regions.v[i];
        if (tk_patterns_pass(&select->regions, r->name))
            out[n++] = (struct tk_range){r->begin, r->state == TK_REGION_OPEN ? INT64_MAX : r->end};
    }
    return n;
}

static int select_regions(const struct tk_prescan *scan, struct tk_select *select, struct tk_err *err)
{
    if (select->regions.n == 0)
        return TK_OK;
    struct tk_range *ranges = malloc((scan->regions.regions.n + 1) * sizeof *ranges);
    if (!ranges)
        return tk_err_nomem(err, "the selected regions");
    int rc = check_regions(scan, select, err);
    if (rc == TK_OK)
        rc = tk_select_narrow(select, ranges, matching(scan, select, ranges), "the selected regions", err);
    free(ranges);
    return rc;
}

static int select_marks(const struct tk_prescan *scan, struct tk_select *select,
                        const struct tk_selection *query, struct tk_err *err)
{
    struct tk_range range;
    if (!query->from_bookmark && !query->to_bookmark)
        return TK_OK;
    int rc = tk_bookmark_range_range(&scan->marks, &range, err);
    return rc < 0 ? rc : tk_select_narrow(select, &range, 1, "between the bookmarks", err);
}

/* Of a capture that was cut, what the cut left. */
static int select_kept(const struct tk_prescan *scan, struct tk_select *select, struct tk_err *err)
{
    const struct tk_kept_part *kept = &scan->ctx->kept;
    const struct tk_range range = {kept->from, kept->to};
    return kept->cut ? tk_select_narrow(select, &range, 1, "what an edit left", err) : TK_OK;
}

int tk_prescan_select(const struct tk_prescan *scan, struct tk_select *select,
                      const struct tk_fact_clock *clock, const struct tk_selection *query, struct tk_err *err)
{
    int rc = select_kept(scan, select, err);
    if (rc == TK_OK)
        rc = select_times(select, clock, query, err);
    if (rc == TK_OK)
        rc = select_frames(scan, select, query, err);
    if (rc == TK_OK)
        rc = select_regions(scan, select, err);
    if (rc == TK_OK)
        rc = select_marks(scan, select, query, err);
    return rc;
}
