/*
 * What the sides are, and what differs between them. See sides.h.
 */
#include "compare/verdict/sides.h"

#include "base/text/text.h"
#include "compare/baseline/run_info.h"

#include <string.h>

/* The names in reports, and the keys of runs. */
static const struct {
    const char *name, *key;
} facts[TK_SIDE_FACTS] = {
    {"captures", "capture"},  {"application", "application"}, {"build", "build"}, {"branch", "branch"},
    {"platform", "platform"}, {"machine", "machine"},         {"date", "time"},
};

#define EDIT "Edit" /* what an edited capture says of itself; one that does not was not edited */

/* What explains changes that are none of the code. */
static const struct {
    const char *what, *key, *stated; /* a key of runs, or an item of their session */
} environment[] = {
    {"machine", "machine", NULL},
    {"build configuration", "config", NULL},
    {"CPU", "cpu", NULL},
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
        about->unnamed += tk_base_run_about(run, "machine") == NULL;
        for (int f = 0; f < TK_SIDE_FACTS; f++)
            if (put_text(sides, &about->facts[f], tk_base_run_about(run, facts[f].key)))
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

/* Of channels only those are told that one side has. */
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
    const bool told = all.texts[0].v.n && all.texts[1].v.n;
    for (int s = 0; s < 2; s++) {
        keep_others(&d.texts[s], &all.texts[!s], &n[s]);
        d.texts[s].v.n = n[s];
    }
    release_difference(&all);
    return take_difference(sides, &d, rc == 0 && told && n[0] + n[1]) || rc ? -1 : 0;
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
    tk_intern_release(&sides->names);
    *sides = (struct tk_sides){0};
}
