/*
 * GPU queues, their timers and their two stacks.
 */
#include "format/utrace/families/threads/gpu_clock.h"
#include "format/utrace/families/threads/threads_in.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/timer_ids.h"

#include <stdio.h>
#include <string.h>

/*
 * Microseconds as parts of cycles.
 */

#define SECOND UINT64_C(1000000)
#define DAY    UINT64_C(86400)

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_called(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

static bool has_frames(const struct tk_ut_schema *schema)
{
    for (size_t i = 0; i < schema->types.n; i++) {
        const struct tk_ut_type *t = schema->types.v[i];
        if (is_called(t->logger, "GpuProfiler") &&
            (is_called(t->event, "Frame") || is_called(t->event, "Frame2")))
            return true;
    }
    return false;
}

uint32_t tk_ut_gpu_clock_parts(const struct tk_ut_capture *c)
{
    const uint64_t frequency = c->clock.frequency, most = (uint64_t)INT64_MAX / DAY;
    if (!frequency || frequency > most || !has_frames(&c->schema))
        return 1;
    const uint64_t parts = SECOND / common_divisor(frequency, SECOND);
    return (uint32_t)(parts <= most / frequency ? parts : most / frequency);
}

bool tk_ut_gpu_clock_time(const struct tk_ut_capture *c, uint64_t us, int64_t *time)
{
    const uint64_t frequency = c->clock.frequency, parts = c->base.parts ? c->base.parts : 1;
    if (!frequency) {
        *time = (int64_t)(us - c->clock.start);
        return us >= c->clock.start;
    }
    if (frequency > INT64_MAX / DAY || c->clock.start / frequency > INT64_MAX)
        return false;
    const uint64_t unit = frequency * parts, rest = us % SECOND;
    const int64_t seconds = (int64_t)(us / SECOND) - (int64_t)(c->clock.start / frequency);
    const int64_t within =
        (int64_t)(rest * (unit / SECOND) + (rest * (unit % SECOND) + SECOND / 2) / SECOND) -
        (int64_t)(c->clock.start % frequency * parts);
    if (seconds < -1 || seconds >= INT64_MAX / (int64_t)unit - 1)
        return false;
    *time = seconds * (int64_t)unit + within;
    return *time >= 0;
}

/* ---- queues ---- */

static const struct tk_str *intern(struct tk_ut_feed *feed, const char *text)
{
    return tk_intern_c(&feed->capture->strings, text);
}

/* The types that a number stands for; others are known by their text only. */
static const char *type_name(uint64_t key)
{
    static const char *const types[] = {"Graphics", "Compute", "Copy", "SwapChain"};
    return (key & 0xff) < sizeof types / sizeof types[0] ? types[key & 0xff] : "Type";
}

/* "GPU0-Graphics0"; of the old form, which knows whole GPUs only, "GPU1". */
static const struct tk_str *queue_name(struct tk_ut_feed *feed, const struct tk_fact_gpu_queue *info)
{
    char text[160];
    if (info->key & TK_UT_GPU_OLD) {
        snprintf(text, sizeof text, "GPU%u", info->gpu + 1);
        return intern(feed, text);
    }
    if (info->type && info->type->enc != TK_ENC_UTF8)
        return info->type;
    const char *type = info->type ? info->type->p : type_name(info->key);
    snprintf(text, sizeof text, "GPU%u-%.*s%u", info->gpu, info->type ? (int)info->type->n : 64, type,
             info->index);
    return intern(feed, text);
}

static int say_queue(struct tk_ut_feed *feed, const struct tk_ut_gpu_queue *q)
{
    struct tk_fact fact = {
        .kind = TK_FACT_GPU_QUEUE, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.gpu_queue = q->info;
    fact.u.gpu_queue.key = (uint32_t)q->info.key;
    return tk_ut_define(feed, &fact);
}

static int name_queue(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, const struct tk_str *type)
{
    q->info.type = type;
    q->info.name = queue_name(feed, &q->info);
    return q->info.name ? say_queue(feed, q) : TK_ENOMEM;
}

static void line_begin(struct tk_ut_gpu_line *line)
{
    line->open.n = 0;
    line->over = 0;
    line->last = INT64_MIN;
}

static void queue_begin(struct tk_ut_gpu_queue *q)
{
    line_begin(&q->marks);
    line_begin(&q->work);
    q->last_end = INT64_MIN;
    q->draws = q->primitives = 0;
    q->work_begin = INT64_MIN;
    q->worked = -1;
    q->waited = 0;
    q->dropped = 0;
    q->drawn = q->has_us = false;
}

void tk_ut_gpu_start(struct tk_ut_gpu *g)
{
    for (size_t i = 0; i < g->queues.n; i++)
        queue_begin(&g->queues.v[i]);
}

static struct tk_ut_gpu_queue *add_queue(struct tk_ut_gpu *g, uint64_t key)
{
    struct tk_ut_gpu_queue q = {.info = {.id = (uint32_t)g->queues.n, .key = key}};
    bool old = key & TK_UT_GPU_OLD;
    q.info.gpu = old ? (uint32_t)key : (uint32_t)(key >> 8 & 0xff);
    q.info.index = old ? 0 : (uint32_t)(key >> 16 & 0xff);
    queue_begin(&q);
    if (tk_vec_push(&g->queues, q) || tk_map_put(&g->index, key, q.info.id))
        return NULL;
    return &g->queues.v[q.info.id];
}

static struct tk_ut_gpu_queue *find_queue(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t key, int *rc)
{
    uint32_t id = tk_map_get(&g->index, key);
    *rc = TK_OK;
    if (id != TK_MAP_NONE)
        return &g->queues.v[id];
    if (g->queues.n >= feed->capture->ctx->limits.threads) {
        tk_health_limit(&feed->out->health, TK_LIMIT_threads, TK_NO_OFFSET, 1, "a GPU queue was left out");
        return NULL;
    }
    struct tk_ut_gpu_queue *q = add_queue(g, key);
    *rc = q ? TK_OK : TK_ENOMEM;
    return q;
}

struct tk_ut_gpu_queue *tk_ut_gpu_queue(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t key, int *rc)
{
    struct tk_ut_gpu_queue *q = find_queue(feed, g, key, rc);
    if (!q)
        return NULL;
    if (!q->info.name)
        *rc = name_queue(feed, q, NULL);
    q->writer = feed->lane ? feed->lane->tid : 0;
    return *rc == TK_OK ? q : NULL;
}

int tk_ut_gpu_define(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t key, const struct tk_str *type)
{
    int rc;
    struct tk_ut_gpu_queue *q = find_queue(feed, g, key, &rc);
    return q ? name_queue(feed, q, type && type->n ? type : NULL) : rc;
}

/* ---- timers ---- */

int tk_ut_gpu_spec(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, const struct tk_str *name)
{
    uint32_t timer, at;
    int rc = tk_ut_timer_named(feed, name, TK_TIMER_GPU, &timer);
    if (rc == TK_OK && tk_map_put(&g->specs, spec, timer))
        rc = TK_ENOMEM;
    if (rc != TK_OK || (at = tk_map_get(&g->late_index, spec)) == TK_MAP_NONE)
        return rc;
    g->late.v[at].reported = true;
    return tk_ut_timer_reported(feed, g->late.v[at].slot, timer);
}

static int name_unknown(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, uint32_t *timer)
{
    char text[48];
    (void)g;
    snprintf(text, sizeof text, "<unknown %lu>", (unsigned long)(uint32_t)spec);
    const struct tk_str *name = intern(feed, text);
    return name ? tk_ut_timer_named(feed, name, TK_TIMER_GPU, timer) : TK_ENOMEM;
}

static int wait_for_spec(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, uint32_t *out)
{
    struct tk_ut_gpu_late late = {.spec = spec, .slot = tk_ut_timer_slot(feed)};
    uint32_t timer;
    if (late.slot == TK_MAP_NONE)
        return name_unknown(feed, g, spec, out);
    if (tk_vec_push(&g->late, late) || tk_map_put(&g->late_index, spec, (uint32_t)g->late.n - 1))
        return TK_ENOMEM;
    *out = TK_LATE + late.slot;
    /* until its definition comes, if it does: rows of single scopes do not wait for the end */
    const int rc = name_unknown(feed, g, spec, &timer);
    return rc == TK_OK ? tk_ut_timer_reported(feed, late.slot, timer) : rc;
}

/* The state of this family in another reading of the capture. */
static const struct tk_ut_gpu *same_in(const struct tk_ut_capture *c, const struct tk_ut_gpu *g,
                                       const struct tk_ut_capture *other)
{
    size_t i = 0;
    while (c->states[i] != g)
        i++;
    return other->states[i];
}

/* Defines a spec as the capture does later. */
static int define_ahead(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec)
{
    const struct tk_ut_capture *ahead;
    const int rc = tk_ut_look_ahead(feed, &ahead);
    const uint32_t timer = ahead ? tk_map_get(&same_in(feed->capture, g, ahead)->specs, spec) : TK_MAP_NONE;
    if (rc != TK_OK || timer == TK_MAP_NONE)
        return rc;
    const struct tk_str *name = tk_ut_own_text(feed, ahead->timers->timers.v[timer].name);
    return name ? tk_ut_gpu_spec(feed, g, spec, name) : TK_ENOMEM;
}

int tk_ut_gpu_timer(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, uint32_t *out)
{
    *out = tk_map_get(&g->specs, spec);
    if (*out != TK_MAP_NONE)
        return TK_OK;
    const int rc = define_ahead(feed, g, spec);
    *out = tk_map_get(&g->specs, spec);
    if (rc != TK_OK || *out != TK_MAP_NONE)
        return rc;
    uint32_t at = tk_map_get(&g->late_index, spec);
    if (at == TK_MAP_NONE)
        return wait_for_spec(feed, g, spec, out);
    *out = TK_LATE + g->late.v[at].slot;
    return TK_OK;
}

void tk_ut_gpu_settle(struct tk_ut_feed *feed, struct tk_ut_gpu *g)
{
    for (size_t i = 0; i < g->late.n; i++) {
        if (!g->late.v[i].reported)
            tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, 1,
                           "scopes refer to GPU timer %lu, which is not defined",
                           (unsigned long)(uint32_t)g->late.v[i].spec);
        g->late.v[i].reported = true;
    }
}

/* ---- scopes ---- */

static struct tk_ut_gpu_line *line_of(struct tk_ut_gpu_queue *q, uint8_t kind)
{
    return kind == TK_LANE_GPU ? &q->marks : &q->work;
}

static int put_gpu_queue(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint8_t kind, int64_t t,
                         uint32_t op)
{
    struct tk_ut_gpu_line *line = line_of(q, kind);
    if (t > line->last)
        line->last = t;
    if (!feed->scopes || !tk_ut_requested(feed, TK_FACT_MASK(GPU_SCOPES)))
        return TK_OK;
    return tk_ut_scopes_queue(feed, kind, q->info.id, t, op);
}

void tk_ut_gpu_drop(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, const char *why)
{
    q->dropped++;
    tk_health_note(&feed->out->health, TK_HEALTH_GPU_TIME_DROPPED, TK_NO_OFFSET, 1, "GPU queue %u: %s",
                   q->info.id, why);
}

int tk_ut_gpu_begin(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint8_t kind, uint32_t timer,
                    struct tk_ut_gpu_time time)
{
    struct tk_ut_gpu_line *line = line_of(q, kind);
    if (!time.there)
        tk_ut_gpu_drop(feed, q, "a begin has no time");
    if (line->over || line->open.n >= feed->capture->ctx->limits.pending_scopes)
        line->over++;
    else if (tk_vec_push(&line->open, !time.there))
        return TK_ENOMEM;
    return time.there ? put_gpu_queue(feed, q, kind, time.t, timer) : TK_OK;
}

int tk_ut_gpu_end(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint8_t kind,
                  struct tk_ut_gpu_time time)
{
    struct tk_ut_gpu_line *line = line_of(q, kind);
    bool known = line->over || line->open.n, left_out = false;
    if (!time.there)
        tk_ut_gpu_drop(feed, q, "an end has no time");
    if (line->over)
        line->over--;
    else if (line->open.n)
        left_out = line->open.v[--line->open.n];
    if (left_out || (!known && !time.there))
        return TK_OK;
    return time.there ? put_gpu_queue(feed, q, kind, time.t, TK_OP_END)
                      : put_gpu_queue(feed, q, kind, line->last, TK_OP_LOSE);
}

static int cut_queue(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q)
{
    static const uint8_t kinds[] = {TK_LANE_GPU, TK_LANE_GPU_WORK};
    bool dropped = false;
    int rc = TK_OK;
    for (size_t k = 0; k < 2 && rc == TK_OK; k++) {
        struct tk_ut_gpu_line *line = line_of(q, kinds[k]);
        bool any = line->open.n || line->over;
        dropped |= any;
        line->open.n = 0;
        line->over = 0;
        if (any)
            rc = put_gpu_queue(feed, q, kinds[k], line->last, TK_OP_CUT);
    }
    q->work_begin = INT64_MIN;
    if (dropped)
        tk_ut_gpu_drop(feed, q, "scopes that were open where events are lost have no end");
    return rc;
}

int tk_ut_gpu_cut(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint32_t writer)
{
    int rc = TK_OK;
    for (size_t i = 0; i < g->queues.n && rc == TK_OK; i++)
        if (writer == TK_NO_THREAD || g->queues.v[i].writer == writer)
            rc = cut_queue(feed, &g->queues.v[i]);
    return rc;
}

/* ---- frames ---- */

int tk_ut_gpu_frame(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint64_t number, bool partial)
{
    int64_t last = q->marks.last > q->work.last ? q->marks.last : q->work.last;
    struct tk_fact fact = {
        .kind = TK_FACT_GPU, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.gpu = (struct tk_fact_gpu){.queue = q->info.id,
                                      .what = TK_GPU_FRAME,
                                      .timed = last != INT64_MIN,
                                      .partial = partial,
                                      .dropped = q->dropped,
                                      .number = number,
                                      .work = q->worked,
                                      .waiting = q->waited,
                                      .draws = q->draws,
                                      .primitives = q->primitives};
    fact.time = fact.u.gpu.timed ? last : 0;
    q->draws = q->primitives = 0;
    q->worked = q->worked < 0 ? -1 : 0;
    q->waited = 0;
    q->dropped = 0;
    q->drawn = false;
    return tk_ut_requested(feed, TK_FACT_MASK(GPU)) ? tk_ut_emit(feed, &fact) : TK_OK;
}
