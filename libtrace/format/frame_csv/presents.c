/*
 * The format of CSV with a row a present, as PresentMon 1.x and 2.x and CapFrameX write it. Columns are found
 * by their names, of which releases have different ones for the same. A file may have rows of several
 * programs and swap chains: the frames are those of the one with most rows.
 */
#include "base/hash.h"
#include "format/events/feed.h"
#include "format/frame_csv/csv_lines.h"
#include "format/frame_csv/frame_csv.h"
#include "table/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 1024, MOST_CHAINS = 4096 };
enum { ROW, HEADER, COMMENT, OTHER, GENERATED, TYPES };

/* What is looked for in the names of the columns: of a time, the first that is there counts. */
enum meaning { APPLICATION, PROCESS_ID, SWAP_CHAIN, FRAME_TYPE, DROPPED, DISPLAYED, FRAME_MS, MEANINGS };

static const struct {
    enum meaning meaning;
    const char *name;
} names[] = {
    {APPLICATION, "application"},
    {PROCESS_ID, "processid"},
    {SWAP_CHAIN, "swapchainaddress"},
    {FRAME_TYPE, "frametype"},
    {DROPPED, "dropped"},
    {DISPLAYED, "msuntildisplayed"},
    {DISPLAYED, "displayedtime"},
    {FRAME_MS, "msbetweenpresents"},
    {FRAME_MS, "frametime"},
    {FRAME_MS, "msbetweenappstart"},
};

/*
 * OCAT puts columns about the machine behind the others, with values in the first row alone. They begin with
 * one of these.
 */
static const char *const about_machine[] = {"motherboard", "os", "processor"};

/* The rows of a program and a swap chain. */
struct chain {
    uint64_t hash, rows;
};

struct presents {
    struct tk_ev_window w;
    struct tk_ev_capture *c; /* borrowed */
    uint32_t process, thread, not_displayed;
    uint32_t columns[MEANINGS];  /* UINT32_MAX: there is none */
    uint32_t measures;           /* columns of a row; those behind are about the machine */
    TK_VEC(uint32_t) counters;   /* by column: a counter + 1; 0: it is none */
    TK_VEC(struct tk_str) facts; /* names of the columns about the machine; borrowed */
    TK_VEC(struct tk_bytes) cells;
    uint64_t chosen; /* the hash of the chain whose rows are frames */
    double time;     /* nanoseconds */
    bool named;      /* the program is in the session */
};

/* ---- lines ---- */

static bool is_comment(const uint8_t *p, size_t n)
{
    return n > 1 && p[0] == '/' && p[1] == '/';
}

static int split(struct presents *d, const uint8_t *p, size_t n)
{
    struct tk_csv_line line = tk_csv_line_of(p, n);
    struct tk_bytes cell;
    d->cells.n = 0;
    while (d->cells.n < TK_CSV_COLUMNS && tk_csv_cell(&line, &cell))
        if (tk_vec_push(&d->cells, cell))
            return -1;
    return 0;
}

static struct tk_bytes cell_of(const struct presents *d, enum meaning meaning)
{
    const uint32_t at = d->columns[meaning];
    return at < d->cells.n ? d->cells.v[at] : (struct tk_bytes){NULL, 0};
}

static void find_columns(struct presents *d)
{
    for (unsigned i = 0; i < MEANINGS; i++)
        d->columns[i] = UINT32_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t k = 0; k < d->cells.n && d->columns[names[i].meaning] == UINT32_MAX; k++)
            if (tk_csv_is(d->cells.v[k], names[i].name))
                d->columns[names[i].meaning] = k;
}

static bool has_columns(const struct presents *d)
{
    return d->columns[APPLICATION] != UINT32_MAX;
}

static uint64_t chain_of(const struct presents *d)
{
    uint64_t hash = 0;
    for (enum meaning i = APPLICATION; i <= SWAP_CHAIN; i++) {
        const struct tk_bytes cell = cell_of(d, i);
        hash = tk_hash_bytes(cell.p, cell.n, hash + i);
    }
    return hash;
}

static bool is_generated(const struct presents *d)
{
    const struct tk_bytes type = cell_of(d, FRAME_TYPE);
    return type.n && !tk_csv_is(type, "application") && !tk_csv_is(type, "na") && !tk_csv_is(type, "notset");
}

/* ---- the program with most rows ---- */

struct counting {
    struct tk_map places; /* by hash */
    TK_VEC(struct chain) chains;
};

static int count_row(struct counting *of, uint64_t hash)
{
    uint32_t place = tk_map_get(&of->places, hash);
    if (place == TK_MAP_NONE && of->chains.n < MOST_CHAINS) {
        place = (uint32_t)of->chains.n;
        if (tk_vec_push(&of->chains, ((struct chain){hash, 0})) || tk_map_put(&of->places, hash, place))
            return -1;
    }
    if (place != TK_MAP_NONE)
        of->chains.v[place].rows++;
    return 0;
}

static int count_rows(struct presents *d, struct counting *of, struct tk_err *err)
{
    const uint8_t *p;
    size_t n;
    uint64_t offset;
    int rc;
    while ((rc = tk_csv_next_line(&d->w, &p, &n, &offset, err)) == TK_ITEM) {
        const size_t mark = offset ? 0 : tk_byte_order_mark(p, n);
        if (is_comment(p + mark, n - mark))
            continue;
        if (split(d, p + mark, n - mark))
            return tk_ev_failed(err);
        if (!has_columns(d))
            find_columns(d);
        else if (!is_generated(d) && count_row(of, chain_of(d)))
            return tk_ev_failed(err);
    }
    return rc;
}

/* Of equally many, the one that comes first. */
static int choose(struct presents *d, struct tk_err *err)
{
    struct counting of = {0};
    uint64_t most = 0;
    find_columns(d); /* of no cells */
    const int rc = count_rows(d, &of, err);
    for (size_t i = 0; i < of.chains.n; i++)
        if (of.chains.v[i].rows > most) {
            most = of.chains.v[i].rows;
            d->chosen = of.chains.v[i].hash;
        }
    tk_vec_release(&of.chains);
    tk_map_release(&of.places);
    d->cells.n = 0;
    find_columns(d);
    tk_ev_window_rewind(&d->w);
    return rc;
}

/* ---- facts ---- */

static int add_fact(struct presents *d, const char *key, size_t n, struct tk_bytes value)
{
    const struct tk_str *text = tk_ev_text(&d->c->names, value.p, value.n);
    return text ? tk_ev_session(d->c, key, n, tk_cell_of_text(text)) : -1;
}

/* //Key=Value */
static int take_comment(struct presents *d, const uint8_t *p, size_t n)
{
    while (n && (p[n - 1] == '\n' || p[n - 1] == '\r'))
        n--;
    const uint8_t *equals = n > 2 ? memchr(p + 2, '=', n - 2) : NULL;
    const size_t key = equals ? (size_t)(equals - p) - 2 : 0;
    tk_ev_count(d->c, COMMENT, n);
    return key ? add_fact(d, (const char *)p + 2, key, (struct tk_bytes){equals + 1, n - key - 3}) : 0;
}

static int name_program(struct presents *d)
{
    static const char application[] = "application", process[] = "process";
    if (d->named)
        return 0;
    d->named = true;
    return add_fact(d, application, sizeof application - 1, cell_of(d, APPLICATION)) ||
                   add_fact(d, process, sizeof process - 1, cell_of(d, PROCESS_ID))
               ? -1
               : 0;
}

/* ---- rows ---- */

static uint32_t measures_of(const struct presents *d)
{
    for (uint32_t i = 0; i < d->cells.n; i++)
        for (size_t k = 0; k < sizeof about_machine / sizeof *about_machine; k++)
            if (tk_csv_is(d->cells.v[i], about_machine[k]))
                return i;
    return (uint32_t)d->cells.n;
}

static int name_facts(struct presents *d)
{
    for (size_t i = d->measures; i < d->cells.n; i++) {
        const struct tk_str *name = tk_ev_text(&d->c->names, d->cells.v[i].p, d->cells.v[i].n);
        if (!name || tk_vec_push(&d->facts, *name))
            return -1;
    }
    return 0;
}

static bool is_measured(const struct presents *d, uint32_t column)
{
    for (unsigned i = APPLICATION; i <= DROPPED; i++)
        if (d->columns[i] == column)
            return false;
    return true;
}

static int take_header(struct presents *d)
{
    static const char not_displayed[] = "NotDisplayed";
    find_columns(d);
    d->measures = measures_of(d);
    for (uint32_t i = 0; i < d->measures; i++) {
        const struct tk_bytes cell = d->cells.v[i];
        uint32_t counter = 0;
        if (cell.n && is_measured(d, i)) {
            const uint32_t name = tk_ev_name_clean(&d->c->names, cell.p, cell.n);
            counter =
                name == TK_EV_NO_NAME ? UINT32_MAX : tk_ev_counter(d->c, d->process, name, i + UINT64_C(2));
            if (counter == UINT32_MAX)
                return -1;
            counter++;
        }
        if (tk_vec_push(&d->counters, counter))
            return -1;
    }
    const uint32_t name = tk_ev_name_clean(&d->c->names, not_displayed, sizeof not_displayed - 1);
    d->not_displayed = name == TK_EV_NO_NAME ? UINT32_MAX : tk_ev_counter(d->c, d->process, name, 1);
    return d->not_displayed == UINT32_MAX ? -1 : name_facts(d);
}

/* A present that never came to the screen says so, or has no time at which it did. */
static bool is_displayed(const struct presents *d)
{
    double value;
    const struct tk_bytes dropped = cell_of(d, DROPPED);
    if (dropped.n)
        return !tk_csv_number(dropped, &value) || value == 0;
    return d->columns[DISPLAYED] == UINT32_MAX || tk_csv_number(cell_of(d, DISPLAYED), &value);
}

static int keep_values(struct presents *d, int64_t time)
{
    for (size_t i = 0; i < d->cells.n && i < d->counters.n; i++) {
        struct tk_number number = {.real = true};
        if (d->counters.v[i] && tk_csv_number(d->cells.v[i], &number.v.r) && !isnan(number.v.r) &&
            tk_ev_value(d->c, d->counters.v[i] - 1, time, number))
            return -1;
    }
    const struct tk_number hidden = {.real = true, .v.r = is_displayed(d) ? 0 : 1};
    return tk_ev_value(d->c, d->not_displayed, time, hidden);
}

static int keep_frame(struct presents *d, uint64_t offset)
{
    const struct tk_bytes cell = cell_of(d, FRAME_MS);
    double ms;
    if (!cell.n || tk_csv_is(cell, "na"))
        return 0; /* the first one has no other before it */
    const double end = tk_csv_number(cell, &ms) && ms >= 0 ? d->time + ms * 1e6 : INFINITY;
    if (!(end < 9e18)) {
        tk_ev_note(d->c, TK_EV_NO_FRAME_TIME, offset);
        return 0;
    }
    const int64_t begin = (int64_t)llround(d->time);
    d->time = end;
    return tk_ev_whole(d->c, d->thread, begin, (int64_t)llround(end),
                       tk_ev_timer(&d->c->names, TK_EV_NO_NAME, NULL, 0)) ||
                   keep_values(d, begin)
               ? -1
               : 0;
}

static int keep_facts(struct presents *d)
{
    for (size_t i = 0; i < d->facts.n && d->measures + i < d->cells.n; i++) {
        const struct tk_bytes cell = d->cells.v[d->measures + i];
        if (cell.n && d->facts.v[i].n && add_fact(d, d->facts.v[i].p, d->facts.v[i].n, cell))
            return -1;
    }
    return 0;
}

static int take_row(struct presents *d, uint64_t offset, size_t n)
{
    const bool generated = is_generated(d), other = !generated && chain_of(d) != d->chosen;
    tk_ev_count(d->c, generated ? GENERATED : other ? OTHER : ROW, n);
    if (keep_facts(d))
        return -1;
    if (generated || other) {
        tk_ev_note(d->c, generated ? TK_EV_GENERATED : TK_EV_OTHER_PROGRAM, offset);
        return 0;
    }
    if (d->cells.n < d->counters.n)
        tk_ev_note(d->c, TK_EV_CELLS_MISSING, offset);
    return name_program(d) || keep_frame(d, offset) ? -1 : 0;
}

static int take_line(struct presents *d, const uint8_t *p, size_t n, uint64_t offset)
{
    const size_t mark = offset ? 0 : tk_byte_order_mark(p, n);
    const bool whole = p[n - 1] == '\n';
    p += mark;
    n -= mark;
    if (d->c->pass != TK_EV_GATHER || tk_csv_line_of(p, n).ended)
        return 0;
    if (is_comment(p, n))
        return take_comment(d, p, n);
    if (split(d, p, n))
        return -1;
    if (!has_columns(d)) {
        tk_ev_count(d->c, HEADER, n);
        return take_header(d);
    }
    if (!whole && d->cells.n < d->counters.n) {
        tk_csv_note_cut(d->c, offset, n);
        return 0;
    }
    return take_row(d, offset, n);
}

/* ---- the walk ---- */

static int step_walk(void *walk, struct tk_err *err)
{
    struct presents *d = walk;
    int rc = TK_ITEM;
    for (unsigned i = 0; i < STEP && rc == TK_ITEM; i++) {
        const uint8_t *p;
        size_t n;
        uint64_t offset;
        rc = tk_csv_next_line(&d->w, &p, &n, &offset, err);
        if (rc == TK_ITEM && take_line(d, p, n, offset))
            return tk_ev_failed(err);
    }
    return rc;
}

static int open_walk(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct presents *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    *walk = d;
    d->c = c;
    const int rc = tk_csv_open_frames(c, &d->w, &d->process, &d->thread, err);
    return rc < 0 ? rc : choose(d, err);
}

static void close_walk(void *walk)
{
    struct presents *d = walk;
    tk_ev_window_close(&d->w);
    tk_vec_release(&d->counters);
    tk_vec_release(&d->facts);
    tk_vec_release(&d->cells);
    free(d);
}

/* ---- the format ---- */

static int probe(const uint8_t *head, size_t n)
{
    const size_t mark = tk_byte_order_mark(head, n);
    return tk_csv_has_presents(head + mark, n - mark) ? TK_FORMAT_SURE : 0;
}

static const struct tk_record_type types[TYPES] = {
    [ROW] = {.name = "Present.Row", .family = "frame"},
    [HEADER] = {.name = "Present.Header", .family = "counter"},
    [COMMENT] = {.name = "Present.Comment", .family = "session"},
    [OTHER] = {.name = "Present.OtherProgram", .family = "unread"},
    [GENERATED] = {.name = "Present.Generated", .family = "unread"}};

static const struct tk_ev_decoder decoder = {
    .noun = "row",
    .nouns = "rows",
    .open = open_walk,
    .step = step_walk,
    .close = close_walk,
    .types = types,
    .n_types = TYPES,
};

const struct tk_format tk_format_presents = {
    .name = "present-csv",
    .help = "CSV with one row per present, as PresentMon and CapFrameX write it",
    .probe = probe,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .tables = tk_ev_tables,
    .hints = {
        [TK_HINT_CPU] = "it has frames and no scopes",
        [TK_HINT_LOG] = "it has frames alone",
    }};
