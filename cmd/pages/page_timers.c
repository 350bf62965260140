/*
 * Page timers: the timers of a first page, per frame.
 */
#include "pages/pages_in.h"
#include "pages/summary_pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Game frames: the longest, and hitches.
 */

static int reserve_frame(struct tk_game_frames *frames)
{
    if (frames->n < frames->cap)
        return TK_OK;
    const size_t cap = frames->cap ? frames->cap * 2 : 1024;
    struct tk_game_frame *v = realloc(frames->v, cap * sizeof *v);
    if (!v)
        return TK_ENOMEM;
    frames->v = v;
    frames->cap = cap;
    return TK_OK;
}

int tk_game_frames_add(struct tk_game_frames *frames, const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *duration = tk_answer_cell_of(table, row, "dur");
    const uint64_t index = tk_answer_cell_of(table, row, "frame")->v.u;
    const bool lost = tk_answer_cell_of(table, row, "lost")->v.u;
    if (tk_answer_cell_of(table, row, "type_id")->v.u != 0)
        return TK_OK;
    if (lost && !frames->lost++)
        frames->first_lost = index;
    if (duration->kind != TK_DURATION)
        return TK_OK;
    if (reserve_frame(frames) < 0)
        return TK_ENOMEM;
    frames->v[frames->n++] = (struct tk_game_frame){index, duration->v.i, lost};
    return TK_OK;
}

static int longest_first(const void *a, const void *b)
{
    const struct tk_game_frame *x = a, *y = b;
    if (x->duration != y->duration)
        return x->duration < y->duration ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

void tk_game_frames_sort(struct tk_game_frames *frames)
{
    if (frames->n)
        qsort(frames->v, frames->n, sizeof *frames->v, longest_first);
}

static bool is_text(const struct tk_cell *cell, const char *text)
{
    return cell->kind == TK_TEXT && cell->n == strlen(text) && memcmp(cell->v.p, text, cell->n) == 0;
}

static void list_hitch(struct tk_game_frames *frames, const struct tk_game_frame *hitch)
{
    size_t at = frames->n_hitches < TK_HITCHES_LISTED ? frames->n_hitches : TK_HITCHES_LISTED;
    frames->n_hitches++;
    for (; at && longest_first(hitch, &frames->hitches[at - 1]) < 0; at--)
        if (at < TK_HITCHES_LISTED)
            frames->hitches[at] = frames->hitches[at - 1];
    if (at < TK_HITCHES_LISTED)
        frames->hitches[at] = *hitch;
}

void tk_game_frames_add_late(struct tk_game_frames *frames, const struct tk_table *table,
                             const struct tk_cell *row)
{
    const struct tk_cell *class = tk_answer_cell_of(table, row, "class");
    const struct tk_game_frame frame = {.index = tk_answer_cell_of(table, row, "frame")->v.u,
                                        .duration = tk_answer_cell_of(table, row, "dur")->v.i};
    if (is_text(class, "hitch"))
        list_hitch(frames, &frame);
    frames->loading += is_text(class, "loading");
    frames->startup += is_text(class, "start-up");
    frames->uneven += is_text(class, "uneven");
}

/* "6 (87.5 a minute): frames 181, 156; 2 in loading screens, 8 in the start-up". */
void tk_game_frames_put_hitches(const struct tk_game_frames *frames, const struct tk_answer *smoothness,
                                struct tk_lines *lines)
{
    const size_t n = frames->n_hitches;
    if (!smoothness->n_rows)
        return;
    const struct tk_cell *minute = tk_answer_cell(smoothness, 0, "hitches_min"),
                         *uneven = tk_answer_cell(smoothness, 0, "uneven");
    tk_lines_begin(lines, "hitches");
    if (tk_answer_cell(smoothness, 0, "hitches")->kind == TK_NONE) {
        tk_lines_put(lines, "unknown: there is one frame alone");
        return;
    }
    tk_lines_put(lines, n ? "%zu" : "none", n);
    if (n && minute->kind == TK_REAL)
        tk_lines_put(lines, " (%.3g a minute)", minute->v.r);
    for (size_t i = 0; i < n && i < TK_HITCHES_LISTED; i++)
        tk_lines_put(lines, "%s%" PRIu64,
                     i        ? ", "
                     : n == 1 ? ": frame "
                              : ": frames ",
                     frames->hitches[i].index);
    if (n > TK_HITCHES_LISTED)
        tk_lines_put(lines, ", ...");
    if (frames->loading)
        tk_lines_put(lines, "; %zu in loading screens", frames->loading);
    if (frames->startup)
        tk_lines_put(lines, "; %zu in the start-up", frames->startup);
    if (!frames->uneven)
        return;
    tk_lines_begin(lines, "uneven");
    tk_lines_put(lines, "%.3g %% of frames are late as a habit: bad pacing, no hitches", uneven->v.r);
}

void tk_game_frames_put_open(const struct tk_answer *stats, size_t row, struct tk_lines *lines)
{
    const struct tk_cell *open = tk_answer_cell(stats, row, "open");
    if (open->kind == TK_UINT && open->v.u)
        tk_lines_put(lines, " (%" PRIu64 " open)", open->v.u);
}

void tk_game_frames_put_lost(const struct tk_game_frames *frames, struct tk_lines *lines)
{
    if (frames->lost)
        tk_lines_put(lines, ", events were lost in %s%" PRIu64, frames->lost == 1 ? "frame " : "",
                     frames->lost == 1 ? frames->first_lost : frames->lost);
    if (frames->lost > 1)
        tk_lines_put(lines, " of them, first in frame %" PRIu64, frames->first_lost);
}

void tk_game_frames_release(struct tk_game_frames *frames)
{
    free(frames->v);
    *frames = (struct tk_game_frames){0};
}

#define USUAL_ROWS 7

enum { TIMER, THREAD, OWN, INCL, CALLS, LONGEST, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "the thread"},
    [OWN] = {"excl", TK_MEAN, 0, NULL, "exclusive time, nothing where the timer waits"},
    [INCL] = {"incl", TK_MEAN, 0, NULL, "time inside"},
    [CALLS] = {"calls", TK_REAL, 0, "calls", "complete scopes"},
    [LONGEST] = {"longest", TK_DURATION, 0, NULL, "longest call"},
};

/* A name that means itself as a pattern; all threads where it does not. */
static const char *pattern_of(const struct tk_cell *name, char buffer[64])
{
    if (name->kind != TK_TEXT || name->n == 0 || name->n > 63)
        return "*";
    for (uint32_t i = 0; i < name->n; i++) {
        const char c = ((const char *)name->v.p)[i];
        if (c < ' ' || c > '~' || strchr("*?|", c))
            return "*";
        buffer[i] = c;
    }
    buffer[name->n] = 0;
    return buffer;
}

static void add_name(struct tk_page_threads *buffer, const struct tk_cell *name)
{
    buffer->patterns[buffer->n] = pattern_of(name, buffer->text[buffer->n]);
    buffer->n++;
}

void tk_page_timers_ask(struct tk_query *query, const struct tk_answer *threads,
                        const struct tk_answer *queues, const struct tk_main_threads *main, bool frames,
                        struct tk_page_threads *buffer)
{
    static const char *const tables[] = {"timers", "bound_shares", "smoothness", "late_frames"};
    static const char *const wanted[] = {"timer", "thread", "thread_id", "working", "incl", "count", "max"};
    query->tables = tables;
    query->n_tables = frames ? 4 : 1;
    query->columns = wanted;
    query->n_columns = sizeof wanted / sizeof *wanted;
    query->by = TK_BY_THREAD | TK_BY_EXTRA;
    buffer->n = 0;
    for (size_t i = 0; main && i < main->n; i++)
        add_name(buffer, tk_answer_cell(threads, main->v[i].row, "thread"));
    for (size_t i = 0; buffer->n && frames && i < queues->n_rows && i < TK_PAGE_QUEUES_MOST; i++)
        add_name(buffer, tk_answer_cell(queues, i, "queue"));
    if (buffer->n) {
        query->select.threads = buffer->patterns;
        query->select.n_threads = buffer->n;
    }
}

struct sources {
    int timer, thread, id, working, incl, count, max;
};

static struct tk_cell share_of(const struct tk_cell *cell, uint8_t kind, uint64_t frames)
{
    struct tk_cell out = {.kind = cell->kind == TK_NONE ? TK_NONE : kind};
    const double sum = cell->kind == TK_UINT ? (double)cell->v.u : (double)cell->v.i;
    out.v.r = sum / (double)(frames ? frames : 1);
    return out;
}

/* To three digits: more would say more than is known. */
static struct tk_cell rounded(struct tk_cell cell)
{
    double unit = 1;
    if (cell.kind != TK_REAL || !(cell.v.r > 0))
        return cell;
    for (; cell.v.r / unit >= 1000; unit *= 10)
        ;
    for (; cell.v.r / unit < 100; unit /= 10)
        ;
    cell.v.r = round(cell.v.r / unit) * unit;
    return cell;
}

static int send_timer_row(const struct sources *from, const struct tk_cell *row, uint64_t frames,
                          const struct tk_table *table, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_cell cells[COLUMNS] = {
        [TIMER] = row[from->timer],
        [THREAD] = row[from->thread],
        [OWN] = share_of(&row[from->working], TK_MEAN, frames),
        [INCL] = share_of(&row[from->incl], TK_MEAN, frames),
        [CALLS] = rounded(share_of(&row[from->count], TK_REAL, frames)),
        [LONGEST] = row[from->max],
    };
    return sink->rows(sink->self, table, &(struct tk_rows){.n = 1, .cells = cells}, err);
}

static int send_timer_rows(const struct tk_result *result, size_t index, size_t n_rows,
                           const struct sources *from, const struct tk_main_threads *main, uint64_t frames,
                           uint64_t top, const struct tk_table *table, const struct tk_sink *sink,
                           struct tk_err *err)
{
    uint64_t sent = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < n_rows && sent < top && rc >= 0; i++) {
        const struct tk_cell *row = tk_result_row(result, index, i);
        const struct tk_cell *id = &row[from->id];
        if (main && (id->kind == TK_NONE || !tk_main_threads_has(main, id->v.u)))
            continue;
        rc = send_timer_row(from, row, frames, table, sink, err);
        sent++;
    }
    return rc;
}

int tk_page_timers_send(struct tk_result *result, size_t index, const struct tk_main_threads *main,
                        uint64_t frames, uint64_t top, const struct tk_sink *sink, struct tk_err *err)
{
    size_t n_rows = 0;
    const struct tk_table *timers = tk_result_table(result, index, &n_rows);
    const struct sources from = {tk_table_column(timers, "timer"),     tk_table_column(timers, "thread"),
                                 tk_table_column(timers, "thread_id"), tk_table_column(timers, "working"),
                                 tk_table_column(timers, "incl"),      tk_table_column(timers, "count"),
                                 tk_table_column(timers, "max")};
    const struct tk_table table = {.name = frames ? "timers per frame" : "timers",
                                   .columns = columns,
                                   .n_columns = COLUMNS,
                                   .sort_by = "excl",
                                   .none = "no scopes"};
    int rc = tk_result_sort(result, index, "working", true, err);
    if (rc >= 0)
        rc = sink->begin(sink->self, &table, err);
    if (rc >= 0)
        rc = send_timer_rows(result, index, n_rows, &from, main, frames, top ? top : USUAL_ROWS, &table, sink,
                             err);
    return rc >= 0 ? sink->end(sink->self, &table, err) : rc;
}

/*
 * Main threads: which threads of a capture a first page speaks of.
 */

/* Roles of main threads, as the table `threads` has them, in the order of the page. */
static const char *const known[] = {"game", "render", "rhi"};

#define KNOWN (sizeof known / sizeof *known)

/* KNOWN: none of them. */
static unsigned rank_of_role(const struct tk_cell *role)
{
    unsigned i = 0;
    while (i < KNOWN && (role->kind != TK_TEXT || role->n != strlen(known[i]) ||
                         memcmp(role->v.p, known[i], role->n) != 0))
        i++;
    return i;
}

static int64_t span_at(const struct tk_answer *threads, size_t row, const char *column)
{
    const struct tk_cell *cell = tk_answer_cell(threads, row, column);
    return cell->kind == TK_DURATION ? cell->v.i : 0;
}

static bool comes_before(const struct tk_main_thread *a, const struct tk_main_thread *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->working != b->working ? a->working > b->working : a->busy > b->busy;
}

static void offer_thread(struct tk_main_threads *main, const struct tk_main_thread *thread)
{
    size_t at = main->n < TK_MAIN_THREADS_MOST ? main->n++ : TK_MAIN_THREADS_MOST;
    for (; at > 0 && comes_before(thread, &main->v[at - 1]); at--)
        if (at < TK_MAIN_THREADS_MOST)
            main->v[at] = main->v[at - 1];
    if (at < TK_MAIN_THREADS_MOST)
        main->v[at] = *thread;
}

/* Alongside several threads that have a role there are no others. */
static void keep_known(struct tk_main_threads *main)
{
    while (main->n > 2 && main->v[1].rank < KNOWN && main->v[main->n - 1].rank == KNOWN)
        main->n--;
}

void tk_main_threads_find(struct tk_main_threads *main, const struct tk_answer *threads)
{
    *main = (struct tk_main_threads){0};
    for (size_t i = 0; i < threads->n_rows; i++) {
        if (tk_answer_cell(threads, i, "scopes")->v.u == 0)
            continue;
        main->used++;
        offer_thread(main,
                     &(struct tk_main_thread){.row = i,
                                              .id = tk_answer_cell(threads, i, "thread_id")->v.u,
                                              .busy = span_at(threads, i, "busy"),
                                              .working = span_at(threads, i, "working"),
                                              .waiting = span_at(threads, i, "waiting"),
                                              .rank = rank_of_role(tk_answer_cell(threads, i, "role"))});
    }
    keep_known(main);
}

bool tk_main_threads_named(const struct tk_main_threads *main)
{
    return main->n && main->v[0].rank < KNOWN;
}

bool tk_main_threads_has(const struct tk_main_threads *main, uint64_t id)
{
    for (size_t i = 0; i < main->n; i++)
        if (main->v[i].id == id)
            return true;
    return false;
}
