/*
 * Frames of Android: begins and ends joined by cookies, and what the system says of each (import2 3). They
 * become frames of the types `app PROCESS` and `display`, and rows of the table `android_frames`.
 */
#include "base/text/text.h"
#include "format/perfetto/perfetto_in.h"
#include "judge/work.h"
#include "table/cell.h"
#include "tracekit/captures.h"

#include <string.h>

enum { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY, EXPECTED_APP, ACTUAL_APP, FRAME_END };

static bool is_app(const struct tk_pf_frame *f)
{
    return f->kind == EXPECTED_APP || f->kind == ACTUAL_APP;
}

static bool is_actual(const struct tk_pf_frame *f)
{
    return f->kind == ACTUAL_DISPLAY || f->kind == ACTUAL_APP;
}

/* ---- reading ---- */

/* Fields by kind: those that every frame has, then those of an actual one. 0: it has none. */
enum { TOKEN, DISPLAY, PID, LAYER, PRESENT, ON_TIME, GPU, JANK, FIELDS };
static const uint8_t fields_of[][FIELDS] = {
    [EXPECTED_DISPLAY] = {2, 0, 3, 0, 0, 0, 0, 0},
    [ACTUAL_DISPLAY] = {2, 0, 3, 0, 4, 5, 6, 7},
    [EXPECTED_APP] = {2, 3, 4, 5, 0, 0, 0, 0},
    [ACTUAL_APP] = {2, 3, 4, 5, 6, 7, 8, 9},
};

enum { COOKIE = 1, MOST_FIELD = 16 };

struct numbers {
    uint64_t of[MOST_FIELD];
    unsigned has;
    struct tk_bytes layer;
};

static int read_numbers(struct tk_bytes message, unsigned layer, struct numbers *n)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    *n = (struct numbers){.layer = {message.p, 0}};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number < MOST_FIELD && f.wire != TK_PF_BYTES) {
            n->of[f.number] = f.value;
            n->has |= 1u << f.number;
        } else if (f.number == layer && layer)
            n->layer = f.bytes;
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

/* false: something is missing that every frame has. */
static bool is_whole(const struct numbers *n, unsigned kind)
{
    const uint8_t *at = fields_of[kind];
    unsigned needs = 1u << COOKIE | 1u << at[TOKEN] | 1u << at[PID];
    needs |= at[DISPLAY] ? 1u << at[DISPLAY] : 0;
    return (n->has & needs) == needs;
}

static uint64_t number(const struct numbers *n, unsigned field)
{
    return field ? n->of[field] : 0;
}

static int put_begin(struct tk_pf_trace *t, unsigned kind, struct tk_bytes message, int64_t time,
                     uint64_t offset)
{
    const uint8_t *at = fields_of[kind];
    struct numbers n;
    if (read_numbers(message, at[LAYER], &n) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!is_whole(&n, kind)) {
        tk_pf_note(t, TK_EV_FRAME_INCOMPLETE, offset);
        return TK_PF_FINE;
    }
    struct tk_pf_frame f = {.begin = time,
                            .end = TK_EV_OPEN,
                            .cookie = n.of[COOKIE],
                            .token = (int64_t)number(&n, at[TOKEN]),
                            .display = (int64_t)number(&n, at[DISPLAY] ? at[DISPLAY] : at[TOKEN]),
                            .pid = tk_pf_pid(number(&n, at[PID])),
                            .jank = (uint32_t)number(&n, at[JANK]),
                            .kind = (uint8_t)kind,
                            .present = (uint8_t)(number(&n, at[PRESENT]) < 6 ? number(&n, at[PRESENT]) : 0),
                            .on_time = number(&n, at[ON_TIME]) != 0,
                            .gpu = number(&n, at[GPU]) != 0,
                            .layer = TK_EV_NO_NAME,
                            .expected = UINT32_MAX};
    if (n.layer.n)
        f.layer = tk_ev_name_clean(&t->c->names, n.layer.p, n.layer.n);
    const struct tk_ev_key key = {{TK_PF_LATE_FRAME}};
    if (t->system.frames.n >= t->c->ctx->limits.rows) {
        t->c->left_out[TK_EV_BEYOND_EVENT]++;
        return TK_PF_FINE;
    }
    if (t->c->names.failed || tk_vec_push(&t->system.frames, f))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(tk_pf_put_off(t, time, &key, (int64_t)t->system.frames.n - 1));
}

static int put_end(struct tk_pf_trace *t, struct tk_bytes message, int64_t time, uint64_t offset)
{
    const struct tk_ev_key key = {{TK_PF_LATE_FRAME_END}};
    struct numbers n;
    if (read_numbers(message, 0, &n) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!(n.has & 1u << COOKIE)) {
        tk_pf_note(t, TK_EV_FRAME_INCOMPLETE, offset);
        return TK_PF_FINE;
    }
    return tk_pf_kept(tk_pf_put_off(t, time, &key, (int64_t)n.of[COOKIE]));
}

int tk_pf_frame_timeline(struct tk_pf_trace *t, struct tk_bytes message, int64_t time, uint64_t offset)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f, found = {0};
    int rc;
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.wire == TK_PF_BYTES && f.number && f.number <= FRAME_END &&
            (!found.number || f.number < found.number))
            found = f;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (found.number == FRAME_END)
        return put_end(t, found.bytes, time, offset);
    return found.number ? put_begin(t, found.number, found.bytes, time, offset) : TK_PF_FINE;
}

/* ---- in order of time ---- */

static uint64_t key_of(const struct tk_pf_frame *f)
{
    const struct tk_ev_key key = {{is_app(f), (uint64_t)f->pid, (uint64_t)f->token}};
    return tk_ev_key_hash(&key);
}

/* Several layers repeat what is expected of a frame: the first counts. */
static bool is_again(struct tk_pf_system *s, const struct tk_pf_frame *f)
{
    return f->kind == EXPECTED_APP && tk_map_get(&s->expected, key_of(f)) != TK_MAP_NONE;
}

int tk_pf_frame_begin(struct tk_pf_trace *t, size_t at)
{
    struct tk_pf_system *s = &t->system;
    struct tk_pf_frame *f = &s->frames.v[at];
    tk_ev_seen(t->c, f->begin);
    f->again = is_again(s, f);
    if (!is_actual(f) && !f->again && tk_map_put(&s->expected, key_of(f), (uint32_t)at))
        return -1;
    return tk_map_put(&s->cookies, f->cookie, (uint32_t)at + 1);
}

int tk_pf_frame_end(struct tk_pf_trace *t, uint64_t cookie, int64_t time)
{
    struct tk_pf_system *s = &t->system;
    const uint32_t at = tk_map_get(&s->cookies, cookie);
    if (at == TK_MAP_NONE || !at) {
        tk_ev_note(t->c, TK_EV_FRAME_NEVER_BEGAN, TK_NO_OFFSET);
        return 0;
    }
    tk_ev_seen(t->c, time);
    s->frames.v[at - 1].end = time;
    return tk_map_put(&s->cookies, cookie, 0);
}

/* ---- what went wrong ---- */

#define JANKS(X)                                                                                             \
    X(2, "SurfaceFlinger Scheduling")                                                                        \
    X(4, "Prediction Error")                                                                                 \
    X(8, "Display HAL")                                                                                      \
    X(16, "SurfaceFlinger CPU Deadline Missed")                                                              \
    X(32, "SurfaceFlinger GPU Deadline Missed")                                                              \
    X(64, "App Deadline Missed")                                                                             \
    X(4096, "App Resynced Jitter")                                                                           \
    X(128, "Buffer Stuffing")                                                                                \
    X(256, "Unknown Jank")                                                                                   \
    X(512, "SurfaceFlinger Stuffing")                                                                        \
    X(1024, "Dropped Frame")                                                                                 \
    X(2048, "Non Animating")                                                                                 \
    X(8192, "Display not ON")                                                                                \
    X(16384, "ModeChange in progress")                                                                       \
    X(32768, "PowerModeChange in progress")

static const struct {
    uint32_t bit;
    const char *name;
} janks[] = {
#define JANK_ROW(bit, name) {bit, name},
    JANKS(JANK_ROW)
#undef JANK_ROW
};

/* NULL if out of memory. */
static const struct tk_str *jank_text(struct tk_ev_capture *c, uint32_t bits)
{
    char text[512];
    size_t n = 0;
    if (bits <= 1)
        return bits ? tk_ev_text(&c->names, "None", 4) : tk_ev_text(&c->names, "Unspecified", 11);
    for (size_t i = 0; i < sizeof janks / sizeof *janks; i++) {
        if (!(bits & janks[i].bit))
            continue;
        const size_t len = strlen(janks[i].name);
        memcpy(text + n, ", ", n ? 2 : 0);
        n += n ? 2 : 0;
        memcpy(text + n, janks[i].name, len);
        n += len;
    }
    return tk_ev_text(&c->names, text, n);
}

/* ---- frames of the capture ---- */

/* How many frames apps have: one of struct tk_map, pid to place. */
struct app {
    int64_t pid;
    uint64_t frames;
    uint32_t thread; /* the hidden one that stands for the type */
};

struct apps {
    TK_VEC(struct app) v;
    struct tk_map index;
    uint32_t display; /* as thread above; UINT32_MAX */
};

static int count_app(struct apps *apps, int64_t pid)
{
    const uint32_t at = tk_map_get(&apps->index, (uint64_t)pid);
    const struct app fresh = {pid, 1, UINT32_MAX};
    if (at == TK_MAP_NONE)
        return tk_vec_push(&apps->v, fresh) ||
               tk_map_put(&apps->index, (uint64_t)pid, (uint32_t)apps->v.n - 1);
    apps->v.v[at].frames++;
    return 0;
}

enum { GAME, RENDERING, OTHERS };

/* A hidden thread whose scopes are the frames of a type; UINT32_MAX if out of memory. */
static uint32_t make_type(struct tk_ev_capture *c, const struct tk_str *name, uint32_t type)
{
    const struct tk_ev_id id = {name, 0};
    const uint32_t process = name ? tk_ev_process(c, &id) : UINT32_MAX;
    const uint32_t thread = process == UINT32_MAX ? process : tk_ev_thread(c, process, &id, 0);
    if (thread == UINT32_MAX || c->threads.v[thread]->is_beyond)
        return thread;
    struct tk_ev_thread *t = c->threads.v[thread];
    t->is_frames = t->is_hidden = true;
    t->frame_type = type;
    t->frame_name = name;
    return thread;
}

static const struct tk_str *app_name(struct tk_pf_trace *t, int64_t pid)
{
    const struct tk_ev_id id = {NULL, pid};
    const uint32_t process = tk_ev_process(t->c, &id);
    const struct tk_str *name = process == UINT32_MAX ? NULL : t->c->processes.v[process].name;
    t->text.n = 0;
    if (process == UINT32_MAX || tk_vec_reserve(&t->text, (name ? name->n : 0) + 32))
        return NULL;
    char *text = (char *)t->text.v;
    memcpy(text, "app ", 4);
    size_t n = 4;
    if (name)
        memcpy(text + n, name->p, name->n), n += name->n;
    else
        n += tk_put_i64(text + n, pid);
    return tk_ev_text(&t->c->names, text, n);
}

/* The thread that makes the frames of an app: engines have one of their own, others use the main thread. */
static void find_maker(struct tk_pf_trace *t, int64_t pid, struct tk_ev_thread *of)
{
    of->frames_by = TK_NO_THREAD;
    for (size_t i = 0; i < t->system.tasks.n; i++) {
        const struct tk_pf_task *task = &t->system.tasks.v[i];
        const struct tk_str *name = tk_ev_name_text(&t->c->names, task->name);
        if (!task->has_pid || task->pid != pid || task->thread == UINT32_MAX)
            continue;
        const bool engine = name && tk_role_of_name(name->p, name->n) == TK_ROLE_GAME;
        if (engine || (task->tid == pid && of->frames_by == TK_NO_THREAD))
            of->frames_by = task->thread;
        if (engine)
            return;
    }
}

/* The app with the most frames is the game. */
static int make_types(struct tk_pf_trace *t, struct apps *apps)
{
    size_t game = 0;
    uint32_t next = OTHERS;
    for (size_t i = 1; i < apps->v.n; i++)
        game = apps->v.v[i].frames > apps->v.v[game].frames ? i : game;
    for (size_t i = 0; i < apps->v.n; i++) {
        struct app *app = &apps->v.v[i];
        app->thread = make_type(t->c, app_name(t, app->pid), i == game ? GAME : next++);
        if (app->thread == UINT32_MAX)
            return -1;
        find_maker(t, app->pid, t->c->threads.v[app->thread]);
    }
    apps->display = make_type(t->c, tk_ev_text(&t->c->names, "display", 7), RENDERING);
    return apps->display == UINT32_MAX ? -1 : 0;
}

static int give_frame(struct tk_pf_trace *t, const struct apps *apps, struct tk_pf_frame *f)
{
    const uint32_t app = is_app(f) ? tk_map_get(&apps->index, (uint64_t)f->pid) : 0;
    const struct tk_ev_id pid = {NULL, f->pid};
    f->expected = tk_map_get(&t->system.expected, key_of(f));
    f->process = tk_ev_process(t->c, &pid);
    f->jank_text = jank_text(t->c, f->jank);
    if (f->process == UINT32_MAX || !f->jank_text)
        return -1;
    return tk_ev_frame(t->c, is_app(f) ? apps->v.v[app].thread : apps->display, f->begin, f->end);
}

int tk_pf_frames_finish(struct tk_pf_trace *t)
{
    struct tk_pf_system *s = &t->system;
    struct apps apps = {0};
    int rc = 0;
    for (size_t i = 0; i < s->frames.n && rc == 0; i++)
        rc = s->frames.v[i].kind == ACTUAL_APP ? count_app(&apps, s->frames.v[i].pid) : 0;
    rc = rc == 0 && s->frames.n ? make_types(t, &apps) : rc;
    for (size_t i = 0; i < s->frames.n && rc == 0; i++)
        rc = is_actual(&s->frames.v[i]) ? give_frame(t, &apps, &s->frames.v[i]) : 0;
    tk_vec_release(&apps.v);
    tk_map_release(&apps.index);
    if (rc || t->c->rows)
        return rc;
    t->c->rows = s->frames.v; /* from here on they are the capture's */
    t->c->n_rows = s->frames.n;
    s->frames.v = NULL;
    s->frames.n = s->frames.cap = 0;
    return 0;
}

/* ---- the table ---- */

enum {
    COL_START,
    COL_END,
    COL_DUR,
    COL_KIND,
    COL_PROCESS_ID,
    COL_PROCESS,
    COL_LAYER,
    COL_JANK,
    COL_BLAME,
    COL_PRESENT,
    COL_ON_TIME,
    COL_GPU,
    COL_EXPECTED,
    COL_EXPECTED_DUR,
    COL_TOKEN,
    COL_DISPLAY,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [COL_START] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [COL_END] = {"end", TK_TIME, 0, NULL, "when it was presented; empty if that is not in the capture"},
    [COL_DUR] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [COL_KIND] = {"kind", TK_TEXT, 0, NULL, "app, or display: of the compositor"},
    [COL_PROCESS_ID] = {"process_id", TK_INT, 0, NULL, "id of the process"},
    [COL_PROCESS] = {"process", TK_TEXT, 0, NULL, "name of the process"},
    [COL_LAYER] = {"layer", TK_TEXT, TK_COL_OPTIONAL, NULL, "name of the layer"},
    [COL_JANK] = {"jank", TK_TEXT, 0, NULL,
                  "what went wrong, as the system says; None, or empty: it says nothing"},
    [COL_BLAME] = {"blame", TK_TEXT, 0, NULL,
                   "whose fault it is: Self Jank, Other Jank, Buffer Stuffing, SurfaceFlinger Stuffing, "
                   "Dropped Frame, Non-perceivable Jank, No Jank or Unspecified"},
    [COL_PRESENT] = {"present", TK_TEXT, 0, NULL, "how it was presented"},
    [COL_ON_TIME] = {"on_time", TK_BOOL, TK_COL_EXTRA, NULL, "was it finished on time?"},
    [COL_GPU] = {"gpu", TK_BOOL, TK_COL_EXTRA, NULL, "was it composed by the GPU?"},
    [COL_EXPECTED] = {"expected_start", TK_TIME, TK_COL_EXTRA, NULL, "when it should have started"},
    [COL_EXPECTED_DUR] = {"expected", TK_DURATION, TK_COL_OPTIONAL, NULL, "how long it should have taken"},
    [COL_TOKEN] = {"token", TK_INT, TK_COL_EXTRA, NULL, "number of the frame in the timeline"},
    [COL_DISPLAY] = {"display_token", TK_INT, TK_COL_EXTRA, NULL,
                     "number of the display frame it belongs to"},
};

static const struct tk_table table = {
    .name = "android_frames",
    .help = "frames of Android as its timeline has them, with what went wrong and whose fault it is",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

const struct tk_table *const tk_pf_row_tables[] = {&table, NULL};

/* Whose fault it is (import2 3). */
static const char *blame_of(const struct tk_pf_frame *f)
{
    enum {
        OWN = 2 | 4 | 8 | 16 | 32,
        APP = 64 | 256 | 4096,
        STUFFING = 128,
        SF_STUFFING = 512,
        DROPPED = 1024
    };
    enum { NOT_ANIMATING = 2048, NOT_ON = 8192, POWER_MODE = 32768, PRESENT_DROPPED = 4 };
    const uint32_t bits = f->jank;
    if (bits == 0)
        return "Unspecified";
    if (bits == NOT_ANIMATING || bits == NOT_ON || bits == POWER_MODE)
        return is_app(f) && f->present == PRESENT_DROPPED ? "Dropped Frame" : "Non-perceivable Jank";
    if (is_app(f) && bits & APP)
        return "Self Jank";
    if (bits & OWN)
        return is_app(f) ? "Other Jank" : "Self Jank";
    if (is_app(f) && bits == STUFFING)
        return "Buffer Stuffing";
    if (bits == SF_STUFFING)
        return "SurfaceFlinger Stuffing";
    if (is_app(f) ? f->present == PRESENT_DROPPED : bits == DROPPED)
        return "Dropped Frame";
    return "No Jank";
}

static void fill_expected(const struct tk_ev_capture *c, const struct tk_pf_frame *f, struct tk_cell *row)
{
    const struct tk_pf_frame *e =
        f->expected < c->n_rows ? &((const struct tk_pf_frame *)c->rows)[f->expected] : NULL;
    if (!e || e->end == TK_EV_OPEN || e->end < e->begin)
        return;
    row[COL_EXPECTED] = (struct tk_cell){.kind = TK_TIME, .v.i = tk_ev_since(c->first, e->begin)};
    row[COL_EXPECTED_DUR] =
        (struct tk_cell){.kind = TK_DURATION, .n = 1 + COL_EXPECTED, .v.i = e->end - e->begin};
}

bool tk_pf_frame_row(struct tk_ev_capture *c, size_t at, struct tk_fact_row *fact, struct tk_cell *row,
                     int64_t *time)
{
    static const char *const presents[] = {"Unspecified Present", "On-time Present", "Late Present",
                                           "Early Present",       "Dropped Frame",   "Unknown Present"};
    const struct tk_pf_frame *f = &((const struct tk_pf_frame *)c->rows)[at];
    if (!is_actual(f))
        return false;
    for (unsigned i = 0; i < COLUMNS; i++)
        row[i] = (struct tk_cell){.kind = TK_NONE};
    *time = tk_ev_since(c->first, f->begin);
    *fact = (struct tk_fact_row){.table = &table, .cells = row, .end = *time, .has_time = true};
    row[COL_START] = (struct tk_cell){.kind = TK_TIME, .v.i = *time};
    if (f->end != TK_EV_OPEN && f->end >= f->begin) {
        fact->end = tk_ev_since(c->first, f->end);
        row[COL_END] = (struct tk_cell){.kind = TK_TIME, .v.i = fact->end};
        row[COL_DUR] = (struct tk_cell){.kind = TK_DURATION, .n = 1 + COL_START, .v.i = fact->end - *time};
    }
    row[COL_KIND] = tk_cell_of_c(is_app(f) ? "app" : "display");
    row[COL_PROCESS_ID] = (struct tk_cell){.kind = TK_INT, .v.i = f->pid};
    if (f->process < c->processes.n)
        row[COL_PROCESS] = tk_cell_of_text(c->processes.v[f->process].name);
    row[COL_LAYER] = tk_cell_of_text(tk_ev_name_text(&c->names, f->layer));
    row[COL_JANK] = tk_cell_of_text(f->jank_text);
    row[COL_BLAME] = tk_cell_of_c(blame_of(f));
    row[COL_PRESENT] = tk_cell_of_c(presents[f->present]);
    row[COL_ON_TIME] = tk_cell_of_bool(f->on_time);
    row[COL_GPU] = tk_cell_of_bool(f->gpu);
    row[COL_TOKEN] = (struct tk_cell){.kind = TK_INT, .v.i = f->token};
    row[COL_DISPLAY] = (struct tk_cell){.kind = TK_INT, .v.i = f->display};
    fill_expected(c, f, row);
    return true;
}
