/*
 * Histories: kinds of series, their order, and what is freed.
 */
#include "trend/history.h"

#include "base/sort.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "judge/metric_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_NIGHTS 3 /* of causes */

static const char *const kind_names[TK_HISTORY_KINDS] = {
    [TK_HISTORY_FRAME] = "frame",     [TK_HISTORY_HITCHES] = "hitches", [TK_HISTORY_TIMER] = "timer",
    [TK_HISTORY_GPU] = "gpu",         [TK_HISTORY_MEMORY] = "memory",   [TK_HISTORY_LOADING] = "loading",
    [TK_HISTORY_COUNTER] = "counter", [TK_HISTORY_METRIC] = "metric",   [TK_HISTORY_CAUSE] = "cause",
};

const char *tk_history_kind_name(enum tk_history_kind kind)
{
    return kind_names[kind];
}

int tk_history_kind_of(const struct tk_str *name)
{
    for (int i = 0; i < TK_HISTORY_KINDS; i++)
        if (name->n == strlen(kind_names[i]) && memcmp(name->p, kind_names[i], name->n) == 0)
            return i;
    return -1;
}

void tk_history_release(struct tk_history *h)
{
    for (size_t i = 0; i < h->series.n; i++)
        tk_vec_release(&h->series.v[i].values);
    for (size_t i = 0; i < h->notes.n; i++)
        tk_vec_release(&h->notes.v[i].values);
    tk_vec_release(&h->series);
    tk_vec_release(&h->notes);
    tk_vec_release(&h->runs);
    tk_vec_release(&h->remarks);
    tk_map_release(&h->by_id);
    tk_intern_release(&h->names);
}

int tk_history_remark(struct tk_history *h, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    const struct tk_str *text = tk_intern_c(&h->names, line);
    return !text || tk_vec_push(&h->remarks, text) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_history_series *x = a, *y = b;
    return tk_str_order(x->id, y->id);
}

/* A cause that a run does not have is 0 there. Fewer than three nights show no rate. */
static void settle_causes(struct tk_history *h)
{
    const bool enough = h->nights >= LEAST_NIGHTS;
    size_t kept = 0;
    for (size_t i = 0; i < h->series.n; i++) {
        struct tk_history_series *s = &h->series.v[i];
        const bool cause = s->kind == TK_HISTORY_CAUSE;
        for (size_t k = 0; cause && k < s->values.n; k++)
            if (isnan(s->values.v[k]) && h->runs.v[k].causes)
                s->values.v[k] = 0;
        if (cause && !enough)
            tk_vec_release(&s->values);
        else
            h->series.v[kept++] = *s;
    }
    h->series.n = kept;
}

int tk_history_settle(struct tk_history *h, struct tk_err *err)
{
    h->nights = h->runs.n ? h->runs.v[h->runs.n - 1].night + 1 : 0;
    settle_causes(h);
    if (tk_sort(h->series.v, h->series.n, sizeof *h->series.v, by_id))
        return tk_err_nomem(err, "a history");
    for (size_t i = 1; i < h->series.n; i++)
        if (h->series.v[i].id == h->series.v[i - 1].id)
            return tk_err_set(err, TK_EFORMAT, "two series are called '%.*s'", (int)h->series.v[i].id->n,
                              h->series.v[i].id->p);
    return TK_OK;
}

const struct tk_history_run *tk_history_run_of(const struct tk_history *h, uint32_t night)
{
    size_t low = 0, high = h->runs.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->runs.v[middle].night < night)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->runs.n && h->runs.v[low].night == night ? &h->runs.v[low] : NULL;
}

/*
 * Reduces runs of baselines to values. order.c arranges the runs.
 */

/* A run that is being added. */
struct taker {
    struct tk_history *h;
    const struct tk_base_run *run;
    size_t at;             /* its index */
    const char *unit_time; /* of times of timers; static */
    size_t next;           /* series that is guessed first */
};

/* What makes a series of the history. */
struct named {
    enum tk_history_kind kind;
    enum tk_history_worse worse;
    const char *unit;
    const struct tk_str *group, *name, *parent;
};

/* "timer GameThread Tick": what is unique. */
static const struct tk_str *id_of(struct tk_history *h, const struct named *n)
{
    const char *kind = tk_history_kind_name(n->kind);
    size_t size = strlen(kind) + n->group->n + n->name->n + 3, at = 0;
    char *text = malloc(size);
    if (!text)
        return NULL;
    at = strlen(kind);
    memcpy(text, kind, at);
    text[at++] = ' ';
    memcpy(text + at, n->group->p, n->group->n);
    at += n->group->n;
    if (n->group->n)
        text[at++] = ' ';
    memcpy(text + at, n->name->p, n->name->n);
    const struct tk_str *id = tk_intern(&h->names, text, at + n->name->n, TK_ENC_UTF8);
    free(text);
    return id;
}

static const struct tk_str *copy_of(struct tk_history *h, const struct tk_str *s)
{
    return s ? tk_intern(&h->names, s->p, s->n, (enum tk_encoding)s->enc) : tk_intern_c(&h->names, "");
}

/* A new series, with no value in the runs before. NULL if out of memory. */
static struct tk_history_series *make_series(struct taker *t, const struct named *n, const struct tk_str *id)
{
    struct tk_history *h = t->h;
    struct tk_history_series s = {.id = id,
                                  .name = copy_of(h, n->name),
                                  .group = copy_of(h, n->group),
                                  .parent = copy_of(h, n->parent),
                                  .unit = tk_intern_c(&h->names, n->unit),
                                  .kind = (uint8_t)n->kind,
                                  .worse = (uint8_t)n->worse};
    uint64_t key = tk_hash_bytes(id->p, id->n, 0);
    if (!s.name || !s.group || !s.parent || !s.unit || tk_map_put(&h->by_id, key, (uint32_t)h->series.n) ||
        tk_vec_push(&h->series, s))
        return NULL;
    return &h->series.v[h->series.n - 1];
}

static bool same_text(const struct tk_str *a, const struct tk_str *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* Runs have most series in the same order, so that the next one is likely to be it. NULL when it is not. */
static struct tk_history_series *guess_series(struct taker *t, const struct named *n)
{
    struct tk_history_series *s = t->next < t->h->series.n ? &t->h->series.v[t->next] : NULL;
    return s && s->kind == n->kind && same_text(s->name, n->name) && same_text(s->group, n->group) ? s : NULL;
}

/* NULL if out of memory. */
static struct tk_history_series *find_series(struct taker *t, const struct named *n)
{
    struct tk_history_series *s = guess_series(t, n);
    const struct tk_str *id = s ? s->id : id_of(t->h, n);
    if (s || !id)
        return s;
    uint32_t at = tk_map_get(&t->h->by_id, tk_hash_bytes(id->p, id->n, 0));
    return at != TK_MAP_NONE ? &t->h->series.v[at] : make_series(t, n, id);
}

/* Values of series of one name are added up. */
static int put_value(struct taker *t, const struct named *n, double value)
{
    struct tk_history_series *s = find_series(t, n);
    if (!s)
        return -1;
    t->next = (size_t)(s - t->h->series.v) + 1;
    while (s->values.n <= t->at)
        if (tk_vec_push(&s->values, NAN))
            return -1;
    double *v = &s->values.v[t->at];
    *v = isnan(*v) ? value : *v + value;
    if (!s->parent->n && n->parent)
        s->parent = copy_of(t->h, n->parent);
    return s->parent ? 0 : -1;
}

/* ---- frames ---- */

static int by_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int put_frame_value(struct taker *t, enum tk_history_kind kind, const char *name, const char *unit,
                           double value)
{
    const struct tk_str none = {.p = ""}, text = {.p = name, .n = (uint32_t)strlen(name)};
    const struct named n = {kind, TK_HISTORY_UP, unit, &none, &text, NULL};
    return put_value(t, &n, value);
}

/* The words of studios that are series. */
static const struct {
    enum tk_smoothness_word word;
    enum tk_history_kind kind;
    enum tk_history_worse worse;
    const char *name; /* NULL: that of the word */
} words[] = {{TK_SMOOTHNESS_HITCHES_MIN, TK_HISTORY_HITCHES, TK_HISTORY_UP, "hitches a minute"},
             {TK_SMOOTHNESS_HITCH_RATIO, TK_HISTORY_FRAME, TK_HISTORY_UP, NULL},
             {TK_SMOOTHNESS_UNEVEN, TK_HISTORY_FRAME, TK_HISTORY_UP, NULL},
             {TK_SMOOTHNESS_LOW1, TK_HISTORY_FRAME, TK_HISTORY_DOWN, NULL},
             {TK_SMOOTHNESS_MISSED, TK_HISTORY_FRAME, TK_HISTORY_UP, NULL},
             {TK_SMOOTHNESS_LATE, TK_HISTORY_FRAME, TK_HISTORY_UP, NULL}};

static int put_words(struct taker *t)
{
    const struct tk_str none = {.p = ""};
    struct tk_smoothness s;
    int rc = tk_base_run_smoothness(t->run, 0, t->h->target, false, &s);
    for (size_t i = 0; i < sizeof words / sizeof *words && rc == 0; i++) {
        const struct tk_smoothness_text *word = &tk_smoothness_texts[words[i].word];
        const char *name = words[i].name ? words[i].name : word->name;
        const struct tk_str text = {.p = name, .n = (uint32_t)strlen(name)};
        const struct named n = {words[i].kind, words[i].worse, word->unit, &none, &text, NULL};
        if (!isnan(s.v[words[i].word]))
            rc = put_value(t, &n, s.v[words[i].word]);
    }
    return rc;
}

static int put_frames(struct taker *t)
{
    static const struct {
        const char *name;
        unsigned share;
    } percentiles[] = {{"frame p50", 50}, {"frame p90", 90}, {"frame p99", 99}};
    size_t n = t->run->frames.n;
    uint64_t *sorted = malloc((n + 1) * sizeof *sorted);
    int rc = sorted ? 0 : -1;
    if (rc == 0 && n) {
        memcpy(sorted, t->run->frames.v, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, by_cycles);
        for (int i = 0; i < 3 && rc == 0; i++)
            rc = put_frame_value(
                t, TK_HISTORY_FRAME, percentiles[i].name, "ms",
                tk_base_ms(t->run, (double)sorted[tk_sketch_rank(n, percentiles[i].share, 100) - 1]));
        if (rc == 0)
            rc = put_words(t);
    }
    free(sorted);
    return rc;
}

/* ---- series ---- */

/* Of a counter that only rises: a series of its own, as runs of before have the mean. */
static int put_increase(struct taker *t, const struct named *of, double value)
{
    static const char behind[] = ", increase a frame";
    struct named n = *of;
    const size_t bytes = of->name->n + sizeof behind - 1;
    char *text = malloc(bytes);
    if (!text)
        return -1;
    memcpy(text, of->name->p, of->name->n);
    memcpy(text + of->name->n, behind, sizeof behind - 1);
    const struct tk_str name = {.p = text, .n = (uint32_t)bytes, .enc = of->name->enc};
    n.name = of->name->enc == TK_ENC_UTF16 ? of->name : &name;
    const int rc = put_value(t, &n, value);
    free(text);
    return rc;
}

static int put_run_value(struct taker *t, const struct tk_run_value *v)
{
    static const struct {
        enum tk_history_kind kind;
        enum tk_history_worse worse;
        const char *unit;
    } kinds[TK_SERIES_KINDS] = {
        [TK_SERIES_TIMER] = {TK_HISTORY_TIMER, TK_HISTORY_UP, NULL},
        [TK_SERIES_GPU] = {TK_HISTORY_GPU, TK_HISTORY_UP, NULL},
        [TK_SERIES_MEMORY] = {TK_HISTORY_MEMORY, TK_HISTORY_UP, "bytes"},
        [TK_SERIES_LOADING] = {TK_HISTORY_LOADING, TK_HISTORY_UP, "ms"},
        [TK_SERIES_COUNTER] = {TK_HISTORY_COUNTER, TK_HISTORY_NEITHER, ""},
    };
    const char *unit = kinds[v->kind].unit;
    const struct named n = {
        kinds[v->kind].kind, kinds[v->kind].worse, unit ? unit : t->unit_time, v->group, v->name, v->parent};
    const double frames = t->run->frames.n ? (double)t->run->frames.n : 1;
    if (v->increases)
        return put_increase(t, &n, v->value);
    if (!unit)
        return put_value(t, &n, tk_base_ms(t->run, v->value) / frames);
    return put_value(t, &n, v->kind == TK_SERIES_LOADING ? tk_base_ms(t->run, v->value) : v->value);
}

static int put_values(struct taker *t)
{
    struct tk_run_values made = {0};
    const struct tk_run_values *values = t->run->brief ? &t->run->values : &made;
    int rc = t->run->brief ? 0 : tk_base_run_values(t->run, &made);
    for (size_t i = 0; i < values->n && rc == 0; i++)
        rc = put_run_value(t, &values->v[i]);
    tk_vec_release(&made);
    return rc;
}

/* ---- metrics ---- */

static int put_metric(struct taker *t, const struct tk_base_metric *metric)
{
    static const enum tk_history_worse worse[TK_METRIC_BETTERS] = {TK_HISTORY_UP, TK_HISTORY_DOWN,
                                                                   TK_HISTORY_NEITHER};
    char unit[16];
    const struct tk_str none = {.p = ""};
    const struct named n = {TK_HISTORY_METRIC, worse[metric->better], unit, &none, metric->name, NULL};
    const size_t bytes = metric->unit->n < sizeof unit ? metric->unit->n : sizeof unit - 1;
    memcpy(unit, metric->unit->p, bytes);
    unit[bytes] = '\0';
    return put_value(t, &n, metric->value);
}

static int put_metrics(struct taker *t)
{
    int rc = 0;
    for (size_t i = 0; i < t->run->metrics.n && rc == 0; i++)
        if (t->run->metrics.v[i].measured)
            rc = put_metric(t, &t->run->metrics.v[i]);
    return rc;
}

/* ---- causes of hitches ---- */

int tk_history_put_cause(struct tk_history *h, size_t run, const struct tk_str *timer,
                         const struct tk_str *thread, double rate)
{
    struct taker t = {.h = h, .at = run};
    const struct named n = {TK_HISTORY_CAUSE, TK_HISTORY_UP, "1/min", thread, timer, NULL};
    return put_value(&t, &n, rate);
}

/* ---- what a run says of itself ---- */

/* Keys of the session by what they say; the first that has a value counts. */
enum { TIME, BUILD, FACTS };
static const char *const keys[FACTS][6] = {
    [TIME] = {"time"},
    [BUILD] = {"build", "BuildVersion", "Changelist", "commit"},
};
static const char *const note_keys[] = {"AppName", "Platform", "Branch", "ConfigurationType", "CommandLine",
                                        "config",  "map",      "driver", "EngineVersion",     "cpu"};

enum { NOTES = sizeof note_keys / sizeof *note_keys };

static const struct tk_str *find_among(const struct tk_run_fact *items, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (items[i].key->n == strlen(key) && memcmp(items[i].key->p, key, items[i].key->n) == 0)
            return items[i].value;
    return NULL;
}

/* What is said of a run (--run-info) counts before what its capture says. */
static const struct tk_str *find_item(const struct tk_base_run *run, const char *key)
{
    const struct tk_str *said = find_among(run->said.v, run->said.n, key);
    return said ? said : find_among(run->session.v, run->session.n, key);
}

static const struct tk_str *find_fact(struct tk_history *h, const struct tk_base_run *run, int fact)
{
    const struct tk_str *found = NULL;
    for (int i = 0; keys[fact][i] && !(found && found->n); i++)
        found = find_item(run, keys[fact][i]);
    return copy_of(h, found);
}

/* The name that was given; of runs without one what the machine is, or the host where that is a name in the
 * history already. */
static const struct tk_str *find_machine(struct tk_history *h, const struct tk_base_run *run)
{
    char text[TK_MACHINE_TEXT];
    const struct tk_str *name = tk_base_run_about(run, "machine"), *host = tk_base_run_about(run, "host");
    const struct tk_str *own = copy_of(h, host);
    for (size_t i = 0; i < h->runs.n && !name && host; i++)
        if (h->runs.v[i].machine == own)
            return own;
    tk_base_run_machine(text, run);
    return name ? copy_of(h, name) : tk_intern_c(&h->names, text);
}

static int put_notes(struct tk_history *h, const struct tk_base_run *run)
{
    while (h->notes.n < NOTES) {
        struct tk_history_note note = {.name = tk_intern_c(&h->names, note_keys[h->notes.n])};
        if (!note.name || tk_vec_push(&h->notes, note))
            return -1;
    }
    for (size_t i = 0; i < NOTES; i++) {
        const struct tk_str *value = copy_of(h, find_item(run, note_keys[i]));
        if (!value || tk_vec_push(&h->notes.v[i].values, value))
            return -1;
    }
    return 0;
}

static const struct tk_str *name_of(struct tk_history *h, const char *path, size_t number, size_t of)
{
    char text[4096];
    if (of < 2)
        return tk_intern_c(&h->names, path);
    int digits = snprintf(NULL, 0, "%zu", of); /* with zeros, so that names are in order */
    snprintf(text, sizeof text, "%s#%0*zu", path, digits, number + 1);
    return tk_intern_c(&h->names, text);
}

static bool is_there(const struct tk_history *h, uint64_t hash)
{
    for (size_t i = 0; i < h->runs.n; i++)
        if (h->runs.v[i].hash == hash)
            return true;
    return false;
}

#define MOST_REPORTED 10u /* runs whose faults, or occurrences, are reported one by one */

/* What the reading of the capture warned of, which a report has to say. */
static int remark_faults(struct tk_history *h, const struct tk_base_run *run, const struct tk_str *name)
{
    static const char *const tiers[TK_FAULT_TIERS] = {"cut off", "lost events", "damaged"};
    if (!run->faults.n)
        return 0;
    const struct tk_base_fault *f = &run->faults.v[0];
    for (size_t i = 1; i < run->faults.n; i++)
        f = run->faults.v[i].tier > f->tier ? &run->faults.v[i] : f;
    return h->faulty++ >= MOST_REPORTED ? 0
                                        : tk_history_remark(h, "%.*s: %s: %.*s", (int)name->n, name->p,
                                                            tiers[f->tier], (int)f->text->n, f->text->p);
}

/* The first run says how many occurrences there are, and some of those that differ from the one before. */
static int remark_unit(struct tk_history *h, const struct tk_base_run *run, const struct tk_str *name)
{
    const struct tk_str per = tk_base_run_per(run);
    if (!per.p || h->occurrences == run->frames.n || h->reported_occurrences >= MOST_REPORTED)
        return 0;
    h->reported_occurrences++;
    h->occurrences = run->frames.n;
    return tk_history_remark(h, "%.*s: %zu occurrences of %.*s, which times are divided by", (int)name->n,
                             name->p, run->frames.n, (int)per.n, per.p);
}

static int take_run(struct tk_history *h, const struct tk_base_run *run, const struct tk_str *name)
{
    const enum tk_run_unit unit = tk_base_run_unit(run);
    struct taker t = {h, run, h->runs.n, tk_run_unit_time(unit), 0};
    struct tk_history_run r = {.name = name,
                               .time = find_fact(h, run, TIME),
                               .build = find_fact(h, run, BUILD),
                               .machine = find_machine(h, run),
                               .frames = run->frames.n,
                               .hash = run->hash,
                               .causes = run->knows_reasons && !tk_base_run_is_unit(run)};
    if (!r.time || !r.build || !r.machine || tk_vec_push(&h->runs, r) || put_notes(h, run) || put_frames(&t))
        return -1;
    h->whole += unit == TK_RUN_UNIT_RUN;
    return put_values(&t) ? -1 : put_metrics(&t);
}

/* A run without its folder, which pages do not show. */
static struct tk_str last_name(const struct tk_str *name)
{
    uint32_t at = name->n;
    while (at && !tk_path_is_separator(name->p[at - 1]))
        at--;
    return (struct tk_str){name->p + at, name->n - at, name->enc};
}

int tk_history_take(struct tk_history *h, const struct tk_baseline *b, const char *name)
{
    for (size_t i = 0; i < b->runs.n; i++) {
        const struct tk_base_run *run = b->runs.v[i];
        const struct tk_str *called = name_of(h, name, i, b->runs.n);
        if (called && is_there(h, run->hash)) {
            const struct tk_str last = last_name(called);
            if (tk_history_remark(h, "%.*s is given more than once and counts once", (int)last.n, last.p))
                return -1;
            continue;
        }
        if (!called || take_run(h, run, called) || remark_faults(h, run, called) ||
            remark_unit(h, run, called))
            return -1;
    }
    return 0;
}
