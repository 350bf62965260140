/*
 * Names and series of the CSV profiler.
 */
#include "format/utrace/families/marks/marks_in.h"

#include <stdio.h>
#include <string.h>

enum { GAME_FRAMES = 0, RENDERING_FRAMES = 1 };

/* ---- definitions ---- */

int tk_ut_csv_category(struct tk_ut_csv *csv, int32_t number, const struct tk_str *name)
{
    uint32_t at = tk_map_get(&csv->category_index, (uint32_t)number);
    if (at != TK_MAP_NONE) {
        csv->categories.v[at] = name;
        return TK_OK;
    }
    if (tk_vec_push(&csv->categories, name) ||
        tk_map_put(&csv->category_index, (uint32_t)number, (uint32_t)csv->categories.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

static int add_stat(struct tk_ut_csv *csv, uint64_t id, struct tk_ut_csv_stat stat)
{
    if (tk_vec_push(&csv->stats, stat) || tk_map_put(&csv->stat_index, id, (uint32_t)csv->stats.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

/* Key of an inline statistic: names are interned, so that their addresses tell them apart. */
static uint64_t inline_key(int32_t category, const struct tk_str *name)
{
    return tk_hash_u64((uint64_t)(uintptr_t)name) ^ (uint32_t)category;
}

static int define_inline(struct tk_ut_csv *csv, uint64_t id, struct tk_ut_csv_stat stat)
{
    uint64_t key = inline_key(stat.category, stat.name);
    uint32_t at = tk_map_get(&csv->inline_index, key);
    if (at != TK_MAP_NONE && csv->stats.v[at].name == stat.name && csv->stats.v[at].category == stat.category)
        return tk_map_put(&csv->stat_index, id, at) ? TK_ENOMEM : TK_OK;
    if (add_stat(csv, id, stat) != TK_OK)
        return TK_ENOMEM;
    return tk_map_put(&csv->inline_index, key, (uint32_t)csv->stats.n - 1) ? TK_ENOMEM : TK_OK;
}

int tk_ut_csv_define(struct tk_ut_csv *csv, uint64_t id, int32_t category, const struct tk_str *name,
                     bool inlined)
{
    struct tk_ut_csv_stat stat = {.name = name, .category = category};
    uint32_t at = tk_map_get(&csv->stat_index, id);
    if (at != TK_MAP_NONE && (!csv->stats.v[at].name || !inlined)) {
        csv->stats.v[at] = stat; /* used before it was defined, or defined again */
        return TK_OK;
    }
    return inlined ? define_inline(csv, id, stat) : add_stat(csv, id, stat);
}

uint32_t tk_ut_csv_stat(struct tk_ut_csv *csv, uint64_t id)
{
    uint32_t at = tk_map_get(&csv->stat_index, id);
    if (at != TK_MAP_NONE)
        return at;
    at = (uint32_t)csv->stats.n;
    return add_stat(csv, id, (struct tk_ut_csv_stat){.unknown = ++csv->unknown}) == TK_OK ? at : TK_MAP_NONE;
}

/* ---- names ---- */

/* A name being put together from pieces, in memory of the batch. */
struct name {
    uint8_t *p;
    size_t n, capacity;
    bool odd; /* a piece is no text of bytes */
};

static void put_csv_series(struct name *name, const struct tk_str *piece, const char *behind)
{
    size_t more = strlen(behind);
    if (piece->enc == TK_ENC_UTF16)
        name->odd = true;
    if (piece->n + more > name->capacity - name->n)
        return;
    memcpy(name->p + name->n, piece->p, piece->n);
    memcpy(name->p + name->n + piece->n, behind, more);
    name->n += piece->n + more;
}

/* The pieces with '/' between them, NULL ones left out; only the last one where they cannot be put together.
 */
static const struct tk_str *join_csv_series(struct tk_ut_feed *feed, const struct tk_str *const *pieces,
                                            size_t n)
{
    struct name name = {0};
    for (size_t i = 0; i < n; i++)
        name.capacity += pieces[i] ? pieces[i]->n + 1 : 0;
    if (!(name.p = tk_arena_bytes(&feed->out->arena, name.capacity + 1)))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (pieces[i])
            put_csv_series(&name, pieces[i], i + 1 < n ? "/" : "");
    return name.odd ? pieces[n - 1] : tk_intern(&feed->capture->strings, name.p, name.n, TK_ENC_UTF8);
}

static const struct tk_str *category_name(const struct tk_ut_csv *csv, int32_t category)
{
    uint32_t at = category > 0 ? tk_map_get(&csv->category_index, (uint32_t)category) : TK_MAP_NONE;
    return at == TK_MAP_NONE ? NULL : csv->categories.v[at];
}

const struct tk_str *tk_ut_csv_prefixed(struct tk_ut_feed *feed, const struct tk_ut_csv *csv,
                                        int32_t category, const struct tk_str *text)
{
    const struct tk_str *const pieces[] = {category_name(csv, category), text};
    return join_csv_series(feed, pieces, 2);
}

static const struct tk_str *made_up(struct tk_ut_feed *feed, const char *before, uint32_t number,
                                    const char *behind)
{
    char text[40];
    snprintf(text, sizeof text, "%s%lu%s", before, (unsigned long)number, behind);
    return tk_intern_c(&feed->capture->strings, text);
}

/* [COUNTS/][Category/][Thread/]Stat */
static const struct tk_str *series_name(struct tk_ut_feed *feed, const struct tk_ut_csv *csv,
                                        const struct tk_ut_csv_series *series)
{
    static const struct tk_str counts = {"COUNTS", 6, TK_ENC_UTF8};
    const struct tk_ut_csv_stat *stat = &csv->stats.v[series->stat];
    const struct tk_str *name = stat->name ? stat->name : made_up(feed, "[unknown", stat->unknown, "]");
    const struct tk_str *const pieces[] = {
        series->form == TK_UT_CSV_COUNT ? &counts : NULL,
        stat->name ? category_name(csv, stat->category) : NULL,
        series->form == TK_UT_CSV_VALUE ? NULL : csv->threads.v[series->thread].name,
        name,
    };
    return name ? join_csv_series(feed, pieces, 4) : NULL;
}

/* ---- threads ---- */

/* Once a reading: which definition of a thread is its last. */
static int learn_threads(const struct tk_ut_capture *c, struct tk_ut_csv *csv)
{
    for (size_t i = 0; i < c->definitions.n && !csv->learned; i++) {
        const struct tk_fact *fact = &c->definitions.v[i];
        if (fact->kind == TK_FACT_THREAD && fact->u.thread_info.name &&
            tk_map_put(&csv->known, fact->thread, (uint32_t)i))
            return TK_ENOMEM;
    }
    csv->learned = true;
    return TK_OK;
}

static const struct tk_fact_thread *known_thread(const struct tk_ut_feed *feed, const struct tk_ut_csv *csv,
                                                 uint32_t id)
{
    uint32_t at = tk_map_get(&csv->known, id);
    return at == TK_MAP_NONE ? NULL : &feed->capture->definitions.v[at].u.thread_info;
}

static bool begins_with(const struct tk_str *name, const char *text)
{
    return name && name->n >= strlen(text) && memcmp(name->p, text, strlen(text)) == 0;
}

/* Name and frames of a thread. Before a capture begins, threads are known by their usual names. */
static int describe_thread(struct tk_ut_feed *feed, struct tk_ut_csv *csv, struct tk_ut_csv_thread *thread)
{
    const struct tk_fact_thread *known = known_thread(feed, csv, thread->id);
    const struct tk_str *name = known ? known->name : made_up(feed, "Thread ", thread->id, "");
    bool renders = csv->capturing ? thread->id == csv->render : begins_with(name, "RenderThread");
    thread->renders = renders || (csv->capturing ? thread->id == csv->rhi : begins_with(name, "RHIThread"));
    thread->name = renders ? tk_intern_c(&feed->capture->strings, "RenderThread") : name;
    return thread->name ? TK_OK : TK_ENOMEM;
}

struct tk_ut_csv_thread *tk_ut_csv_thread(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t id)
{
    struct tk_ut_csv_thread thread = {.id = id};
    uint32_t at = tk_map_get(&csv->thread_index, id);
    if (at != TK_MAP_NONE)
        return &csv->threads.v[at];
    at = (uint32_t)csv->threads.n;
    if (learn_threads(feed->capture, csv) != TK_OK || describe_thread(feed, csv, &thread) != TK_OK ||
        tk_vec_push(&csv->threads, thread) || tk_map_put(&csv->thread_index, id, at))
        return NULL;
    return &csv->threads.v[at];
}

/* The thread of a number in the operating system; where none has it, the number is the thread. */
static uint32_t resolve(const struct tk_ut_capture *c, uint32_t number)
{
    for (size_t i = 0; i < c->definitions.n && number; i++) {
        const struct tk_fact *fact = &c->definitions.v[i];
        if (fact->kind == TK_FACT_THREAD && fact->u.thread_info.has_system &&
            fact->u.thread_info.system_id == number)
            return fact->thread;
    }
    return number ? number : TK_NO_THREAD;
}

int tk_ut_csv_capture(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t render, uint32_t rhi,
                      bool counts)
{
    int rc = TK_OK;
    csv->capturing = true;
    csv->counts = counts;
    csv->render = resolve(feed->capture, render);
    csv->rhi = resolve(feed->capture, rhi);
    for (size_t i = 0; i < csv->threads.n && rc == TK_OK; i++)
        rc = describe_thread(feed, csv, &csv->threads.v[i]);
    return rc == TK_OK ? tk_ut_csv_say_again(feed, csv) : rc;
}

/* ---- series ---- */

static int say_csv_series(struct tk_ut_feed *feed, struct tk_ut_csv *csv, size_t at, bool always)
{
    struct tk_ut_csv_series *series = &csv->series.v[at];
    const struct tk_ut_csv_thread *thread = &csv->threads.v[series->thread];
    const struct tk_str *name = series_name(feed, csv, series);
    struct tk_fact fact = {
        .kind = TK_FACT_COUNTER, .size = sizeof fact, .thread = thread->id, .seq = TK_NO_SEQ};
    if (!name)
        return TK_ENOMEM;
    if (!always && name == series->said && thread->renders == series->said_renders)
        return TK_OK;
    fact.u.counter = (struct tk_fact_counter){
        .id = at,
        .kind = TK_COUNTER_SERIES,
        .unit = series->form == TK_UT_CSV_TIMER ? TK_COUNTER_CYCLES : TK_COUNTER_NUMBER,
        .frames = thread->renders ? RENDERING_FRAMES : GAME_FRAMES,
        .name = series->said = name,
        .group = category_name(csv, csv->stats.v[series->stat].category),
    };
    series->said_renders = thread->renders;
    return tk_ut_emit(feed, &fact);
}

int tk_ut_csv_series(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t stat, uint32_t thread,
                     enum tk_ut_csv_form form, uint32_t *out)
{
    struct tk_ut_csv_series series = {.stat = stat, .form = form};
    series.thread = tk_map_get(&csv->thread_index, thread);
    uint64_t key = (uint64_t)stat << 32 | (uint64_t)series.thread << 2 | form;
    *out = tk_map_get(&csv->series_index, key);
    if (*out != TK_MAP_NONE)
        return TK_OK;
    if (csv->series.n >= feed->capture->ctx->limits.counters) {
        tk_health_limit(&feed->out->health, TK_LIMIT_counters, TK_NO_OFFSET, 1,
                        "the value of a series was left out");
        return TK_OK;
    }
    *out = (uint32_t)csv->series.n;
    if (tk_vec_push(&csv->series, series) || tk_map_put(&csv->series_index, key, *out))
        return TK_ENOMEM;
    return say_csv_series(feed, csv, *out, true);
}

int tk_ut_csv_say_again(struct tk_ut_feed *feed, struct tk_ut_csv *csv)
{
    int rc = TK_OK;
    for (size_t i = 0; i < csv->series.n && rc == TK_OK; i++)
        rc = say_csv_series(feed, csv, i, false);
    return rc;
}

void tk_ut_csv_begin(struct tk_ut_csv *csv)
{
    for (size_t i = 0; i < csv->threads.n; i++) {
        tk_vec_release(&csv->threads.v[i].timers);
        tk_vec_release(&csv->threads.v[i].exclusive);
    }
    csv->threads.n = csv->series.n = 0;
    tk_map_release(&csv->thread_index);
    tk_map_release(&csv->series_index);
    tk_map_release(&csv->known);
    csv->learned = csv->capturing = csv->counts = false;
}

void tk_ut_csv_release(struct tk_ut_csv *csv)
{
    tk_ut_csv_begin(csv);
    tk_vec_release(&csv->threads);
    tk_vec_release(&csv->series);
    tk_vec_release(&csv->stats);
    tk_vec_release(&csv->categories);
    tk_map_release(&csv->category_index);
    tk_map_release(&csv->stat_index);
    tk_map_release(&csv->inline_index);
}
