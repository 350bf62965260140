/*
 * Reads the three files of a history.
 */
#include "base/hash.h"
#include "base/text/copy.h"
#include "trend/history.h"
#include "trend/trend_in.h"

#include <math.h>
#include <string.h>

/*
 * Cuts CSV into fields, and reads numbers.
 */

void tk_csv_begin(struct tk_csv *csv, const char *name, char *text, size_t n)
{
    *csv = (struct tk_csv){.name = name, .p = text + tk_byte_order_mark(text, n), .end = text + n, .next = 1};
}

void tk_csv_release(struct tk_csv *csv)
{
    tk_vec_release(&csv->row);
}

static bool ends_row(const struct tk_csv *csv)
{
    return csv->p == csv->end || *csv->p == '\n' || *csv->p == '\r';
}

/* Steps over the end of a line. */
static void end_row(struct tk_csv *csv)
{
    if (csv->p < csv->end && *csv->p == '\r')
        csv->p++;
    if (csv->p < csv->end && *csv->p == '\n')
        csv->p++;
    csv->next++;
}

/* Behind its opening quote; unquoted in place. */
static int quoted(struct tk_csv *csv, struct tk_csv_field *f, struct tk_err *err)
{
    char *to = csv->p;
    bool closed = false;
    f->p = to;
    while (csv->p < csv->end) {
        if (*csv->p == '"') {
            csv->p++;
            closed = csv->p == csv->end || *csv->p != '"';
            if (closed)
                break;
        }
        csv->next += *csv->p == '\n';
        *to++ = *csv->p++;
    }
    f->n = (size_t)(to - f->p);
    if (!closed || (!ends_row(csv) && *csv->p != ','))
        return tk_err_set(err, TK_EFORMAT, "%s, line %llu: a quote is not closed, or text follows it",
                          csv->name, (unsigned long long)csv->line);
    return TK_OK;
}

static int read_field(struct tk_csv *csv, struct tk_err *err)
{
    struct tk_csv_field f = {csv->p, 0};
    int rc = TK_OK;
    if (csv->p < csv->end && *csv->p == '"') {
        csv->p++;
        rc = quoted(csv, &f, err);
    } else {
        while (!ends_row(csv) && *csv->p != ',')
            csv->p++;
        f.n = (size_t)(csv->p - f.p);
    }
    if (rc == TK_OK && tk_vec_push(&csv->row, f))
        return tk_err_nomem(err, "a row");
    return rc;
}

int tk_csv_next(struct tk_csv *csv, struct tk_err *err)
{
    while (csv->p < csv->end && ends_row(csv))
        end_row(csv);
    if (csv->p == csv->end)
        return 0;
    csv->row.n = 0;
    csv->line = csv->next;
    for (;;) {
        int rc = read_field(csv, err);
        if (rc < 0)
            return rc;
        if (ends_row(csv))
            break;
        csv->p++; /* the comma */
    }
    end_row(csv);
    return 1;
}

/* ---- numbers ---- */

#define MOST_DIGITS 18 /* that fit into 64 bits */

struct digits {
    uint64_t value;
    int exponent, count;
};

/* Digits of a number and its point; what is beyond 18 digits only counts for the size. */
static const char *read_digits(const char *p, const char *end, struct digits *d)
{
    bool point = false;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        d->count++;
        if (d->value < UINT64_C(100000000000000000)) {
            d->value = d->value * 10 + (uint64_t)(*p - '0');
            d->exponent -= point;
        } else {
            d->exponent += !point;
        }
    }
    return p;
}

static const char *read_exponent(const char *p, const char *end, struct digits *d)
{
    int sign = 1, value = 0, count = 0;
    if (p == end || (*p != 'e' && *p != 'E'))
        return p;
    if (++p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    for (; p < end && *p >= '0' && *p <= '9'; p++, count++)
        value = value < 10000 ? value * 10 + *p - '0' : value;
    d->exponent += sign * value;
    return count ? p : NULL;
}

bool tk_csv_real(const struct tk_csv_field *f, double *out)
{
    struct digits d = {0};
    const char *p = f->p, *end = f->p + f->n;
    double sign = 1;
    if (p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    p = read_digits(p, end, &d);
    p = d.count ? read_exponent(p, end, &d) : NULL;
    if (p != end)
        return false;
    /* powers of ten up to 22 are exact, so that usual numbers are rounded once */
    double v = (double)d.value;
    if (d.exponent > -400 && d.exponent < 400)
        v = d.exponent < 0 ? v / pow(10, -d.exponent) : v * pow(10, d.exponent);
    else if (d.value)
        v = d.exponent < 0 ? 0 : INFINITY;
    *out = sign * v;
    return isfinite(v);
}

bool tk_csv_uint(const struct tk_csv_field *f, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->p[i] < '0' || f->p[i] > '9' || i >= MOST_DIGITS)
            return false;
        v = v * 10 + (uint64_t)(f->p[i] - '0');
    }
    *out = v;
    return f->n > 0;
}

#define MOST_NIGHTS 100000u

/* What a column of a file is. */
#define NO_COLUMN UINT32_MAX

struct reader {
    struct tk_history *h;
    struct tk_csv csv;
    struct tk_map by_name; /* runs, series: text -> index */
    struct tk_err *err;
};

static const struct tk_str *intern_field(struct reader *r, const struct tk_csv_field *f)
{
    return tk_intern(&r->h->names, f->p, f->n, TK_ENC_UTF8);
}

static int fail(const struct reader *r, const char *what, const struct tk_csv_field *f)
{
    return tk_err_set(r->err, TK_EFORMAT, "%s, line %llu: %s '%.*s'", r->csv.name,
                      (unsigned long long)r->csv.line, what, (int)(f->n < 100 ? f->n : 100), f->p);
}

static int fail_plain(const struct reader *r, const char *what)
{
    return tk_err_set(r->err, TK_EFORMAT, "%s, line %llu: %s", r->csv.name, (unsigned long long)r->csv.line,
                      what);
}

static bool is_word(const struct tk_csv_field *f, const char *word)
{
    return f->n == strlen(word) && memcmp(f->p, word, f->n) == 0;
}

/* The header; TK_OK or what failed. */
static int begin_file(struct reader *r, const char *name, struct tk_history_text text)
{
    tk_csv_begin(&r->csv, name, text.p, text.n);
    int rc = tk_csv_next(&r->csv, r->err);
    if (rc == 0)
        return tk_err_set(r->err, TK_EFORMAT, "%s is empty: the line with the column names is missing", name);
    return rc < 0 ? rc : TK_OK;
}

/* The next row, with as many fields as there are columns: 1, 0 or what failed. */
static int next_row(struct reader *r, size_t columns)
{
    int rc = tk_csv_next(&r->csv, r->err);
    if (rc == 1 && r->csv.row.n != columns)
        return tk_err_set(r->err, TK_EFORMAT, "%s, line %llu: %zu fields, and there are %zu columns",
                          r->csv.name, (unsigned long long)r->csv.line, r->csv.row.n, columns);
    return rc;
}

/* Columns of the header by their names. */
static void find_columns(const struct reader *r, const char *const *names, size_t n, uint32_t *at)
{
    for (size_t k = 0; k < n; k++) {
        at[k] = NO_COLUMN;
        for (uint32_t i = 0; i < r->csv.row.n && at[k] == NO_COLUMN; i++)
            if (is_word(&r->csv.row.v[i], names[k]))
                at[k] = i;
    }
}

static struct tk_csv_field field_at(const struct reader *r, uint32_t column)
{
    return column == NO_COLUMN ? (struct tk_csv_field){"", 0} : r->csv.row.v[column];
}

/* ---- runs ---- */

enum { RUN, NIGHT, TIME, BUILD, MACHINE, FRAMES, REPEAT, RUN_COLUMNS };
static const char *const run_columns[RUN_COLUMNS] = {"run",     "night",  "time",  "build",
                                                     "machine", "frames", "repeat"};

static bool is_run_column(const struct tk_csv_field *f)
{
    for (int i = 0; i < RUN_COLUMNS; i++)
        if (is_word(f, run_columns[i]))
            return true;
    return false;
}

/* Further columns; notes[i] is the column of note i. */
static int add_notes(struct reader *r, uint32_t *columns)
{
    for (uint32_t i = 0; i < r->csv.row.n; i++) {
        struct tk_history_note note = {0};
        if (is_run_column(&r->csv.row.v[i]))
            continue;
        note.name = intern_field(r, &r->csv.row.v[i]);
        columns[r->h->notes.n] = i;
        if (!note.name || tk_vec_push(&r->h->notes, note))
            return tk_err_nomem(r->err, "a history");
    }
    return TK_OK;
}

static int find_night(struct reader *r, const uint32_t at[RUN_COLUMNS], struct tk_history_run *run)
{
    const struct tk_history_run *last = r->h->runs.n ? &r->h->runs.v[r->h->runs.n - 1] : NULL;
    struct tk_csv_field f = field_at(r, at[NIGHT]);
    uint64_t night;
    if (at[NIGHT] == NO_COLUMN) {
        run->night = !last                                                 ? 0
                     : at[BUILD] != NO_COLUMN && run->build == last->build ? last->night
                                                                           : last->night + 1;
        return TK_OK;
    }
    if (!tk_csv_uint(&f, &night) || night >= MOST_NIGHTS)
        return fail(r, "nights must be whole numbers from 0 to 99999, not", &f);
    if (last && night < last->night)
        return fail(r, "runs must be in order of their nights, but this one follows a later one: night", &f);
    run->night = (uint32_t)night;
    return TK_OK;
}

static int add_run(struct reader *r, const uint32_t at[RUN_COLUMNS], const uint32_t *notes)
{
    struct tk_csv_field name = field_at(r, at[RUN]), time = field_at(r, at[TIME]),
                        build = field_at(r, at[BUILD]), machine = field_at(r, at[MACHINE]),
                        frames = field_at(r, at[FRAMES]);
    struct tk_history_run run = {.name = intern_field(r, &name),
                                 .time = intern_field(r, &time),
                                 .build = intern_field(r, &build),
                                 .machine = intern_field(r, &machine)};
    if (frames.n && !tk_csv_uint(&frames, &run.frames))
        return fail(r, "frames must be a whole number, not", &frames);
    if (!run.name || !run.time || !run.build || !run.machine)
        return tk_err_nomem(r->err, "a history");
    uint64_t key = tk_hash_bytes(run.name->p, run.name->n, 0);
    if (tk_map_get(&r->by_name, key) != TK_MAP_NONE)
        return fail(r, "duplicate run", &name);
    int rc = find_night(r, at, &run);
    if (rc < 0)
        return rc;
    if (tk_map_put(&r->by_name, key, (uint32_t)r->h->runs.n) || tk_vec_push(&r->h->runs, run))
        return tk_err_nomem(r->err, "a history");
    for (size_t i = 0; i < r->h->notes.n; i++) {
        const struct tk_str *value = intern_field(r, &r->csv.row.v[notes[i]]);
        if (!value || tk_vec_push(&r->h->notes.v[i].values, value))
            return tk_err_nomem(r->err, "a history");
    }
    return TK_OK;
}

static int read_runs(struct reader *r)
{
    uint32_t at[RUN_COLUMNS], *notes = calloc(r->csv.row.n, sizeof *notes);
    size_t columns = r->csv.row.n;
    find_columns(r, run_columns, RUN_COLUMNS, at);
    int rc = notes ? add_notes(r, notes) : tk_err_nomem(r->err, "a history");
    if (rc == TK_OK && at[RUN] == NO_COLUMN)
        rc = fail_plain(r, "there is no column 'run'");
    while (rc == TK_OK && (rc = next_row(r, columns)) == 1)
        rc = add_run(r, at, notes);
    free(notes);
    return rc;
}

/* ---- series ---- */

enum { SERIES, KIND, NAME, CLASS, PARENT, UNIT, WORSE, SERIES_COLUMNS };
static const char *const series_columns[SERIES_COLUMNS] = {"series", "kind", "name", "class",
                                                           "parent", "unit", "worse"};

static int fill_kind(struct reader *r, const uint32_t at[SERIES_COLUMNS], struct tk_history_series *s)
{
    static const char *const worse[] = {"up", "down", ""};
    struct tk_csv_field kind = field_at(r, at[KIND]), way = field_at(r, at[WORSE]);
    const struct tk_str name = {.p = kind.p, .n = (uint32_t)kind.n};
    int found = at[KIND] == NO_COLUMN ? TK_HISTORY_TIMER : tk_history_kind_of(&name);
    if (found < 0)
        return fail(r, "unknown kind of series", &kind);
    s->kind = (uint8_t)found;
    for (uint8_t i = 0; i < 3 && at[WORSE] != NO_COLUMN; i++)
        if (is_word(&way, worse[i])) {
            s->worse = i;
            return TK_OK;
        }
    return at[WORSE] == NO_COLUMN ? TK_OK : fail(r, "worse must be 'up', 'down' or empty, not", &way);
}

static int add_series(struct reader *r, const uint32_t at[SERIES_COLUMNS])
{
    struct tk_csv_field id = field_at(r, at[SERIES]), name = field_at(r, at[NAME]),
                        group = field_at(r, at[CLASS]), parent = field_at(r, at[PARENT]),
                        unit = field_at(r, at[UNIT]);
    struct tk_history_series s = {.id = intern_field(r, &id),
                                  .name = intern_field(r, at[NAME] == NO_COLUMN ? &id : &name),
                                  .group = intern_field(r, &group),
                                  .parent = intern_field(r, &parent),
                                  .unit = intern_field(r, &unit)};
    if (!s.id || !s.name || !s.group || !s.parent || !s.unit)
        return tk_err_nomem(r->err, "a history");
    uint64_t key = tk_hash_bytes(s.id->p, s.id->n, 0);
    if (tk_map_get(&r->by_name, key) != TK_MAP_NONE)
        return fail(r, "duplicate series", &id);
    int rc = fill_kind(r, at, &s);
    if (rc < 0)
        return rc;
    if (tk_map_put(&r->by_name, key, (uint32_t)r->h->series.n) || tk_vec_reserve(&s.values, r->h->runs.n))
        return tk_err_nomem(r->err, "a history");
    while (s.values.n < r->h->runs.n)
        s.values.v[s.values.n++] = NAN;
    if (tk_vec_push(&r->h->series, s)) {
        tk_vec_release(&s.values);
        return tk_err_nomem(r->err, "a history");
    }
    return TK_OK;
}

static int read_series(struct reader *r)
{
    uint32_t at[SERIES_COLUMNS];
    size_t columns = r->csv.row.n;
    int rc = TK_OK;
    find_columns(r, series_columns, SERIES_COLUMNS, at);
    if (at[SERIES] == NO_COLUMN)
        return fail_plain(r, "there is no column 'series'");
    while (rc == TK_OK && (rc = next_row(r, columns)) == 1)
        rc = add_series(r, at);
    return rc;
}

/* ---- values ---- */

/* Series of the columns, and the column of runs. */
static int read_header(struct reader *r, uint32_t *series, uint32_t *run)
{
    *run = NO_COLUMN;
    for (uint32_t i = 0; i < r->csv.row.n; i++) {
        const struct tk_csv_field *f = &r->csv.row.v[i];
        series[i] = NO_COLUMN;
        if (is_word(f, "run") && *run == NO_COLUMN) {
            *run = i;
            continue;
        }
        series[i] = tk_map_get(&r->by_name, tk_hash_bytes(f->p, f->n, 0));
        if (series[i] == TK_MAP_NONE)
            return fail(r, "series.csv does not have the series", f);
        for (uint32_t k = 0; k < i; k++)
            if (series[k] == series[i])
                return fail(r, "two columns have the series", f);
    }
    return *run == NO_COLUMN ? fail_plain(r, "there is no column 'run'") : TK_OK;
}

/* The index of the run of a row: mostly the one behind the last. */
static int find_run(struct reader *r, const struct tk_csv_field *f, const uint8_t *seen, size_t *at)
{
    const struct tk_history *h = r->h;
    size_t n = h->runs.n, from = *at;
    for (size_t i = 0; i < n; i++) {
        const struct tk_str *name = h->runs.v[(from + i) % n].name;
        if (name->n != f->n || memcmp(name->p, f->p, f->n) != 0)
            continue;
        *at = (from + i) % n;
        return seen[*at] ? fail(r, "duplicate row of run", f) : TK_OK;
    }
    return fail(r, "runs.csv does not have the run", f);
}

static int read_value(struct reader *r, const struct tk_csv_field *f, uint32_t series, size_t run)
{
    if (f->n && !tk_csv_real(f, &r->h->series.v[series].values.v[run]))
        return fail(r, "not a number:", f);
    return TK_OK;
}

static int read_rows(struct reader *r, const uint32_t *series, uint32_t run, uint8_t *seen)
{
    size_t columns = r->csv.row.n, at = 0;
    int rc = TK_OK;
    while (rc == TK_OK && (rc = next_row(r, columns)) == 1) {
        rc = find_run(r, &r->csv.row.v[run], seen, &at);
        for (uint32_t i = 0; i < columns && rc == TK_OK; i++)
            if (i != run)
                rc = read_value(r, &r->csv.row.v[i], series[i], at);
        if (rc == TK_OK)
            seen[at++] = 1;
    }
    return rc;
}

static int read_values(struct reader *r)
{
    uint32_t *series = calloc(r->csv.row.n, sizeof *series), run;
    uint8_t *seen = calloc(r->h->runs.n + 1, 1);
    int rc = series && seen ? read_header(r, series, &run) : tk_err_nomem(r->err, "a history");
    if (rc == TK_OK)
        rc = read_rows(r, series, run, seen);
    free(series);
    free(seen);
    return rc;
}

/* ---- all ---- */

static int read_file(struct tk_history *h, const char *name, struct tk_history_text text,
                     int (*read)(struct reader *r), struct tk_map *names, struct tk_err *err)
{
    struct reader r = {.h = h, .err = err, .by_name = *names};
    int rc = begin_file(&r, name, text);
    if (rc == TK_OK)
        rc = read(&r);
    tk_csv_release(&r.csv);
    *names = r.by_name;
    return rc;
}

int tk_history_csv(struct tk_history *h, struct tk_history_text runs, struct tk_history_text series,
                   struct tk_history_text values, struct tk_err *err)
{
    struct tk_map names = {0};
    h->labelled = true;
    int rc = read_file(h, "runs.csv", runs, read_runs, &names, err);
    tk_map_release(&names);
    names = (struct tk_map){0};
    if (rc == TK_OK)
        rc = read_file(h, "series.csv", series, read_series, &names, err);
    if (rc == TK_OK)
        rc = read_file(h, "values.csv", values, read_values, &names, err);
    tk_map_release(&names);
    return rc == TK_OK ? tk_history_settle(h, err) : rc;
}
