/*
 * Frame times: see frame_times.h.
 */
#include "page/frame_times.h"

#include "base/err.h"

#include <stdlib.h>

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
static void halve(struct tk_frame_type *t)
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
        halve(t);
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
    tk_markup_format(m,
                     "{\"type\":%llu,\"group\":%llu,\"frames\":%llu,\"name\":", (unsigned long long)t->type,
                     (unsigned long long)t->group, (unsigned long long)t->frames);
    tk_markup_json_text(m, (struct tk_str){.p = t->name.v, .n = (uint32_t)t->name.n}, TK_MARKUP_NAME);
    tk_markup_put(m, ",\"gap\":[");
    for (size_t i = 0; i < t->begin.n; i++) {
        if (i)
            tk_buffer_char(&m->out, ',');
        tk_buffer_i64(&m->out, t->begin.v[i] - end);
        end = t->begin.v[i] + t->length.v[i];
    }
    tk_markup_put(m, "],\"length\":[");
    for (size_t i = 0; i < t->length.n; i++) {
        if (i)
            tk_buffer_char(&m->out, ',');
        tk_buffer_i64(&m->out, t->length.v[i]);
    }
    tk_markup_put(m, "]}");
}

void tk_frame_times_put(const struct tk_frame_times *f, struct tk_markup *m)
{
    tk_markup_put(m, "[");
    for (size_t i = 0; i < f->n; i++) {
        if (i)
            tk_markup_put(m, ",");
        put_type(&f->types[i], m);
    }
    tk_markup_put(m, "]");
}
