/*
 * What single frames of a run took.
 */
#include "base/text/text.h"
#include "compare/baseline/segments.h"

#include <math.h>
#include <stdlib.h>

int tk_watched_frames_fill(struct tk_watched_frames *t, size_t n, double first)
{
    t->v = malloc((n + 1) * sizeof *t->v);
    for (size_t i = 0; t->v && i < n; i++)
        t->v[i] = first;
    t->n = t->v ? n : 0;
    return t->v ? 0 : -1;
}

struct tk_watched_frames *tk_watched_frames_add(struct tk_base_run *run, uint8_t kind,
                                                const struct tk_str *name, const struct tk_str *group,
                                                size_t n, double first)
{
    for (size_t i = 0; i < run->watched_frames.n; i++) {
        struct tk_watched_frames *t = &run->watched_frames.v[i];
        if (t->kind == kind && t->name == name && t->group == group && t->n == n)
            return t;
    }
    struct tk_watched_frames times = {.kind = kind, .name = name, .group = group};
    if (tk_watched_frames_fill(&times, n, first) || tk_vec_push(&run->watched_frames, times)) {
        free(times.v);
        return NULL;
    }
    return &run->watched_frames.v[run->watched_frames.n - 1];
}

static bool is_same(const struct tk_str *a, const struct tk_str *b)
{
    return a && b ? tk_str_order(a, b) == 0 : a == b;
}

static const struct tk_watched_frames *find(const struct tk_base_run *run, uint8_t kind,
                                            const struct tk_str *name, const struct tk_str *group)
{
    const struct tk_base_run *of = run->copy_of ? run->copy_of : run;
    for (size_t i = 0; i < of->watched_frames.n; i++) {
        const struct tk_watched_frames *t = &of->watched_frames.v[i];
        if (t->kind == kind && is_same(t->name, name) && is_same(t->group, group))
            return t;
    }
    return NULL;
}

size_t tk_watched_frames_worst(const struct tk_base_run *run, uint8_t kind, const struct tk_str *name,
                               const struct tk_str *group)
{
    const struct tk_watched_frames *t = find(run, kind, name, group);
    size_t worst = SIZE_MAX;
    double most = -INFINITY;
    for (size_t i = 0; t && i < run->frames.n; i++) {
        const size_t number = run->numbers ? run->numbers[i] : i;
        if (number >= t->n || !(t->v[number] > most))
            continue;
        worst = i;
        most = t->v[number];
    }
    return worst;
}

void tk_watched_frames_release(struct tk_base_run *run)
{
    for (size_t i = 0; i < run->watched_frames.n; i++)
        free(run->watched_frames.v[i].v);
    tk_vec_release(&run->watched_frames);
}
