/*
 * Positions of points, of two counters, and of messages.
 */
#include "base/sort.h"
#include "base/text/glob.h"
#include "place/place.h"
#include "place/place_in.h"
#include "table/cell.h"
#include "tracekit/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char log_prefix[] = "log:";
static const char allowed[] =
    "a point ('Player'), two counters ('PosX,PosY'), or messages ('log:LogGame:pos x=(%f) y=(%f)')";

/* ---- what --position says ---- */

static bool put_name(char to[TK_POSITION_NAME], const char *p, size_t n)
{
    if (n == 0 || n >= TK_POSITION_NAME)
        return false;
    memcpy(to, p, n);
    to[n] = '\0';
    return true;
}

/* How many numbers a pattern has. */
static unsigned count_numbers(const char *pattern)
{
    unsigned n = 0;
    for (const char *at = pattern; (at = strstr(at, "%f")); at += 2)
        n++;
    return n;
}

static int parse_log(struct tk_position_source *s, const char *text, struct tk_err *err)
{
    const char *category = text + sizeof log_prefix - 1, *colon = strchr(category, ':');
    s->kind = TK_POSITION_LOG;
    s->pattern = colon ? colon + 1 : NULL;
    if (!colon || !put_name(s->x, category, (size_t)(colon - category)))
        return tk_err_set(err, TK_EUSAGE, "'%.80s' names no category of the log; positions come from %s",
                          text, allowed);
    const unsigned n = count_numbers(s->pattern);
    if (n == 2 || n == 3)
        return TK_OK;
    return tk_err_set(err, TK_EUSAGE,
                      "'%.80s' has %u numbers: a pattern has (%%f) for x and y, and perhaps z", text, n);
}

static int parse_counters(struct tk_position_source *s, const char *text, const char *comma,
                          struct tk_err *err)
{
    s->kind = TK_POSITION_COUNTERS;
    if (put_name(s->x, text, (size_t)(comma - text)) && put_name(s->y, comma + 1, strlen(comma + 1)) &&
        !strchr(comma + 1, ','))
        return TK_OK;
    return tk_err_set(err, TK_EUSAGE,
                      "'%.80s' is not two counters with a comma between them; positions come from %s", text,
                      allowed);
}

int tk_position_parse(struct tk_position_source *out, const char *text, struct tk_err *err)
{
    *out = (struct tk_position_source){.kind = TK_POSITION_POINT, .any = !text};
    if (!text)
        return TK_OK;
    if (strncmp(text, log_prefix, sizeof log_prefix - 1) == 0)
        return parse_log(out, text, err);
    const char *comma = strchr(text, ',');
    if (comma)
        return parse_counters(out, text, comma, err);
    return put_name(out->x, text, strlen(text))
               ? TK_OK
               : tk_err_set(err, TK_EUSAGE, "'%.80s' is no name; positions come from %s", text, allowed);
}

const char *tk_position_table(const struct tk_position_source *source)
{
    return source->kind == TK_POSITION_POINT      ? "spatial"
           : source->kind == TK_POSITION_COUNTERS ? "counter_values"
                                                  : "logs";
}

/* ---- messages ---- */

/* A number at p, which is no "nan" or "inf" in a word. */
static bool take_number(const char **p, const char *end, double *out)
{
    char digits[64];
    size_t n = (size_t)(end - *p);
    n = n < sizeof digits - 1 ? n : sizeof digits - 1;
    memcpy(digits, *p, n);
    digits[n] = '\0';
    n = strspn(digits, "+-.0123456789eE");
    digits[n] = '\0';
    char *stop;
    *out = strtod(digits, &stop);
    *p += stop - digits;
    return stop != digits && isfinite(*out);
}

static bool match_here(const char *pattern, const char *p, const char *end, double at[3], unsigned *found)
{
    *found = 0;
    while (*pattern) {
        const bool grouped = strncmp(pattern, "(%f)", 4) == 0;
        if (grouped || strncmp(pattern, "%f", 2) == 0) {
            if (*found == 3 || !take_number(&p, end, &at[(*found)++]))
                return false;
            pattern += grouped ? 4 : 2;
        } else if (p < end && *p == *pattern) {
            p++;
            pattern++;
        } else {
            return false;
        }
    }
    return true;
}

bool tk_position_match(const char *pattern, const char *text, size_t n, double at[3], unsigned *found)
{
    for (size_t i = 0; i <= n; i++)
        if (match_here(pattern, text + i, text + n, at, found))
            return true;
    return false;
}

/* ---- rows ---- */

static bool real_of(const struct tk_cell *cell, double *out)
{
    if (cell->kind == TK_REAL || cell->kind == TK_REAL32 || cell->kind == TK_MEAN)
        *out = cell->v.r;
    else if (cell->kind == TK_INT || cell->kind == TK_DURATION)
        *out = (double)cell->v.i;
    else if (cell->kind == TK_UINT || cell->kind == TK_SIZE || cell->kind == TK_HEX)
        *out = (double)cell->v.u;
    else
        return false;
    return isfinite(*out);
}

static bool is_called(const struct tk_cell *cell, const char *pattern)
{
    return cell->kind == TK_TEXT &&
           (tk_glob(pattern, strlen(pattern), cell->v.p, cell->n, false) ||
            (cell->n == strlen(pattern) && memcmp(cell->v.p, pattern, cell->n) == 0));
}

static int add(struct tk_positions *p, int64_t time, const double at[3], uint8_t of, struct tk_err *err)
{
    const struct tk_position one = {time, {at[0], at[1], at[2]}};
    return tk_vec_push(&p->v, one) || tk_vec_push(&p->of, of) ? tk_err_nomem(err, "positions") : TK_OK;
}

/* Which of the points that there are; those beyond the last place are together there. */
static uint8_t name_of(struct tk_positions *p, const struct tk_cell *cell)
{
    enum { MOST = sizeof p->names / sizeof *p->names };
    char name[TK_POSITION_NAME] = "";
    size_t i = 0;
    if (cell->kind == TK_TEXT)
        put_name(name, cell->v.p, cell->n);
    while (i < p->n_names && strcmp(p->names[i], name) != 0)
        i++;
    if (i == p->n_names && i < MOST)
        memcpy(p->names[p->n_names++], name, sizeof name);
    i = i < MOST ? i : MOST - 1;
    p->counts[i]++;
    return (uint8_t)i;
}

static int take_point(struct tk_positions *p, const struct tk_position_source *s,
                      const struct tk_table *table, const struct tk_cell *row, int64_t time,
                      struct tk_err *err)
{
    const struct tk_cell *name = tk_place_cell(table, row, "name");
    double at[3] = {0};
    if (!s->any && !is_called(name, s->x))
        return TK_OK;
    if (!real_of(tk_place_cell(table, row, "x"), &at[0]) || !real_of(tk_place_cell(table, row, "y"), &at[1]))
        return TK_OK;
    real_of(tk_place_cell(table, row, "z"), &at[2]);
    return add(p, time, at, s->any ? name_of(p, name) : 0, err);
}

static int take_counter(struct tk_positions *p, const struct tk_position_source *s,
                        const struct tk_table *table, const struct tk_cell *row, int64_t time,
                        struct tk_err *err)
{
    const struct tk_cell *name = tk_place_cell(table, row, "counter");
    const int which = is_called(name, s->x) ? 0 : is_called(name, s->y) ? 1 : -1;
    if (which < 0 || !real_of(tk_place_cell(table, row, "value"), &p->half[which]))
        return TK_OK;
    p->has[which] = true;
    const double now[3] = {p->half[0], p->half[1], 0};
    return p->has[0] && p->has[1] ? add(p, time, now, 0, err) : TK_OK;
}

static int take_message(struct tk_positions *p, const struct tk_position_source *s,
                        const struct tk_table *table, const struct tk_cell *row, int64_t time,
                        struct tk_err *err)
{
    const struct tk_cell *text = tk_place_cell(table, row, "text");
    double at[3] = {0};
    unsigned found;
    if (text->kind != TK_TEXT || !is_called(tk_place_cell(table, row, "category"), s->x) ||
        !tk_position_match(s->pattern, text->v.p, text->n, at, &found))
        return TK_OK;
    return add(p, time, at, 0, err);
}

int tk_positions_take(struct tk_positions *p, const struct tk_position_source *source,
                      const struct tk_table *table, const struct tk_cell *row, struct tk_err *err)
{
    const struct tk_cell *time = tk_place_cell(table, row, "time");
    if (time->kind == TK_NONE)
        return TK_OK;
    return source->kind == TK_POSITION_POINT      ? take_point(p, source, table, row, time->v.i, err)
           : source->kind == TK_POSITION_COUNTERS ? take_counter(p, source, table, row, time->v.i, err)
                                                  : take_message(p, source, table, row, time->v.i, err);
}

/* ---- all of them ---- */

/* The point that is meant where none is named: the only one, or the first of these that is there. */
static int choose_point(const struct tk_positions *p, uint8_t *out, struct tk_err *err)
{
    static const char *const usual[] = {"Player", "Camera", "View"};
    char names[400] = "";
    size_t n = 0;
    *out = 0;
    if (p->n_names == 1)
        return TK_OK;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        for (size_t i = 0; i < p->n_names; i++)
            if (strcmp(p->names[i], usual[k]) == 0) {
                *out = (uint8_t)i;
                return TK_OK;
            }
    for (size_t i = 0; i < p->n_names && n < sizeof names - 60; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.40s", i ? ", " : "", p->names[i]);
    return tk_err_set(err, TK_EMATCH, "there are several points (%s): name one with --position", names);
}

static int compare_times(const void *a, const void *b)
{
    const int64_t x = ((const struct tk_position *)a)->time, y = ((const struct tk_position *)b)->time;
    return (x > y) - (x < y);
}

/* In order of time, and as they came where times are equal. */
static int sort_positions(struct tk_positions *p, struct tk_err *err)
{
    size_t i = 1;
    while (i < p->v.n && p->v.v[i - 1].time <= p->v.v[i].time)
        i++;
    if (i >= p->v.n)
        return TK_OK;
    return tk_sort(p->v.v, p->v.n, sizeof *p->v.v, compare_times) ? tk_err_nomem(err, "positions") : TK_OK;
}

int tk_positions_settle(struct tk_positions *p, const struct tk_position_source *source, struct tk_err *err)
{
    uint8_t meant = 0;
    size_t n = 0;
    if (p->v.n == 0 && source->any)
        return tk_err_set(err, TK_EMATCH, "no point in space is recorded; --position takes %s", allowed);
    if (p->v.n == 0)
        return tk_err_set(err, TK_EMATCH,
                          "nothing is recorded of the position that is named; --position takes %s", allowed);
    int rc = source->any ? choose_point(p, &meant, err) : TK_OK;
    for (size_t i = 0; i < p->v.n; i++)
        if (p->of.v[i] == meant)
            p->v.v[n++] = p->v.v[i];
    p->v.n = n;
    return rc == TK_OK ? sort_positions(p, err) : rc;
}

const struct tk_position *tk_positions_before(const struct tk_positions *p, int64_t end, size_t *from)
{
    enum { OLDEST = 1000000000 };
    while (*from < p->v.n && p->v.v[*from].time < end)
        ++*from;
    const struct tk_position *last = *from ? &p->v.v[*from - 1] : NULL;
    return last && end - last->time <= OLDEST ? last : NULL;
}

void tk_positions_release(struct tk_positions *p)
{
    tk_vec_release(&p->v);
    tk_vec_release(&p->of);
}

/*
 * Reads frames and positions of a capture together.
 */

struct ended {
    uint64_t number;
    int64_t end;
};

struct reading {
    struct tk_position_source source;
    struct tk_positions positions;
    TK_VEC(struct ended) frames;
};

static int take_frame(struct reading *r, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_cell *type = tk_place_cell(table, row, "type_id"),
                         *dur = tk_place_cell(table, row, "dur"), *end = tk_place_cell(table, row, "end");
    if (type->v.u != 0 || dur->kind == TK_NONE || end->kind == TK_NONE)
        return TK_OK;
    const struct ended frame = {tk_place_cell(table, row, "frame")->v.u, end->v.i};
    return tk_vec_push(&r->frames, frame) ? tk_err_nomem(err, "frames") : TK_OK;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct reading *r = self;
    const bool frames = strcmp(table->name, "frames") == 0;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        rc = frames ? take_frame(r, table, row, err)
                    : tk_positions_take(&r->positions, &r->source, table, row, err);
    }
    return rc;
}

static int read_all(struct reading *r, struct tk_trace *trace, struct tk_err *err)
{
    const char *const tables[] = {"frames", tk_position_table(&r->source)};
    const struct tk_sink sink = {.self = r, .rows = take_rows};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = tk_has_table(trace, tables[1]) ? 2 : 1;
    const int rc = tk_query_run(trace, &query, &sink, err);
    return rc < 0 ? rc : tk_positions_settle(&r->positions, &r->source, err);
}

static int by_end(const void *a, const void *b)
{
    const int64_t x = ((const struct ended *)a)->end, y = ((const struct ended *)b)->end;
    return (x > y) - (x < y);
}

static int give_all(struct reading *r, tk_frame_position_take *take, void *ctx, struct tk_err *err)
{
    size_t from = 0;
    int rc =
        tk_sort(r->frames.v, r->frames.n, sizeof *r->frames.v, by_end) ? tk_err_nomem(err, "frames") : TK_OK;
    for (size_t i = 0; i < r->frames.n && rc == TK_OK; i++) {
        const struct tk_position *p = tk_positions_before(&r->positions, r->frames.v[i].end, &from);
        rc = take(ctx, r->frames.v[i].number, p ? p->at : NULL, err);
    }
    return rc;
}

int tk_frame_positions(struct tk_trace *trace, const char *position, tk_frame_position_take *take, void *ctx,
                       struct tk_err *err)
{
    struct reading r = {.frames = {0}};
    int rc = tk_position_parse(&r.source, position, err);
    if (rc == TK_OK)
        rc = read_all(&r, trace, err);
    if (rc == TK_OK)
        rc = give_all(&r, take, ctx, err);
    tk_positions_release(&r.positions);
    tk_vec_release(&r.frames);
    return rc;
}
