/*
 * Writes runs for databases of time series.
 */
#include "compare/report/time_series.h"

#include "base/sort.h"
#include "compare/baseline/run_info.h"
#include "judge/hitches.h"
#include "table/sketch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a run comes to ---- */

static int add(struct tk_run_samples *s, const struct tk_run_sample *sample)
{
    return isfinite(sample->value) && tk_vec_push(&s->v, *sample) ? -1 : 0;
}

static int compare_cycles(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int add_times(struct tk_run_samples *s, const struct tk_base_run *run, const uint64_t *sorted,
                     size_t n)
{
    static const struct {
        const char *family, *help;
        unsigned share;
    } ranks[] = {{"frame_p50_seconds", "Median of the frame times.", 50},
                 {"frame_p95_seconds", "95th percentile of the frame times.", 95},
                 {"frame_p99_seconds", "99th percentile of the frame times.", 99},
                 {"frame_max_seconds", "The longest frame.", 100}};
    double sum = 0;
    int failed = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)sorted[i];
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        failed |= add(
            s, &(struct tk_run_sample){.family = ranks[i].family,
                                       .unit = "seconds",
                                       .help = ranks[i].help,
                                       .value = (double)sorted[tk_sketch_rank(n, ranks[i].share, 100) - 1] /
                                                (double)run->frequency});
    failed |= add(s, &(struct tk_run_sample){.family = "frame_mean_seconds",
                                             .unit = "seconds",
                                             .help = "Mean of the frame times.",
                                             .value = sum / (double)n / (double)run->frequency});
    return failed | add(s, &(struct tk_run_sample){.family = "frames",
                                                   .unit = "",
                                                   .help = "Complete game frames.",
                                                   .whole = true,
                                                   .value = (double)n});
}

/* Hitches of play, where the frames can be judged. */
static int add_hitches(struct tk_run_samples *s, struct tk_base_run *run)
{
    double n = 0;
    if (tk_base_run_judge(run))
        return -1;
    if (run->judged.alone || run->judged.n != run->frames.n)
        return 0;
    for (size_t i = 0; i < run->judged.n; i++)
        n += tk_is_hitch(run->judged.is[i]);
    return add(
        s, &(struct tk_run_sample){.family = "hitches",
                                   .unit = "",
                                   .help = "Hitches of play: frames that are late against those around them.",
                                   .whole = true,
                                   .value = n});
}

static int add_frames(struct tk_run_samples *s, struct tk_base_run *run)
{
    const size_t n = run->frames.n;
    if (n == 0 || run->frequency == 0)
        return 0;
    uint64_t *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -1;
    memcpy(sorted, run->frames.v, n * sizeof *sorted);
    const int failed = tk_sort(sorted, n, sizeof *sorted, compare_cycles) || add_times(s, run, sorted, n);
    free(sorted);
    return failed ? -1 : add_hitches(s, run);
}

/* A name with '_' for what may not be in one of OpenMetrics. */
static const char *family_of(struct tk_run_samples *s, const char *before, const struct tk_str *name,
                             const char *behind)
{
    const size_t n = strlen(before) + name->n + strlen(behind) + 1;
    char *text = tk_arena_bytes(&s->texts, n), *to = text;
    if (!text)
        return NULL;
    to += snprintf(text, n, "%s", before);
    for (uint32_t i = 0; i < name->n; i++) {
        const char c = name->p[i];
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        *to++ = plain ? c : '_';
    }
    snprintf(to, n - (size_t)(to - text), "%s", behind);
    return text;
}

static int add_value(struct tk_run_samples *s, const struct tk_run_value *v)
{
    const bool memory = v->kind == TK_SERIES_MEMORY;
    if (!memory && v->kind != TK_SERIES_COUNTER)
        return 0;
    const char *behind = memory ? "_bytes" : v->increases ? "_increase" : "";
    const char *family = family_of(s, memory ? "memory_" : "counter_", v->name, behind);
    return family
               ? add(s, &(struct tk_run_sample){.family = family,
                                                .name = v->name,
                                                .unit = memory ? "bytes" : "",
                                                .help = memory ? "Most bytes of a memory tag."
                                                        : v->increases
                                                            ? "Increase a frame of a counter that only rises."
                                                            : "Mean of a counter in game frames.",
                                                .value = v->value})
               : -1;
}

int tk_run_samples_of(struct tk_run_samples *out, struct tk_base_run *run, struct tk_err *err)
{
    struct tk_run_values values = {0};
    int failed = add_frames(out, run) || tk_base_run_values(run, &values);
    for (size_t i = 0; i < values.n && !failed; i++)
        failed = add_value(out, &values.v[i]);
    free(values.v);
    return failed ? tk_err_nomem(err, "the values of a run") : TK_OK;
}

void tk_run_samples_release(struct tk_run_samples *s)
{
    tk_vec_release(&s->v);
    tk_arena_release(&s->texts);
}

/* ---- OpenMetrics ---- */

/* A value with the run that has it. */
struct line {
    const struct tk_run_sample *sample;
    size_t run;
};

struct lines {
    struct tk_run_samples *of; /* owned; of each run */
    size_t n_runs;
    TK_VEC(struct line) v;
};

static int compare_lines(const void *one, const void *two)
{
    const struct line *a = one, *b = two;
    const int order = strcmp(a->sample->family, b->sample->family);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

static int gather(struct lines *l, const struct tk_baseline *b, struct tk_err *err)
{
    int rc = TK_OK;
    l->n_runs = b->runs.n;
    l->of = calloc(b->runs.n + 1, sizeof *l->of);
    for (size_t i = 0; l->of && i < b->runs.n && rc == TK_OK; i++) {
        rc = tk_run_samples_of(&l->of[i], b->runs.v[i], err);
        for (size_t k = 0; k < l->of[i].v.n && rc == TK_OK; k++) {
            const struct line line = {&l->of[i].v.v[k], i};
            rc = tk_vec_push(&l->v, line) ? tk_err_nomem(err, "the values of runs") : TK_OK;
        }
    }
    if (!l->of || (rc == TK_OK && tk_sort(l->v.v, l->v.n, sizeof *l->v.v, compare_lines)))
        return tk_err_nomem(err, "the values of runs");
    return rc;
}

static void release(struct lines *l)
{
    for (size_t i = 0; l->of && i < l->n_runs; i++)
        tk_run_samples_release(&l->of[i]);
    free(l->of);
    tk_vec_release(&l->v);
}

static bool is_same_name(const struct tk_str *a, const struct tk_str *b)
{
    return (!a && !b) || (a && b && a->n == b->n && memcmp(a->p, b->p, a->n) == 0);
}

/* Does a family stand for two names? */
static int check_names(const struct lines *l, struct tk_err *err)
{
    for (size_t i = 1; i < l->v.n; i++) {
        const struct tk_run_sample *a = l->v.v[i - 1].sample, *b = l->v.v[i].sample;
        if (strcmp(a->family, b->family) != 0 || is_same_name(a->name, b->name) || !a->name || !b->name)
            continue;
        return tk_err_set(err, TK_EUSAGE,
                          "'%.*s' and '%.*s' are both called tracekit_%s in OpenMetrics, whose names are of "
                          "letters, digits and '_'",
                          (int)(a->name->n < 80 ? a->name->n : 80), a->name->p,
                          (int)(b->name->n < 80 ? b->name->n : 80), b->name->p, b->family);
    }
    return TK_OK;
}

/* With what OpenMetrics escapes; bytes that are no text become U+FFFD. */
static void put_label(struct tk_print *p, const char *label, const struct tk_str *value)
{
    struct tk_print clean = {0};
    if (value)
        tk_print_json(&clean, value);
    tk_print(p, "%s=\"", label);
    /* JSON has the same escapes for these, and others for what is no plain character */
    for (size_t i = 1; i + 1 < clean.n; i++) { /* without its quotes */
        const bool other = clean.v[i] == '\\' && !strchr("\\\"n", clean.v[i + 1]);
        if (other && clean.v[i + 1] == 'u' && clean.n - i >= 6) {
            tk_print(p, " ");
            i += 5;
        } else if (other) {
            tk_print(p, "%s", clean.v[i + 1] == '/' ? "/" : " ");
            i++;
        } else if (clean.v[i] == '\\') {
            tk_print_bytes(p, clean.v + i, 2);
            i++;
        } else {
            tk_print_bytes(p, clean.v + i, 1);
        }
    }
    tk_print(p, "\"");
    p->failed |= clean.failed;
    free(clean.v);
}

/* "run" has the name of the capture, and its number where others are called the same. */
static void put_run_label(struct tk_print *p, const struct tk_baseline *b, size_t run)
{
    const struct tk_str *name = tk_base_run_about(b->runs.v[run], "capture");
    char number[32];
    size_t same = 0;
    for (size_t i = 0; i < b->runs.n; i++)
        same += is_same_name(name, tk_base_run_about(b->runs.v[i], "capture"));
    snprintf(number, sizeof number, "%s%zu", name ? "#" : "", run + 1);
    const struct tk_str suffix = {.p = number, .n = (uint32_t)strlen(number), .enc = TK_ENC_UTF8};
    put_label(p, "run", name ? name : &suffix);
    if (name && same > 1 && p->n) {
        p->n--; /* behind the name, in its quotes */
        tk_print(p, "%s\"", number);
    }
}

static void put_text(struct tk_print *p, const char *text)
{
    tk_print_bytes(p, text, strlen(text));
}

static void put_about(struct tk_print *p, const char *what, const char *family, const char *text)
{
    tk_print(p, "# %s tracekit_", what);
    put_text(p, family);
    tk_print(p, " %s\n", text);
}

static const char *const labels[] = {"build", "map", "platform", "machine"};

static void put_line(struct tk_print *p, const struct tk_baseline *b, const struct line *line)
{
    int64_t seconds;
    tk_print(p, "tracekit_");
    put_text(p, line->sample->family);
    tk_print(p, "{");
    put_run_label(p, b, line->run);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        tk_print(p, ",");
        put_label(p, labels[i], tk_base_run_about(b->runs.v[line->run], labels[i]));
    }
    tk_print(p, "} ");
    tk_print_real(p, line->sample->value, 17);
    if (tk_base_run_when(b->runs.v[line->run], &seconds))
        tk_print(p, " %" PRId64 ".0", seconds);
    tk_print(p, "\n");
}

int tk_runs_openmetrics(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err)
{
    struct lines l = {0};
    int rc = gather(&l, b, err);
    if (rc == TK_OK)
        rc = check_names(&l, err);
    for (size_t i = 0; i < l.v.n && rc == TK_OK; i++) {
        const struct tk_run_sample *s = l.v.v[i].sample;
        if (i == 0 || strcmp(s->family, l.v.v[i - 1].sample->family) != 0) {
            put_about(p, "HELP", s->family, s->help);
            put_about(p, "TYPE", s->family, "gauge");
            if (*s->unit)
                put_about(p, "UNIT", s->family, s->unit);
        }
        put_line(p, b, &l.v.v[i]);
    }
    tk_print(p, "# EOF\n");
    release(&l);
    return rc == TK_OK && p->failed ? tk_err_nomem(err, "a report") : rc;
}

/* ---- Influx ---- */

/* A key or the value of a tag: ',', '=' and ' ' are escaped; a backslash at the end would escape what
 * follows, and lines end nowhere else. */
static void put_key(struct tk_print *p, const struct tk_str *text)
{
    struct tk_print clean = {0};
    tk_print_name(&clean, text);
    for (size_t i = 0; i < clean.n; i++) {
        const char c = clean.v[i];
        if (c == '\n' || c == '\r')
            tk_print(p, "\\ ");
        else if (strchr(",= ", c))
            tk_print(p, "\\%c", c);
        else if (c == '\\' && (i + 1 == clean.n || strchr(",= ", clean.v[i + 1])))
            tk_print(p, "/");
        else
            tk_print_bytes(p, &c, 1);
    }
    p->failed |= clean.failed;
    free(clean.v);
}

static void put_tag(struct tk_print *p, const char *tag, const struct tk_str *value)
{
    if (!value || value->n == 0)
        return;
    tk_print(p, ",%s=", tag);
    put_key(p, value);
}

static void put_c_key(struct tk_print *p, const char *text)
{
    const struct tk_str s = {.p = text, .n = (uint32_t)strlen(text), .enc = TK_ENC_UTF8};
    put_key(p, &s);
}

/* frame_p95_seconds is frame_p95_ms there. */
static void put_field(struct tk_print *p, const struct tk_run_sample *s, bool first)
{
    const bool time = strcmp(s->unit, "seconds") == 0, memory = strcmp(s->unit, "bytes") == 0;
    tk_print(p, first ? " " : ",");
    if (s->name) {
        tk_print(p, memory ? "memory_" : "counter_");
        put_key(p, s->name);
    } else if (time) {
        char name[64];
        snprintf(name, sizeof name, "%.*s_ms", (int)(strlen(s->family) - strlen("_seconds")), s->family);
        put_c_key(p, name);
    } else {
        put_c_key(p, s->family);
    }
    tk_print(p, "=");
    tk_print_real(p, time ? s->value * 1000 : s->value, 15);
    if (s->whole)
        tk_print(p, "i");
}

static int put_run(struct tk_print *p, struct tk_base_run *run, struct tk_err *err)
{
    static const char *const tags[][2] = {{"build", "build"},
                                          {"machine", "machine"},
                                          {"map", "map"},
                                          {"platform", "platform"},
                                          {"run", "capture"}};
    struct tk_run_samples samples = {0};
    int64_t seconds;
    int rc = tk_run_samples_of(&samples, run, err);
    if (rc == TK_OK && samples.v.n) {
        tk_print(p, "tracekit");
        for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
            put_tag(p, tags[i][0], tk_base_run_about(run, tags[i][1]));
        for (size_t i = 0; i < samples.v.n; i++)
            put_field(p, &samples.v.v[i], i == 0);
        if (tk_base_run_when(run, &seconds) && seconds >= 0 && seconds < INT64_MAX / 1000000000)
            tk_print(p, " %" PRId64 "000000000", seconds);
        tk_print(p, "\n");
    }
    tk_run_samples_release(&samples);
    return rc;
}

int tk_runs_influx(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        rc = put_run(p, b->runs.v[i], err);
    return rc == TK_OK && p->failed ? tk_err_nomem(err, "a report") : rc;
}
