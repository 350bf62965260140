/*
 * Puts what is more than records: the head of a file, the topology, dictionaries and texts (tracy-file
 * 4, 5.15, 5.22).
 */
#include "format/tracy/file/sections_out.h"

void tk_tracy_put_head(struct tk_tracy_writer *w, const struct tk_tracy_head *h)
{
    tk_tracy_put_bytes(w, "tracy", 5);
    tk_tracy_put(w, w->version >> 16, 1);
    tk_tracy_put(w, w->version >> 8, 1);
    tk_tracy_put(w, w->version, 1);
    tk_tracy_put_header(w, &h->h);
    tk_tracy_put_text(w, h->capture_name.p, h->capture_name.n);
    tk_tracy_put_text(w, h->program.p, h->program.n);
    tk_tracy_put_header_times(w, &h->t);
    tk_tracy_put_text(w, h->host.p, h->host.n);
}

/* ---- topology: levels of package, die and core, then threads ---- */

static uint32_t level_of(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *t, unsigned level)
{
    const uint32_t of[] = {t->package, w->layout.dies ? t->die : 0, t->core, t->thread};
    return of[level];
}

/* Are the first `levels` of both the same? */
static bool is_together(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *a,
                        const struct tk_tracy_cpu_thread *b, unsigned levels)
{
    for (unsigned i = 0; i < levels; i++)
        if (level_of(w, a, i) != level_of(w, b, i))
            return false;
    return true;
}

/* Does row i bring a new item of the level below `levels` that it shares with row `of`? */
static bool is_first(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t i,
                     size_t of, unsigned levels)
{
    if (!is_together(w, &v[i], &v[of], levels))
        return false;
    for (size_t k = 0; k < i && levels < 3; k++)
        if (is_together(w, &v[k], &v[i], levels + 1))
            return false;
    return true;
}

static void put_level(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n, size_t of,
                      unsigned levels)
{
    uint64_t items = 0;
    for (size_t i = 0; i < n; i++)
        items += is_first(w, v, i, of, levels);
    if (levels != 1 || w->layout.dies)
        tk_tracy_put(w, items, 8);
    for (size_t i = 0; i < n; i++) {
        if (!is_first(w, v, i, of, levels))
            continue;
        if (levels != 1 || w->layout.dies)
            tk_tracy_put(w, level_of(w, &v[i], levels), 4);
        if (levels < 3)
            put_level(w, v, n, i, levels + 1);
    }
}

void tk_tracy_put_topology(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n)
{
    if (n)
        put_level(w, v, n, 0, 0);
    else
        tk_tracy_put(w, 0, 8);
}

/* ---- images, texts ---- */

void tk_tracy_put_images(struct tk_tracy_writer *w, uint64_t n)
{
    if (w->layout.image_dictionary)
        tk_tracy_put(w, 0, 4);
    tk_tracy_put(w, n, 8);
}

void tk_tracy_put_short_text(struct tk_tracy_writer *w, const void *p, uint32_t n)
{
    tk_tracy_put(w, n, 4);
    tk_tracy_put_bytes(w, p, n);
}
