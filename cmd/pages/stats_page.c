/*
 * Stats page: what trace-stats shows unasked.
 *
 * Of frames there can be very many: only their durations are kept.
 */
#include "pages/pages_in.h"
#include "pages/summary_pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const tk_stats_page_tables[TK_STATS_PAGE_TABLES + 1] = {
    "crash", "capture", "frame_stats", "frames", "threads", "gpu_queues", NULL};

#define NAME_BYTES    40
#define MESSAGE_BYTES 120
#define MOST_QUEUES   2

struct tk_stats_page {
    struct tk_result *kept; /* owned: all but frames */
    struct tk_game_frames frames;
};

int tk_stats_page_new(struct tk_stats_page **out, struct tk_err *err)
{
    struct tk_stats_page *page = calloc(1, sizeof *page);
    int rc = page ? tk_result_new(&page->kept, err) : TK_ENOMEM;
    if (rc < 0) {
        free(page);
        page = NULL;
    }
    *out = page;
    return rc;
}

void tk_stats_page_free(struct tk_stats_page *page)
{
    if (!page)
        return;
    tk_result_free(page->kept);
    tk_game_frames_release(&page->frames);
    free(page);
}

static bool is_frames(const struct tk_table *table)
{
    return strcmp(table->name, "frames") == 0;
}

static bool is_late(const struct tk_table *table)
{
    return strcmp(table->name, "late_frames") == 0;
}

static int begin_page(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_stats_page *page = self;
    const struct tk_sink keep = tk_result_sink(page->kept);
    return is_frames(table) || is_late(table) ? TK_OK : keep.begin(keep.self, table, err);
}

static int rows_page(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_stats_page *page = self;
    const struct tk_sink keep = tk_result_sink(page->kept);
    if (!is_frames(table) && !is_late(table))
        return keep.rows(keep.self, table, rows, err);
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc >= 0; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (is_late(table))
            tk_game_frames_add_late(&page->frames, table, row);
        else
            rc = tk_game_frames_add(&page->frames, table, row);
    }
    return rc;
}

static int end_page(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_stats_page *page = self;
    const struct tk_sink keep = tk_result_sink(page->kept);
    return is_frames(table) || is_late(table) || !keep.end ? TK_OK : keep.end(keep.self, table, err);
}

struct tk_sink tk_stats_page_sink(struct tk_stats_page *page)
{
    return (struct tk_sink){.self = page, .begin = begin_page, .rows = rows_page, .end = end_page};
}

void tk_stats_page_ask(const struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       struct tk_query *query, struct tk_page_threads *space)
{
    const struct tk_answer threads = tk_answer_find(page->kept, "threads"),
                           queues = tk_answer_find(page->kept, "gpu_queues");
    struct tk_main_threads main;
    tk_main_threads_find(&main, &threads);
    tk_page_timers_ask(query, &threads, &queues, look->all_threads ? NULL : &main,
                       page->frames.n > 0 && (look->all_threads || tk_main_threads_named(&main)), space);
}

bool tk_stats_page_ask_bound(const struct tk_stats_page *page, struct tk_query *query)
{
    static const char *const tables[] = {"bound_shares", "smoothness", "late_frames"};
    query->tables = tables;
    query->n_tables = sizeof tables / sizeof *tables;
    query->by = TK_BY_EXTRA;
    return page->frames.n && !tk_answer_find(page->kept, tables[0]).table;
}

bool tk_stats_page_ask_samples(const struct tk_stats_page *page, struct tk_query *query)
{
    static const char *const tables[] = {"samples"};
    const struct tk_answer threads = tk_answer_find(page->kept, "threads");
    struct tk_main_threads main;
    tk_main_threads_find(&main, &threads);
    query->tables = tables;
    query->n_tables = 1;
    query->by = TK_BY_EXTRA;
    return main.used == 0;
}

/* ---- the page ---- */

/* Where and when, and the first line of what was said of it. */
static void put_crash(struct tk_lines *l, const struct tk_answer *crash)
{
    tk_lines_begin(l, "crash");
    if (crash->n_rows == 0)
        return;
    const struct tk_cell *time = tk_answer_cell(crash, 0, "time");
    struct tk_cell said = *tk_answer_cell(crash, 0, "message");
    const char *end = said.kind == TK_TEXT && said.n ? memchr(said.v.p, '\n', said.n) : NULL;
    if (end)
        said.n = (uint32_t)(end - (const char *)said.v.p);
    if (said.kind == TK_TEXT && said.enc == TK_ENC_UTF8 && said.n &&
        ((const char *)said.v.p)[said.n - 1] == '.')
        said.n--; /* more follows */
    tk_lines_cell(l, tk_answer_cell(crash, 0, "thread"), NAME_BYTES);
    if (time->kind == TK_TIME && time->v.i >= 0) /* else the clock of the recorder was another */
        tk_lines_put(l, " at %.6f s", (double)time->v.i / 1e9);
    tk_lines_comma(l);
    tk_lines_cell(l, &said, MESSAGE_BYTES);
    tk_lines_put(l, "; more: trace-info --full");
}

static void put_capture(struct tk_lines *l, const struct tk_answer *capture, uint64_t threads)
{
    tk_lines_begin(l, "capture");
    if (capture->n_rows == 0)
        return;
    tk_lines_cell(l, tk_answer_cell(capture, 0, "app"), NAME_BYTES);
    const struct tk_cell *duration = tk_answer_cell(capture, 0, "dur");
    if (duration->kind == TK_DURATION) {
        tk_lines_comma(l);
        tk_lines_span(l, (double)duration->v.i, 4);
    }
    tk_lines_comma(l);
    tk_lines_put(l, "%" PRIu64 " thread%s with scopes", threads, threads == 1 ? "" : "s");
    if (tk_answer_cell(capture, 0, "truncated")->v.u)
        tk_lines_put(l, ", the file is cut off");
    if (tk_answer_cell(capture, 0, "damaged")->v.u)
        tk_lines_put(l, ", damaged");
}

static void put_named_span(struct tk_lines *l, const char *name, const struct tk_cell *span)
{
    if (span->kind != TK_DURATION)
        return;
    tk_lines_put(l, ", %s ", name);
    tk_lines_span(l, (double)span->v.i, 4);
}

static void put_durations(struct tk_lines *l, const struct tk_answer *stats, size_t row)
{
    put_named_span(l, "median", tk_answer_cell(stats, row, "median"));
    put_named_span(l, "p95", tk_answer_cell(stats, row, "p95"));
    put_named_span(l, "p99", tk_answer_cell(stats, row, "p99"));
}

static void put_worst(struct tk_lines *l, const struct tk_game_frames *frames)
{
    tk_lines_begin(l, "worst");
    if (frames->n == 0)
        return;
    tk_lines_span(l, (double)frames->v[0].duration, 4);
    tk_lines_put(l, " (frame %" PRIu64 "%s)", frames->v[0].index,
                 frames->v[0].lost ? ", in which events were lost" : "");
}

static void put_frames(struct tk_lines *l, const struct tk_stats_page *page, const struct tk_answer *stats)
{
    bool other = false;
    for (size_t i = 0; i < stats->n_rows; i++) {
        const uint64_t count = tk_answer_cell(stats, i, "count")->v.u;
        if (count == 0 || (tk_answer_cell(stats, i, "type_id")->v.u != 0 && other))
            continue;
        if (tk_answer_cell(stats, i, "type_id")->v.u == 0) {
            tk_lines_begin(l, "frames");
            tk_lines_put(l, "%" PRIu64, count);
            tk_game_frames_put_open(stats, i, l);
            put_durations(l, stats, i);
            tk_game_frames_put_lost(&page->frames, l);
            put_worst(l, &page->frames);
        } else {
            other = true;
            tk_lines_begin(l, "also");
            tk_lines_put(l, "%" PRIu64 " ", count);
            tk_lines_cell(l, tk_answer_cell(stats, i, "type"), NAME_BYTES);
            tk_game_frames_put_open(stats, i, l);
            put_durations(l, stats, i);
        }
    }
}

/* The row of game frames, or the number of rows. */
static size_t game_row(const struct tk_answer *stats)
{
    size_t i = 0;
    while (i < stats->n_rows &&
           (tk_answer_cell(stats, i, "type_id")->v.u != 0 || tk_answer_cell(stats, i, "count")->v.u == 0))
        i++;
    return i;
}

/* "6.94 ms GameThread, 1.68 ms RenderThread": a name may end in a number, so it comes behind. */
static void put_amount(struct tk_lines *l, double ns, const struct tk_cell *name)
{
    tk_lines_comma(l);
    tk_lines_span(l, ns, 3);
    tk_lines_put(l, " ");
    tk_lines_cell(l, name, NAME_BYTES);
}

/* What the threads with a role worked inside of frames, ns in all; by rank. */
struct inside {
    double working[3], off_core; /* off_core: of the game thread, which is no work */
    bool known[3];
};

static struct inside inside_of(const struct tk_answer *shares)
{
    static const char *const columns[] = {"game", "render", "rhi"};
    struct inside in = {.off_core = 0};
    for (size_t i = 0; i < shares->n_rows; i++) {
        const double frames = (double)tk_answer_cell(shares, i, "frames")->v.u;
        const struct tk_cell *off = tk_answer_cell(shares, i, "off_core");
        in.off_core += off->kind == TK_MEAN ? off->v.r * frames : 0;
        for (size_t k = 0; k < 3; k++) {
            const struct tk_cell *mean = tk_answer_cell(shares, i, columns[k]);
            in.known[k] |= mean->kind == TK_MEAN;
            in.working[k] += mean->kind == TK_MEAN ? mean->v.r * frames : 0;
        }
    }
    return in;
}

/* Is it the thread that has its role in frames? */
static bool has_role(const struct tk_main_threads *main, size_t i, const struct inside *in)
{
    const unsigned rank = main->v[i].rank;
    return rank < 3 && in->known[rank] && (i == 0 || main->v[i - 1].rank != rank);
}

/* What a thread worked: in frames, as far as that is known. in_frames: the table of threads of frames.
 */
static double working_of(const struct tk_main_threads *main, size_t i, const struct inside *in,
                         const struct tk_answer *in_frames)
{
    if (has_role(main, i, in))
        return in->working[main->v[i].rank];
    for (size_t row = 0; row < in_frames->n_rows; row++)
        if (tk_answer_cell(in_frames, row, "thread_id")->v.u == main->v[i].id)
            return (double)tk_answer_cell(in_frames, row, "working")->v.i;
    return (double)main->v[i].working;
}

/* Work inside of frames, by frame: what lies between frames is no frame's. */
static void put_threads(struct tk_lines *l, const struct tk_answer *threads,
                        const struct tk_main_threads *main, uint64_t frames, const struct inside *in,
                        const struct tk_answer *in_frames)
{
    tk_lines_begin(l, frames ? "working/frame" : "working");
    for (size_t i = 0; i < main->n; i++) {
        const double working = frames ? working_of(main, i, in, in_frames) : (double)main->v[i].working;
        put_amount(l, working / (double)(frames ? frames : 1),
                   tk_answer_cell(threads, main->v[i].row, "thread"));
        if (main->v[i].waiting > 0 && main->v[i].busy > 0)
            tk_lines_put(l, " (waits %.1f %%)", 100 * (double)main->v[i].waiting / (double)main->v[i].busy);
    }
}

#define OUTSIDE_LEAST 0.01 /* of the work of a thread that lies in no frame: less is not reported */

/* Work of the game thread that lies in no frame, in ns; 0: not worth a word, or not known. */
static double outside_of(const struct tk_main_threads *main, const struct inside *in)
{
    if (!main->n || main->v[0].rank != 0 || !in->known[0])
        return 0;
    const double all = (double)main->v[0].working, outside = all - in->working[0] - in->off_core;
    return outside < OUTSIDE_LEAST * all ? 0 : outside;
}

/* "42.6 ms/s GameThread". */
static void put_outside(struct tk_lines *l, const struct tk_answer *threads, const struct tk_answer *capture,
                        const struct tk_main_threads *main, const struct inside *in)
{
    const struct tk_cell *duration = capture->n_rows ? tk_answer_cell(capture, 0, "dur") : NULL;
    const double outside = outside_of(main, in);
    if (outside <= 0 || !duration || duration->kind != TK_DURATION || duration->v.i <= 0)
        return;
    tk_lines_begin(l, "outside frames");
    tk_lines_put(l, "works %.3g ms/s ", 1e3 * outside / (double)duration->v.i);
    tk_lines_cell(l, tk_answer_cell(threads, main->v[0].row, "thread"), NAME_BYTES);
}

/* Could a thread without a role work outside of frames so much that it matters? */
static bool may_work_outside(const struct tk_stats_page *page, const struct tk_main_threads *main,
                             const struct inside *in)
{
    const struct tk_answer capture = tk_answer_find(page->kept, "capture"),
                           stats = tk_answer_find(page->kept, "frame_stats");
    const size_t game = game_row(&stats);
    if (!capture.n_rows || game == stats.n_rows)
        return false;
    const struct tk_cell *whole = tk_answer_cell(&capture, 0, "dur"),
                         *frames = tk_answer_cell(&stats, game, "total");
    if (whole->kind != TK_DURATION || frames->kind != TK_DURATION)
        return false;
    for (size_t i = 0; i < main->n; i++)
        if (!has_role(main, i, in) &&
            (double)whole->v.i - (double)frames->v.i > OUTSIDE_LEAST * (double)main->v[i].working)
            return true;
    return false;
}

bool tk_stats_page_ask_inside(const struct tk_stats_page *page, const struct tk_stats_page_look *look,
                              struct tk_query *query, struct tk_page_threads *space)
{
    const struct tk_answer threads = tk_answer_find(page->kept, "threads"),
                           shares = tk_answer_find(page->kept, "bound_shares");
    const struct inside in = inside_of(&shares);
    struct tk_main_threads main;
    tk_main_threads_find(&main, &threads);
    static const char *const tables[] = {"timers", "threads"};
    if (look->selected || !page->frames.n ||
        (outside_of(&main, &in) <= 0 && !may_work_outside(page, &main, &in)))
        return false;
    tk_stats_page_ask(page, look, query, space);
    query->tables = tables;
    query->n_tables = sizeof tables / sizeof *tables;
    query->n_columns = 0;
    query->select.has_frames = true;
    for (size_t i = 0; i < page->frames.n; i++)
        if (page->frames.v[i].index > query->select.last_frame)
            query->select.last_frame = page->frames.v[i].index;
    return true;
}

static void put_gpu(struct tk_lines *l, const struct tk_answer *queues, uint64_t frames)
{
    size_t displayed = 0;
    tk_lines_begin(l, frames ? "gpu/frame" : "gpu");
    for (size_t i = 0; i < queues->n_rows && displayed < MOST_QUEUES; i++) {
        const struct tk_cell *busy = tk_answer_cell(queues, i, "busy");
        if (busy->kind != TK_DURATION || busy->v.i <= 0)
            continue;
        put_amount(l, (double)busy->v.i / (double)(frames ? frames : 1), tk_answer_cell(queues, i, "queue"));
        displayed++;
    }
}

/* "limiter in 99.2 % of frames, game in 0.8 %". */
static void put_bound(struct tk_lines *l, const struct tk_answer *shares)
{
    tk_lines_begin(l, "bound");
    for (size_t i = 0; i < shares->n_rows; i++) {
        tk_lines_comma(l);
        tk_lines_cell(l, tk_answer_cell(shares, i, "bound_by"), NAME_BYTES);
        tk_lines_put(l, " in %.1f %%%s", 100 * tk_answer_cell(shares, i, "share")->v.r,
                     i ? "" : " of frames");
    }
}

/* Stack samples, where there are no scopes that would say more. */
static uint64_t samples_of(const struct tk_stats_page *page)
{
    const struct tk_answer samples = tk_answer_find(page->kept, "samples");
    uint64_t n = 0;
    for (size_t i = 0; i < samples.n_rows; i++)
        n += tk_answer_cell(&samples, i, "count")->v.u;
    return n;
}

static void put_samples(struct tk_lines *l, const struct tk_stats_page *page)
{
    const uint64_t n = samples_of(page);
    if (!n)
        return;
    tk_lines_begin(l, "samples");
    tk_lines_put(l, "%" PRIu64 " of stacks", n);
}

/* Rows inside of frames come behind those of the whole capture; without them these. */
static struct tk_answer last_of(const struct tk_stats_page *page, const char *name)
{
    struct tk_answer first = tk_answer_find(page->kept, name);
    for (size_t i = tk_result_count(page->kept); i-- > first.index + 1;) {
        size_t n_rows;
        const struct tk_table *table = tk_result_table(page->kept, i, &n_rows);
        if (strcmp(table->name, name) == 0)
            return (struct tk_answer){.result = page->kept, .table = table, .index = i, .n_rows = n_rows};
    }
    return first;
}

/* What the summary is made from. */
struct figures {
    const struct tk_answer *stats, *threads;
    const struct tk_main_threads *main;
    uint64_t frames; /* of the game, with an end */
    bool selected;
};

static int send_summary(const struct tk_stats_page *page, const struct figures *f, const struct tk_sink *sink,
                        struct tk_err *err)
{
    const struct tk_answer crash = tk_answer_find(page->kept, "crash"),
                           capture = tk_answer_find(page->kept, "capture"),
                           queues = tk_answer_find(page->kept, "gpu_queues"),
                           shares = tk_answer_find(page->kept, "bound_shares"),
                           smoothness = tk_answer_find(page->kept, "smoothness"),
                           in_frames = last_of(page, "threads");
    struct tk_lines lines = {0};
    put_crash(&lines, &crash);
    put_capture(&lines, &capture, f->main->used);
    put_frames(&lines, page, f->stats);
    tk_game_frames_put_hitches(&page->frames, &smoothness, &lines);
    const struct inside in = inside_of(&shares);
    put_threads(&lines, f->threads, f->main, f->frames, &in, &in_frames);
    if (f->frames && !f->selected)
        put_outside(&lines, f->threads, &capture, f->main, &in);
    put_samples(&lines, page);
    put_gpu(&lines, &queues, f->frames);
    put_bound(&lines, &shares);
    return tk_lines_send(&lines, f->selected ? "summary (of the selection)" : "summary", sink, err);
}

/* What to ask next, where that has rows: without scopes neither timers nor trees have. */
static int send_next(const struct tk_stats_page *page, bool hitches, bool scopes, const char *file,
                     const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_lines lines = {0};
    if (hitches) {
        tk_lines_begin(&lines, "hitches");
        tk_lines_put(&lines, "trace-stats %s --hitches", file);
    }
    if (page->frames.n && scopes) {
        tk_lines_begin(&lines, "worst");
        tk_lines_put(&lines, "trace-stats %s --frames %" PRIu64 " --tree", file, page->frames.v[0].index);
    }
    if (samples_of(page)) {
        tk_lines_begin(&lines, "samples");
        tk_lines_put(&lines, "trace-stats %s -t sample_functions", file);
    }
    tk_lines_begin(&lines, "more");
    tk_lines_put(&lines,
                 scopes ? "trace-stats %s -t timers; trace-stats --list"
                        : "trace-info %s --can; trace-stats --list",
                 file);
    return tk_lines_send(&lines, "next", sink, err);
}

/* A file as it can be typed again; where it would have to be quoted or is long, a word that stands for it. */
static const char *word_for(const char *file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@";
    const size_t n = strlen(file);
    return n && n <= NAME_BYTES && *file != '-' && strspn(file, plain) == n ? file : "FILE";
}

int tk_stats_page_send(struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_answer stats = tk_answer_find(page->kept, "frame_stats"),
                           threads = tk_answer_find(page->kept, "threads"), timers = last_of(page, "timers");
    const size_t game = game_row(&stats);
    const uint64_t frames = game < stats.n_rows ? tk_answer_cell(&stats, game, "count")->v.u : 0;
    struct tk_main_threads main;
    tk_game_frames_sort(&page->frames);
    tk_main_threads_find(&main, &threads);
    const struct figures f = {&stats, &threads, &main, frames, look->selected};
    const struct tk_answer shares = tk_answer_find(page->kept, "bound_shares");
    int rc = shares.n_rows ? tk_result_sort(page->kept, shares.index, "share", true, err) : TK_OK;
    if (rc >= 0)
        rc = send_summary(page, &f, sink, err);
    if (rc >= 0)
        rc = tk_page_timers_send(page->kept, timers.index, look->all_threads ? NULL : &main, frames,
                                 look->top, sink, err);
    if (rc < 0)
        return rc;
    return send_next(page, page->frames.n_hitches > 0, main.used > 0, word_for(look->file), sink, err);
}
