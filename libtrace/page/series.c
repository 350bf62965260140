/*
 * Series.
 */
#include "page/series.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>

/*
 * Frame times.
 */

void tk_frame_times_release(struct tk_frame_times *f)
{
    for (size_t i = 0; i < f->n; i++) {
        tk_vec_release(&f->types[i].name);
        tk_vec_release(&f->types[i].begin);
        tk_vec_release(&f->types[i].length);
    }
}

static int find_type(struct tk_frame_times *f, uint64_t type, struct tk_str name, struct tk_frame_type **out)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->types[i].type == type) {
            *out = &f->types[i];
            return TK_OK;
        }
    *out = NULL;
    if (f->n == TK_FRAME_TYPES)
        return TK_OK;
    struct tk_frame_type *t = &f->types[f->n++];
    *t = (struct tk_frame_type){.type = type, .group = 1};
    if (tk_vec_reserve(&t->name, name.n))
        return TK_ENOMEM;
    if (name.n)
        memcpy(t->name.v, name.p, name.n);
    t->name.n = name.n;
    *out = t;
    return TK_OK;
}

/* Two entries become one: the begin of the first, the longer of the lengths. */
static void frame_times_halve(struct tk_frame_type *t)
{
    const size_t n = t->begin.n / 2;
    for (size_t i = 0; i < n; i++) {
        const int64_t a = t->length.v[2 * i], b = t->length.v[2 * i + 1];
        t->begin.v[i] = t->begin.v[2 * i];
        t->length.v[i] = a > b ? a : b;
    }
    t->begin.n = t->length.n = n;
    t->group *= 2;
}

int tk_frame_times_add(struct tk_frame_times *f, uint64_t type, struct tk_str name, int64_t begin,
                       int64_t length, struct tk_err *err)
{
    struct tk_frame_type *t;
    if (find_type(f, type, name, &t))
        return tk_err_nomem(err, "frames of a page");
    if (!t)
        return TK_OK;
    if (t->frames++ % t->group != 0) {
        int64_t *last = &t->length.v[t->length.n - 1];
        *last = length > *last ? length : *last;
        return TK_OK;
    }
    if (t->begin.n == TK_FRAMES_MOST)
        frame_times_halve(t);
    if (tk_vec_push(&t->begin, begin) || tk_vec_push(&t->length, length))
        return tk_err_nomem(err, "frames of a page");
    return TK_OK;
}

static int by_type(const void *a, const void *b)
{
    const struct tk_frame_type *x = a, *y = b;
    return (x->type > y->type) - (x->type < y->type);
}

void tk_frame_times_sort(struct tk_frame_times *f)
{
    qsort(f->types, f->n, sizeof *f->types, by_type);
}

static void put_type(const struct tk_frame_type *t, struct tk_markup *m)
{
    int64_t end = 0;
    struct tk_json *j = &m->json;
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "type", t->type);
    tk_json_u64(j, "group", t->group);
    tk_json_u64(j, "frames", t->frames);
    tk_markup_json_text(m, "name", (struct tk_str){.p = t->name.v, .n = (uint32_t)t->name.n}, TK_MARKUP_NAME);
    tk_json_open(j, "gap", '[');
    for (size_t i = 0; i < t->begin.n; i++) {
        tk_json_i64(j, NULL, t->begin.v[i] - end);
        end = t->begin.v[i] + t->length.v[i];
    }
    tk_json_close(j);
    tk_json_open(j, "length", '[');
    for (size_t i = 0; i < t->length.n; i++)
        tk_json_i64(j, NULL, t->length.v[i]);
    tk_json_close(j);
    tk_json_close(j);
}

void tk_frame_times_put(const struct tk_frame_times *f, struct tk_markup *m, const char *member)
{
    tk_json_open(&m->json, member, '[');
    for (size_t i = 0; i < f->n; i++)
        put_type(&f->types[i], m);
    tk_json_close(&m->json);
}

void tk_series_release(struct tk_series_set *set)
{
    for (size_t i = 0; i < set->series.n; i++) {
        tk_vec_release(&set->series.v[i]->name);
        free(set->series.v[i]);
    }
    tk_vec_release(&set->series);
}

/* The series of a name; NULL in *out where there is no space for one more. */
static int find_series(struct tk_series_set *set, struct tk_str name, struct tk_series **out)
{
    for (size_t i = 0; i < set->series.n; i++) {
        struct tk_series *s = *out = set->series.v[i];
        if (s->name.n == name.n && (name.n == 0 || memcmp(s->name.v, name.p, name.n) == 0))
            return TK_OK;
    }
    *out = NULL;
    if (set->series.n == TK_SERIES_MOST)
        return TK_OK;
    struct tk_series *s = calloc(1, sizeof *s);
    if (!s || tk_vec_reserve(&s->name, name.n) || tk_vec_push(&set->series, s)) {
        if (s)
            tk_vec_release(&s->name);
        free(s);
        return TK_ENOMEM;
    }
    if (name.n)
        memcpy(s->name.v, name.p, name.n);
    s->name.n = name.n;
    s->group = 1;
    *out = s;
    return TK_OK;
}

static void join_point(struct tk_series_point *to, const struct tk_series_point *next)
{
    to->least = fmin(to->least, next->least);
    to->greatest = fmax(to->greatest, next->greatest);
    to->last = next->last;
}

static void halve(struct tk_series *s)
{
    for (size_t i = 0; i < s->n / 2; i++) {
        s->points[i] = s->points[2 * i];
        join_point(&s->points[i], &s->points[2 * i + 1]);
    }
    s->n /= 2;
    s->group *= 2;
}

int tk_series_add(struct tk_series_set *set, struct tk_str name, bool bytes, int64_t time, double value,
                  struct tk_err *err)
{
    struct tk_series *s;
    if (!isfinite(value))
        return TK_OK;
    if (find_series(set, name, &s))
        return tk_err_nomem(err, "values of a page");
    if (!s) {
        set->beyond++;
        return TK_OK;
    }
    const struct tk_series_point point = {time, value, value, value};
    s->bytes = bytes;
    if (s->values++ % s->group != 0) {
        join_point(&s->points[s->n - 1], &point);
        return TK_OK;
    }
    if (s->n == sizeof s->points / sizeof *s->points)
        halve(s);
    s->points[s->n++] = point;
    return TK_OK;
}

static void put_column(const struct tk_series *s, struct tk_markup *m, const char *key, size_t at)
{
    tk_json_open(&m->json, key, '[');
    for (size_t i = 0; i < s->n; i++) {
        double v;
        memcpy(&v, (const char *)&s->points[i] + at, sizeof v);
        tk_json_member(&m->json, NULL);
        tk_buffer_real(&m->out, v, false);
    }
    tk_json_close(&m->json);
}

static void put_series(const struct tk_series *s, struct tk_markup *m)
{
    struct tk_json *j = &m->json;
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "bytes", s->bytes);
    tk_json_u64(j, "values", s->values);
    tk_json_u64(j, "group", s->group);
    tk_markup_json_text(m, "name", (struct tk_str){.p = s->name.v, .n = (uint32_t)s->name.n}, TK_MARKUP_NAME);
    tk_json_open(j, "time", '[');
    for (size_t i = 0; i < s->n; i++)
        tk_json_i64(j, NULL, s->points[i].from);
    tk_json_close(j);
    put_column(s, m, "least", offsetof(struct tk_series_point, least));
    put_column(s, m, "greatest", offsetof(struct tk_series_point, greatest));
    put_column(s, m, "last", offsetof(struct tk_series_point, last));
    tk_json_close(j);
}

void tk_series_put(const struct tk_series_set *set, struct tk_markup *m, const char *name)
{
    tk_json_open(&m->json, name, '[');
    for (size_t i = 0; i < set->series.n; i++)
        put_series(set->series.v[i], m);
    tk_json_close(&m->json);
}
