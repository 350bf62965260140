/*
 * Builds the matrix of a comparison. It is the first step; all others work on its rows.
 */
#include "compare/verdict/matrix.h"

#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/run_info.h"
#include "compare/verdict/compare.h"
#include "judge/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the sides are, and what differs between them.
 */

/* The names in reports, and the keys of runs. */
static const struct {
    const char *name, *key;
} facts[TK_SIDE_FACTS] = {
    {"captures", "capture"},  {"application", "application"}, {"build", "build"}, {"branch", "branch"},
    {"platform", "platform"}, {"machine", "machine"},         {"date", "time"},   {"selection", "selection"},
};

#define EDIT "Edit" /* what an edited capture says of itself; one that does not was not edited */

/* What explains changes that are none of the code. */
static const struct {
    const char *what, *key, *stated; /* a key of runs, or an item of their session */
} environment[] = {
    {"machine", "machine", NULL},
    {"build configuration", "config", NULL},
    {"CPU", "cpu", NULL},
    {"cores", "cores", NULL},
    {"memory", "memory", NULL},
    {"GPU", "gpu", NULL},
    {"driver", "driver", NULL},
    {"operating system", "os", NULL},
    {"map", "map", NULL},
    {"version of engine or recorder", "engine", NULL},
    {"command line", NULL, "CommandLine"},
    {"edit by trace-edit", NULL, EDIT},
};

#define ENVIRONMENT (sizeof environment / sizeof *environment)

const char *tk_side_key(enum tk_side_fact fact)
{
    return facts[fact].name;
}

const char *tk_side_name(enum tk_run_side side)
{
    static const char *const names[] = {"baseline", "candidate", "noise", "runs"};
    return names[side];
}

/* Adds a text that is not there yet. 0, or -1 if out of memory. */
static int put_text(struct tk_sides *sides, struct tk_side_texts *texts, const struct tk_str *text)
{
    const struct tk_str *own =
        text ? tk_intern(&sides->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
    if (!text)
        return 0;
    for (size_t i = 0; i < texts->v.n; i++)
        if (texts->v.v[i] == own)
            return 0;
    return own ? tk_vec_push(&texts->v, own) : -1;
}

static double seconds_of(const struct tk_base_run *run)
{
    double cycles = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        cycles += (double)run->frames.v[i];
    return tk_base_ms(run, cycles) / 1e3;
}

/* A machine without a name is displayed by that of its host. */
static const struct tk_str *fact_of(const struct tk_base_run *run, const char *key)
{
    const struct tk_str *text = tk_base_run_about(run, key);
    return text || strcmp(key, "machine") != 0 ? text : tk_base_run_about(run, "host");
}

int tk_sides_add(struct tk_sides *sides, const struct tk_baseline *runs, enum tk_run_side side)
{
    struct tk_side_about *about = &sides->of[side];
    for (size_t i = 0; runs && i < runs->runs.n; i++) {
        const struct tk_base_run *run = runs->runs.v[i];
        about->runs++;
        about->frames += tk_base_run_is_unit(run) ? 0 : run->frames.n;
        about->seconds += seconds_of(run);
        const struct tk_str per = tk_base_run_per(run);
        if (per.p && put_text(sides, &about->per, &per))
            return -1;
        about->unnamed += !tk_base_run_knows_machine(run);
        for (int f = 0; f < TK_SIDE_FACTS; f++)
            if (put_text(sides, &about->facts[f], fact_of(run, facts[f].key)))
                return -1;
    }
    return 0;
}

/* ---- what differs ---- */

static const struct tk_str *stated(const struct tk_base_run *run, const char *key)
{
    for (size_t i = 0; i < run->session.n; i++)
        if (run->session.v[i].key->n == strlen(key) &&
            memcmp(run->session.v[i].key->p, key, strlen(key)) == 0)
            return run->session.v[i].value->n ? run->session.v[i].value : NULL;
    return NULL;
}

static const struct tk_str *environment_of(const struct tk_base_run *run, size_t i)
{
    static const struct tk_str none = {"none", 4, TK_ENC_UTF8};
    if (environment[i].key)
        return tk_base_run_about(run, environment[i].key);
    const struct tk_str *text = stated(run, environment[i].stated);
    return !text && strcmp(environment[i].stated, EDIT) == 0 ? &none : text;
}

static bool has_text(const struct tk_side_texts *texts, const struct tk_str *text)
{
    for (size_t i = 0; i < texts->v.n; i++)
        if (texts->v.v[i] == text)
            return true;
    return false;
}

/* Has one of them what the other has not? What one side does not tell is no difference. */
static bool differ(const struct tk_side_difference *d)
{
    if (!d->texts[0].v.n || !d->texts[1].v.n)
        return false;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < d->texts[s].v.n; i++)
            if (!has_text(&d->texts[!s], d->texts[s].v.v[i]))
                return true;
    return false;
}

static void release_difference(struct tk_side_difference *d)
{
    tk_vec_release(&d->texts[0].v);
    tk_vec_release(&d->texts[1].v);
}

/* Adds it where there is any, and else frees it. */
static int take_difference(struct tk_sides *sides, struct tk_side_difference *d, bool is_one)
{
    if (is_one && !tk_vec_push(&sides->differences, *d))
        return 0;
    release_difference(d);
    return is_one ? -1 : 0;
}

static int compare_one(struct tk_sides *sides, const struct tk_baseline *const of[2], size_t i)
{
    struct tk_side_difference d = {.what = environment[i].what};
    int rc = 0;
    for (int s = 0; s < 2; s++)
        for (size_t r = 0; r < of[s]->runs.n && rc == 0; r++)
            rc = put_text(sides, &d.texts[s], environment_of(of[s]->runs.v[r], i));
    return take_difference(sides, &d, rc == 0 && differ(&d)) || rc ? -1 : 0;
}

/* The channels of a side, from lists with commas. */
static int put_channels(struct tk_sides *sides, const struct tk_baseline *runs, struct tk_side_texts *texts)
{
    int rc = 0;
    for (size_t r = 0; r < runs->runs.n && rc == 0; r++) {
        const struct tk_str *list = tk_base_run_about(runs->runs.v[r], "channels");
        for (uint32_t at = 0, end; list && at < list->n && rc == 0; at = end + 1) {
            for (end = at; end < list->n && list->p[end] != ','; end++)
                ;
            const struct tk_str one = {.p = list->p + at, .n = end - at, .enc = list->enc};
            rc = end > at ? put_text(sides, texts, &one) : 0;
        }
    }
    return rc;
}

/* Of channels only those are reported that one side has. */
static void keep_others(struct tk_side_texts *texts, const struct tk_side_texts *others, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < texts->v.n; i++)
        if (!has_text(others, texts->v.v[i]))
            texts->v.v[(*n)++] = texts->v.v[i];
}

static int compare_channels(struct tk_sides *sides, const struct tk_baseline *const of[2])
{
    struct tk_side_difference d = {.what = "channels on one side only"}, all = {0};
    size_t n[2] = {0};
    int rc = 0;
    for (int s = 0; s < 2 && rc == 0; s++)
        rc = put_channels(sides, of[s], &d.texts[s]) || put_channels(sides, of[s], &all.texts[s]) ? -1 : 0;
    const bool reported = all.texts[0].v.n && all.texts[1].v.n;
    for (int s = 0; s < 2; s++) {
        keep_others(&d.texts[s], &all.texts[!s], &n[s]);
        d.texts[s].v.n = n[s];
    }
    release_difference(&all);
    return take_difference(sides, &d, rc == 0 && reported && n[0] + n[1]) || rc ? -1 : 0;
}

int tk_sides_differ(struct tk_sides *sides, const struct tk_baseline *base,
                    const struct tk_baseline *candidate)
{
    const struct tk_baseline *const of[2] = {base, candidate};
    int rc = 0;
    for (size_t i = 0; i < ENVIRONMENT && rc == 0; i++)
        rc = compare_one(sides, of, i);
    return rc == 0 ? compare_channels(sides, of) : rc;
}

/* ---- machines ---- */

int tk_sides_note(struct tk_sides *sides, const char *text)
{
    const struct tk_str *s = tk_intern_c(&sides->names, text);
    return s ? tk_vec_push(&sides->notes, s) : -1;
}

int tk_sides_match(struct tk_sides *sides, const struct tk_baseline *base,
                   const struct tk_baseline *candidate)
{
    size_t n[TK_MACHINE_OTHER + 1] = {0};
    for (size_t i = 0; i < base->runs.n; i++)
        for (size_t k = 0; k < candidate->runs.n; k++)
            n[tk_base_run_machines(base->runs.v[i], candidate->runs.v[k])]++;
    sides->other_machines =
        n[TK_MACHINE_OTHER] && !n[TK_MACHINE_SAME] && !n[TK_MACHINE_BY_NAME] && !n[TK_MACHINE_UNKNOWN];
    if (*base->note && tk_sides_note(sides, base->note))
        return -1;
    if (sides->other_machines && !*base->note &&
        tk_sides_note(sides, "no run of the baseline is of the kind of machine of the candidate"))
        return -1;
    if (sides->same_data && tk_sides_note(sides, "a capture is on both sides, and compared with itself"))
        return -1;
    return n[TK_MACHINE_BY_NAME] &&
                   tk_sides_note(sides, "runs of the baseline have no more of their machine than "
                                        "the name of a host, by which they are matched")
               ? -1
               : 0;
}

void tk_sides_release(struct tk_sides *sides)
{
    for (size_t s = 0; s < sizeof sides->of / sizeof *sides->of; s++)
        tk_vec_release(&sides->of[s].per.v);
    for (size_t s = 0; s < sizeof sides->of / sizeof *sides->of; s++)
        for (int f = 0; f < TK_SIDE_FACTS; f++)
            tk_vec_release(&sides->of[s].facts[f].v);
    for (size_t i = 0; i < sides->differences.n; i++)
        release_difference(&sides->differences.v[i]);
    tk_vec_release(&sides->differences);
    tk_vec_release(&sides->flaws);
    tk_vec_release(&sides->notes);
    tk_intern_release(&sides->names);
    *sides = (struct tk_sides){0};
}

struct entry {
    struct tk_series *series;
    size_t run;
};

static int by_series(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = tk_series_compare(x->series, y->series);
    return c ? c : (x->run > y->run) - (x->run < y->run);
}

/* Whole blocks of frames hold at least `warmup` frames, which are left out. */
static uint32_t blocks_left_out(struct tk_matrix *m, const struct tk_base_run *run)
{
    uint64_t *left_out = m->out->left_out, frames;
    uint32_t n = 0;
    while (n < run->n_blocks && run->starts[n] < m->out->setup.warmup)
        n++;
    frames = n ? run->starts[n] : 0;
    if (m->n_runs == 0 || frames < left_out[0])
        left_out[0] = frames;
    if (frames > left_out[1])
        left_out[1] = frames;
    return n;
}

static int take_runs(struct tk_matrix *m, const struct tk_baseline *const sides[3])
{
    size_t n = 0;
    for (int s = 0; s < 3; s++)
        n += m->out->runs[s];
    m->runs = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->runs);
    m->side = tk_arena_alloc(&m->arena, n + 1);
    m->skip = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->skip);
    m->factor = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->factor);
    m->samples = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->samples);
    m->full = tk_arena_alloc(&m->arena, n + 1);
    m->fewest = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->fewest);
    m->fewest_inside = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->fewest_inside);
    if (!m->runs || !m->side || !m->skip || !m->factor || !m->samples || !m->full || !m->fewest ||
        !m->fewest_inside)
        return -1;
    memset(m->full, 0, n + 1);
    memset(m->samples, 0, (n + 1) * sizeof *m->samples);
    for (uint8_t s = 0; s < 3; s++)
        for (size_t i = 0; sides[s] && i < sides[s]->runs.n; i++, m->n_runs++) {
            const struct tk_base_run *run = sides[s]->runs.v[i];
            m->runs[m->n_runs] = run;
            m->side[m->n_runs] = s;
            if (s < 2)
                m->out->torn[s] |= run->torn;
            m->factor[m->n_runs] = 0;
            m->skip[m->n_runs] = blocks_left_out(m, run);
        }
    return 0;
}

bool tk_name_has(const struct tk_str *name, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= name->n; i++) {
        size_t k = 0;
        while (k < len && (name->p[i + k] == word[k] || (name->p[i + k] | 0x20) == word[k]))
            k++;
        if (k == len)
            return true;
    }
    return false;
}

bool tk_name_waits(const struct tk_str *name)
{
    return tk_work_name_waits(name->p, name->n);
}

struct tk_row *tk_matrix_row(struct tk_matrix *m, const struct tk_series *any)
{
    struct tk_row row = {.any = any, .change = SIZE_MAX, .about = SIZE_MAX, .other = NAN};
    const size_t n = m->n_runs;
    row.raw = tk_arena_alloc(&m->arena, (n + 1) * (3 * sizeof *row.raw + sizeof *row.of));
    if (!row.raw)
        return NULL;
    row.robust = row.raw + n;
    row.y = row.robust + n;
    row.of = (struct tk_series **)(void *)(row.y + n);
    memset(row.of, 0, n * sizeof *row.of);
    if (tk_vec_push(&m->rows, row))
        return NULL;
    row.waits =
        (any->kind == TK_SERIES_TIMER || any->kind == TK_SERIES_GPU || any->kind == TK_SERIES_SAMPLES) &&
        tk_name_waits(any->name);
    m->rows.v[m->rows.n - 1].waits = row.waits;
    return &m->rows.v[m->rows.n - 1];
}

struct tk_series_span tk_matrix_values(const struct tk_matrix *m, size_t run, const struct tk_series *s)
{
    if (m->skip[run])
        return tk_series_span(s, m->skip[run], m->runs[run]->n_blocks);
    return (struct tk_series_span){s->count, s->first, s->last, s->low, s->high};
}

/* Of a run that was cut down timers may have nothing left, and values of one without its warm-up. */
static bool has_anything(const struct tk_matrix *m, size_t run, const struct tk_series *s)
{
    if (s->hits && m->skip[run])
        return tk_matrix_values(m, run, s).hits;
    return !tk_series_has_calls(s->kind) || s->count || s->own;
}

/* Of two runs, whose series are in order, merging is all there is to sort. */
static void sort_entries(struct entry *v, size_t n, size_t n_first, struct entry *buffer)
{
    size_t a = 0, b = n_first, at = 0;
    while (a < n_first && b < n)
        buffer[at++] = by_series(&v[a], &v[b]) <= 0 ? v[a++] : v[b++];
    while (a < n_first)
        buffer[at++] = v[a++];
    memcpy(v, buffer, at * sizeof *v);
}

/* What is of one name may be apart by file; other series are what their key says. */
static bool is_of_name(const struct tk_series *a, const struct tk_series *b)
{
    return tk_series_has_calls(a->kind) ? tk_series_compare_names(a, b) == 0 : tk_series_compare(a, b) == 0;
}

/* Functions that are a bare word are apart by file where a run has several, and all say their files. */
static bool is_apart(const struct entry *v, size_t n)
{
    bool several = false;
    for (size_t i = 0; i < n; i++) {
        if (!v[i].series->by_file)
            return false;
        for (size_t k = i + 1; k < n && !several; k++)
            several = v[i].run == v[k].run;
    }
    return several;
}

/* What several series of a run have together, in the place of the first. */
static int join_series(struct tk_matrix *m, struct tk_series **first, size_t run, const struct tk_series *s)
{
    const uint32_t n = m->runs[run]->n_blocks;
    struct tk_series *sum = calloc(1, sizeof *sum);
    double *blocks = calloc((size_t)n + 1, sizeof *blocks);
    if (!sum || !blocks || tk_vec_push(&m->made, sum)) {
        free(sum);
        free(blocks);
        return -1;
    }
    *sum = (struct tk_series){.kind = s->kind,
                              .timer_kind = s->timer_kind,
                              .name = s->name,
                              .group = s->group,
                              .file = (*first)->file,
                              .line = (*first)->line,
                              .count = (*first)->count + s->count,
                              .total = (*first)->total + s->total,
                              .own = tk_wrap_add((*first)->own, s->own),
                              .blocks = blocks};
    tk_block_add(*first, n, blocks);
    tk_block_add(s, n, blocks);
    *first = sum;
    return 0;
}

static int make_rows_of_name(struct tk_matrix *m, const struct entry *v, size_t n)
{
    const bool apart = n > 1 && is_apart(v, n);
    struct tk_row *row = NULL;
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (!row || (apart && tk_series_compare(row->any, v[i].series) != 0))
            row = tk_matrix_row(m, v[i].series);
        if (!row)
            return -1;
        row->by_file = apart;
        struct tk_series **of = &row->of[v[i].run];
        if (*of)
            rc = join_series(m, of, v[i].run, v[i].series);
        else
            *of = v[i].series;
    }
    return rc;
}

static int make_rows(struct tk_matrix *m)
{
    size_t n = 0, at = 0, first = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        n += m->runs[r]->series.n;
    struct entry *entries = malloc((n + 1) * 2 * sizeof *entries);
    if (!entries)
        return -1;
    for (size_t r = 0; r < m->n_runs; r++) {
        for (size_t i = 0; i < m->runs[r]->series.n; i++)
            if (has_anything(m, r, m->runs[r]->series.v[i]))
                entries[at++] = (struct entry){m->runs[r]->series.v[i], r};
        first = r ? first : at;
    }
    n = at;
    if (m->n_runs == 2)
        sort_entries(entries, n, first, entries + n);
    else
        qsort(entries, n, sizeof *entries, by_series);
    int rc = tk_vec_reserve(&m->rows, m->n_runs ? n / m->n_runs : 0) ? -1 : 0;
    for (size_t i = 0, end; i < n && rc == 0; i = end) {
        for (end = i + 1; end < n && is_of_name(entries[i].series, entries[end].series); end++)
            ;
        rc = make_rows_of_name(m, entries + i, end - i);
    }
    free(entries);
    return rc;
}

int tk_matrix_make(struct tk_matrix *m, const struct tk_baseline *const sides[3], struct tk_err *err)
{
    if (take_runs(m, sides) || make_rows(m))
        return tk_err_nomem(err, "a comparison");
    return TK_OK;
}

void tk_matrix_release(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->made.n; i++) {
        free(m->made.v[i]->blocks);
        free(m->made.v[i]->hits);
        free(m->made.v[i]);
    }
    tk_vec_release(&m->made);
    tk_vec_release(&m->rows);
    tk_arena_release(&m->arena);
}

bool tk_row_counts_run(const struct tk_row *row, size_t run)
{
    return !row->any || row->of[run] ||
           !(tk_kind_is_value(row->any->kind) || row->any->kind == TK_SERIES_SAMPLES);
}

bool tk_row_in_all(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side && !row->of[r])
            return false;
    return true;
}

bool tk_row_in_any(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side && row->of[r])
            return true;
    return false;
}
