/*
 * Head: what a page says first of a capture, in words and in a few large figures. Part of chapter.h.
 */
#include "base/text/text.h"
#include "report/report_in.h"
#include "table/cell.h"
#include "tracekit/sinks.h"

#include <string.h>

/* What a picture or sentence takes from the kept tables. */
struct facts {
    const struct tk_gathered *capture, *frames, *hitches, *threads, *memory, *crash, *can, *queues, *shares;
    size_t n_frames, n_hitches, n_threads, n_memory, n_crash, n_can, n_queues, n_shares, n_health;
    uint64_t lost_frames;
    uint64_t hitch_frames, scopes;
    bool knows_hitches; /* false: there are no frames to compare with */
};

static void gather_facts(const struct tk_chapter *c, struct facts *f)
{
    size_t n;
    const struct tk_gathered *ignored;
    tk_gather_table(&c->first, "capture", &f->capture, &n);
    tk_gather_table(&c->first, "frame_stats", &f->frames, &f->n_frames);
    f->lost_frames = c->first.lost_frames;
    tk_gather_table(&c->first, "hitches", &f->hitches, &f->n_hitches);
    tk_gather_table(&c->first, "threads", &f->threads, &f->n_threads);
    tk_gather_table(&c->first, "memory", &f->memory, &f->n_memory);
    tk_gather_table(&c->first, "crash", &f->crash, &f->n_crash);
    tk_gather_table(&c->first, "can", &f->can, &f->n_can);
    tk_gather_table(&c->first, "gpu_queues", &f->queues, &f->n_queues);
    tk_gather_table(&c->first, "bound_shares", &f->shares, &f->n_shares);
    tk_gather_table(&c->first, "health", &ignored, &f->n_health);
    const struct tk_gathered *smoothness;
    size_t n_smoothness;
    const struct tk_cell *hitches = NULL;
    if (tk_gather_table(&c->first, "smoothness", &smoothness, &n_smoothness) && n_smoothness)
        hitches = tk_gather_cell(smoothness, 0, "hitches");
    f->knows_hitches = hitches && hitches->kind == TK_REAL;
    f->hitch_frames = f->knows_hitches ? (uint64_t)hitches->v.r : 0;
    for (size_t i = 0; i < f->n_threads; i++)
        f->scopes += (uint64_t)tk_gather_int(f->threads, i, "scopes");
}

static void put_column(struct tk_markup *m, const struct tk_gathered *kept, size_t row, const char *column)
{
    const struct tk_table *table = tk_result_table(kept->rows, 0, NULL);
    const int at = tk_table_column(table, column);
    if (at >= 0)
        tk_markup_cell(m, tk_gather_cell(kept, row, column), &table->columns[at]);
}

/* Digits in groups of three. */
static void put_count(struct tk_markup *m, uint64_t n)
{
    char digits[24];
    const size_t len = tk_put_u64(digits, n);
    tk_markup_format(m, "<data value=\"%llu\">", (unsigned long long)n);
    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            tk_markup_put(m, ",");
        tk_buffer_char(&m->out, digits[i]);
    }
    tk_markup_put(m, "</data>");
}

/* ---- sentences ---- */

static void put_frames(struct tk_markup *m, const struct facts *f)
{
    if (f->n_frames == 0) {
        tk_markup_put(m, "<p>No frames were recorded.</p>\n");
        return;
    }
    tk_markup_put(m, "<p><strong>");
    put_count(m, (uint64_t)tk_gather_int(f->frames, 0, "count"));
    tk_markup_put(m,
                  tk_gather_int(f->frames, 0, "count") == 1 ? " frame</strong> in " : " frames</strong> in ");
    put_column(m, f->capture, 0, "dur");
    tk_markup_put(m, ": half of them took no longer than <strong>");
    put_column(m, f->frames, 0, "median");
    tk_markup_put(m, "</strong>, 99 of 100 no longer than ");
    put_column(m, f->frames, 0, "p99");
    tk_markup_put(m, "; the longest took <strong>");
    put_column(m, f->frames, 0, "max");
    tk_markup_put(m, "</strong>.");
    if (f->lost_frames)
        tk_markup_format(m, " <span class=\"bad\">Events were lost in %llu frame%s.</span>",
                         (unsigned long long)f->lost_frames, f->lost_frames == 1 ? "" : "s");
    tk_markup_put(m, "</p>\n");
}

static void put_hitches(struct tk_markup *m, const struct facts *f)
{
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < f->n_hitches; i++)
        if (tk_gather_cell(f->hitches, i, "class")->kind == TK_NONE &&
            (worst == SIZE_MAX ||
             tk_gather_int(f->hitches, i, "dur") > tk_gather_int(f->hitches, worst, "dur")))
            worst = i;
    if (worst == SIZE_MAX || !f->hitch_frames)
        return;
    tk_markup_format(
        m,
        "<p class=\"bad\"><span aria-hidden=\"true\">▲</span> <strong>%llu hitch%s</strong>; the longest, "
        "frame %lld, ",
        (unsigned long long)f->hitch_frames, f->hitch_frames == 1 ? "" : "es",
        (long long)tk_gather_int(f->hitches, worst, "frame"));
    const struct tk_cell *timer = tk_gather_cell(f->hitches, worst, "timer");
    if (timer->kind == TK_TEXT) {
        tk_markup_put(m, "because of <strong>");
        tk_markup_text(m, tk_cell_text(timer), TK_MARKUP_NAME);
        tk_markup_put(m, "</strong>, which took ");
        put_column(m, f->hitches, worst, "growth");
        tk_markup_put(m, " more than usual");
    } else {
        tk_markup_put(m, "for no reason that was recorded");
    }
    tk_markup_put(m, ".</p>\n");
}

/* Threads that have their role in frames: the one of each that works most. */
static const char *const roles[] = {"game", "render", "rhi"};

enum { ROLES = sizeof roles / sizeof *roles };

static bool has_role(const struct facts *f, size_t thread, const char *role)
{
    const struct tk_cell *cell = tk_gather_cell(f->threads, thread, "role");
    return cell->kind == TK_TEXT && cell->n == strlen(role) && memcmp(cell->v.p, role, cell->n) == 0;
}

/* n_threads: none. */
static size_t thread_of_role(const struct facts *f, const char *role)
{
    size_t found = f->n_threads;
    for (size_t i = 0; i < f->n_threads; i++)
        if (has_role(f, i, role) &&
            (found == f->n_threads ||
             tk_gather_int(f->threads, i, "working") > tk_gather_int(f->threads, found, "working")))
            found = i;
    return found;
}

/* The sum over all frames of a column of means, in ns. */
static double inside_frames(const struct facts *f, const char *column)
{
    double sum = 0;
    for (size_t i = 0; i < f->n_shares; i++) {
        const struct tk_cell *mean = tk_gather_cell(f->shares, i, column);
        sum += mean->kind == TK_MEAN ? mean->v.r * (double)tk_gather_int(f->shares, i, "frames") : 0;
    }
    return sum;
}

#define OUTSIDE_LEAST 0.01 /* of the work of a thread that lies in no frame: less is not reported */

static void put_outside(struct tk_markup *m, const struct facts *f)
{
    const size_t thread = thread_of_role(f, roles[0]);
    const double all = thread < f->n_threads ? (double)tk_gather_int(f->threads, thread, "working") : 0,
                 length = (double)tk_gather_int(f->capture, 0, "dur"),
                 outside = all - inside_frames(f, roles[0]) - inside_frames(f, "off_core");
    if (f->n_shares == 0 || length <= 0 || all <= 0 || outside < OUTSIDE_LEAST * all)
        return;
    tk_markup_put(m, " Outside of frames, ");
    tk_markup_text(m, tk_cell_text(tk_gather_cell(f->threads, thread, "thread")), TK_MARKUP_NAME);
    tk_markup_put(m, " works ");
    tk_markup_span(m, (int64_t)(1e9 * outside / length));
    tk_markup_put(m, " a second.");
}

struct work {
    const struct tk_cell *name;
    int64_t length;
};

enum { WORKS = 8 };

static void offer_work(struct work *works, size_t *n, const struct tk_cell *name, int64_t length)
{
    if (length <= 0 || (*n == WORKS && length <= works[WORKS - 1].length))
        return;
    size_t k = *n < WORKS ? (*n)++ : WORKS - 1;
    for (; k > 0 && works[k - 1].length < length; k--)
        works[k] = works[k - 1];
    works[k] = (struct work){name, length};
}

/* Who works how long in a mean frame. */
static void put_bound(struct tk_markup *m, const struct facts *f)
{
    struct work works[WORKS];
    size_t n = 0;
    const int64_t frames = f->n_frames ? tk_gather_int(f->frames, 0, "count") : 0;
    if (frames <= 0)
        return;
    for (size_t i = 0; i < ROLES; i++) {
        const size_t thread = thread_of_role(f, roles[i]);
        if (thread < f->n_threads)
            offer_work(works, &n, tk_gather_cell(f->threads, thread, "thread"),
                       (int64_t)inside_frames(f, roles[i]));
    }
    for (size_t i = 0; i < f->n_queues; i++)
        offer_work(works, &n, tk_gather_cell(f->queues, i, "queue"), tk_gather_int(f->queues, i, "work"));
    for (size_t i = 0; i < n && i < 5; i++) {
        tk_markup_put(m, i ? ", " : "<p>Of a mean frame of ");
        if (i == 0) {
            put_column(m, f->frames, 0, "mean");
            tk_markup_put(m, ", work takes ");
        }
        tk_markup_put(m, i ? "" : "<strong>");
        tk_markup_span(m, works[i].length / frames);
        tk_markup_put(m, " on ");
        tk_markup_text(m, tk_cell_text(works[i].name), TK_MARKUP_NAME);
        tk_markup_put(m, i ? "" : "</strong>");
    }
    if (n) {
        tk_markup_put(m, ".");
        put_outside(m, f);
        tk_markup_put(m, "</p>\n");
    }
}

static void put_memory(struct tk_markup *m, const struct facts *f)
{
    for (size_t i = 0; i < f->n_memory; i++) {
        const struct tk_cell *by = tk_gather_cell(f->memory, i, "by");
        if (by->n != 5 || memcmp(by->v.p, "total", 5) != 0)
            continue;
        tk_markup_put(m, "<p>Memory: ");
        put_column(m, f->memory, i, "alive_bytes");
        tk_markup_put(m, " at the end, at most ");
        put_column(m, f->memory, i, "peak_bytes");
        tk_markup_put(m, ", in ");
        put_count(m, (uint64_t)tk_gather_int(f->memory, i, "allocs"));
        tk_markup_put(m, " allocations.</p>\n");
        return;
    }
}

/* A crash is the last that happens. Where frames begin behind it, or it is before the capture, the clock of
   the recorder was another. */
static bool is_crash_time(const struct tk_cell *time, const struct tk_frame_times *frames)
{
    if (time->kind != TK_TIME || time->v.i < 0)
        return false;
    for (size_t i = 0; i < frames->n; i++) {
        const struct tk_frame_type *type = &frames->types[i];
        if (type->begin.n && type->begin.v[type->begin.n - 1] > time->v.i)
            return false;
    }
    return true;
}

static void put_crash(struct tk_markup *m, const struct facts *f, const struct tk_frame_times *frames)
{
    if (f->n_crash == 0)
        return;
    const struct tk_cell *message = tk_gather_cell(f->crash, 0, "message");
    const struct tk_cell *time = tk_gather_cell(f->crash, 0, "time");
    tk_markup_put(m, "<p class=\"bad\"><strong>The program crashed</strong>");
    if (is_crash_time(time, frames)) {
        tk_markup_put(m, " at ");
        put_column(m, f->crash, 0, "time");
    }
    if (message->kind == TK_TEXT) {
        tk_markup_put(m, ": ");
        tk_markup_text(m, tk_cell_text(message), TK_MARKUP_MESSAGE);
    }
    tk_markup_put(m, "</p>\n");
}

static void put_missing(struct tk_markup *m, const struct facts *f)
{
    size_t reported = 0;
    for (size_t i = 0; i < f->n_can; i++) {
        const struct tk_cell *answer = tk_gather_cell(f->can, i, "answer");
        if (answer->kind != TK_TEXT || answer->n != 2 || memcmp(answer->v.p, "no", 2) != 0)
            continue;
        tk_markup_put(m, reported++ ? ", " : "<p>Not recorded: ");
        tk_markup_text(m, tk_cell_text(tk_gather_cell(f->can, i, "question")), TK_MARKUP_NAME);
    }
    if (reported)
        tk_markup_put(m, ".</p>\n");
}

static void put_state(struct tk_chapter *c)
{
    if (tk_damaged(c->trace))
        tk_markup_format(c->m,
                         "<p class=\"bad\"><strong>Damaged</strong>: figures are of what could be read; see "
                         "<a href=\"#%shealth\">Health</a>.</p>\n",
                         c->prefix);
    else if (tk_partial(c->trace))
        tk_markup_format(c->m,
                         "<p class=\"bad\"><strong>Incomplete</strong>: a limit was reached; see "
                         "<a href=\"#%shealth\">Health</a>.</p>\n",
                         c->prefix);
    if (tk_truncated(c->trace))
        tk_markup_put(
            c->m, "<p class=\"bad\">The capture ends in the middle, as when the program or the recorder was "
                  "stopped.</p>\n");
}

/* ---- figures ---- */

static void begin_tile(struct tk_markup *m, const char *title, const char *class)
{
    tk_markup_format(m, "<div%s><dt>%s</dt><dd>", class, title);
}

static void put_tile(struct tk_markup *m, const char *title, const struct tk_gathered *kept,
                     const char *column)
{
    begin_tile(m, title, "");
    put_column(m, kept, 0, column);
    tk_markup_put(m, "</dd></div>\n");
}

static void count_tile(struct tk_markup *m, const char *title, uint64_t n, const char *class)
{
    begin_tile(m, title, class);
    put_count(m, n);
    tk_markup_put(m, "</dd></div>\n");
}

static void put_tiles(struct tk_chapter *c, const struct facts *f)
{
    struct tk_markup *m = c->m;
    tk_markup_put(m, "<dl class=\"tiles\">\n");
    if (f->n_frames) {
        put_tile(m, "median frame", f->frames, "median");
        put_tile(m, "99 % of frames", f->frames, "p99");
        put_tile(m, "longest frame", f->frames, "max");
        if (f->knows_hitches)
            count_tile(m, "hitches", f->hitch_frames, f->hitch_frames ? " class=\"bad\"" : "");
        count_tile(m, "frames", (uint64_t)tk_gather_int(f->frames, 0, "count"), "");
    }
    put_tile(m, "length", f->capture, "dur");
    count_tile(m, "calls", f->scopes, "");
    count_tile(m, "threads", f->n_threads, "");
    begin_tile(m, "capture", tk_damaged(c->trace) ? " class=\"bad\"" : "");
    tk_markup_put(m, tk_damaged(c->trace) ? "damaged" : tk_partial(c->trace) ? "incomplete" : "complete");
    tk_markup_put(m, "</dd></div>\n</dl>\n");
}

static void put_title(struct tk_chapter *c, const struct facts *f)
{
    static const char *const about[] = {"build", "branch", "platform", "engine", "format"};
    struct tk_markup *m = c->m;
    const struct tk_cell *app = tk_gather_cell(f->capture, 0, "app");
    tk_markup_put(m, "<h1>");
    if (app->kind == TK_TEXT && app->n)
        tk_markup_text(m, tk_cell_text(app), TK_MARKUP_NAME);
    else
        tk_markup_string(m, c->name);
    tk_markup_put(m, "</h1>\n<p class=\"about\"><span>");
    tk_markup_text(m, (struct tk_str){.p = c->name, .n = (uint32_t)strlen(c->name)}, TK_MARKUP_NAME);
    tk_markup_put(m, "</span>");
    for (size_t i = 0; i < sizeof about / sizeof *about; i++) {
        const struct tk_cell *cell = tk_gather_cell(f->capture, 0, about[i]);
        if (cell->kind != TK_TEXT || cell->n == 0)
            continue;
        tk_markup_put(m, " <span>");
        tk_markup_text(m, tk_cell_text(cell), TK_MARKUP_NAME);
        tk_markup_put(m, "</span>");
    }
    tk_markup_put(m, "</p>\n");
}

int tk_head_put(struct tk_chapter *c)
{
    struct facts f = {0};
    gather_facts(c, &f);
    tk_markup_format(c->m, "<header id=\"%shead\">\n", c->prefix);
    put_title(c, &f);
    tk_markup_put(c->m, "<div class=\"words\">\n");
    put_crash(c->m, &f, &c->first.frames);
    put_state(c);
    put_frames(c->m, &f);
    put_hitches(c->m, &f);
    tk_bounded_put(c);
    put_bound(c->m, &f);
    put_memory(c->m, &f);
    put_missing(c->m, &f);
    tk_markup_put(c->m, "</div>\n");
    put_tiles(c, &f);
    tk_markup_put(c->m, "</header>\n");
    return TK_OK;
}

/*
 * The sentence on what bounded frames: the rows of the table bound_shares in words, the most frequent first.
 * Part of chapter.h.
 */

static const struct {
    const char *by, *who;
} names[] = {{"game", "the game thread"},
             {"render", "the render thread"},
             {"rhi", "the RHI thread"},
             {"gpu", "the GPU"},
             {"game (loading)", "loading on the game thread"},
             {"limiter", "the frame limiter"},
             {"waiting", "waiting"}};

enum { NAMES = sizeof names / sizeof *names };

/* The row of a name; n: there is none. */
static size_t row_of(const struct tk_gathered *kept, size_t n, const char *by)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *cell = tk_gather_cell(kept, i, "bound_by");
        const struct tk_str text = cell->kind == TK_TEXT ? tk_cell_text(cell) : (struct tk_str){.p = ""};
        if (text.n == strlen(by) && memcmp(text.p, by, text.n) == 0)
            return i;
    }
    return n;
}

/* Of those that were not reported the one with most frames; NAMES: none is left. */
static size_t next_name(const struct tk_gathered *kept, size_t n, const bool reported[NAMES])
{
    size_t best = NAMES;
    int64_t most = 0;
    for (size_t k = 0; k < NAMES; k++) {
        const size_t row = reported[k] ? n : row_of(kept, n, names[k].by);
        const int64_t frames = row < n ? tk_gather_int(kept, row, "frames") : 0;
        if (frames > most) {
            most = frames;
            best = k;
        }
    }
    return best;
}

void tk_bounded_put(struct tk_chapter *c)
{
    const struct tk_gathered *kept;
    size_t n, k;
    bool reported[NAMES] = {0}, some = false;
    const struct tk_table *table = tk_gather_table(&c->first, "bound_shares", &kept, &n);
    const int share = table ? tk_table_column(table, "share") : -1;
    if (share < 0)
        return;
    while ((k = next_name(kept, n, reported)) < NAMES) {
        tk_markup_format(c->m, "%s%s in ", some ? ", " : "<p>Frames were bounded by ", names[k].who);
        tk_markup_cell(c->m, tk_gather_cell(kept, row_of(kept, n, names[k].by), "share"),
                       &table->columns[share]);
        reported[k] = some = true;
    }
    if (some)
        tk_markup_put(c->m, " of them.</p>\n");
}
