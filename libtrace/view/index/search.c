/*
 * Search in an index: timers by name, where they are, single scopes.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "view/index/index_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- timers ---- */

static int by_scopes(const void *a, const void *b)
{
    const struct tk_index_found *x = a, *y = b;
    if (x->scopes != y->scopes)
        return x->scopes > y->scopes ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* A text to be found anywhere becomes a pattern; NULL without memory. */
static char *pattern_of(const char *typed)
{
    const size_t n = strlen(typed);
    char *pattern = malloc(n + 3);
    if (!pattern)
        return NULL;
    if (strpbrk(typed, "*?|")) {
        memcpy(pattern, typed, n + 1);
        return pattern;
    }
    pattern[0] = '*';
    memcpy(pattern + 1, typed, n);
    memcpy(pattern + 1 + n, "*", 2);
    for (char *p = pattern; *p; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
    return pattern;
}

static int add_found(struct tk_index_search *out, const struct tk_index_found *found)
{
    if (out->n == out->cap && tk_vec_grow((void **)&out->found, &out->cap, out->n + 1, sizeof *out->found))
        return -1;
    out->found[out->n++] = *found;
    return 0;
}

int tk_index_search(const struct tk_index *index, const char *typed, size_t most, struct tk_index_search *out,
                    struct tk_err *err)
{
    char *pattern = pattern_of(typed);
    out->n = 0;
    if (!pattern)
        return tk_err_nomem(err, "a search");
    const size_t n = strlen(pattern);
    int rc = 0;
    for (size_t i = 0; i < index->timers.n && rc == 0; i++) {
        const struct tk_index_name *timer = &index->timers.v[i];
        if (timer->scopes && tk_glob_typed(pattern, n, timer->name->p, timer->name->n))
            rc = add_found(out, &(struct tk_index_found){.timer = (uint32_t)i, .scopes = timer->scopes});
    }
    free(pattern);
    if (rc)
        return tk_err_nomem(err, "a search");
    out->matches = out->n;
    if (out->n)
        qsort(out->found, out->n, sizeof *out->found, by_scopes);
    out->n = out->n < most ? out->n : most;
    return TK_OK;
}

void tk_index_search_release(struct tk_index_search *out)
{
    free(out->found);
    *out = (struct tk_index_search){0};
}

/* ---- where a timer is ---- */

static uint8_t log_of(uint32_t count)
{
    uint8_t code = 0;
    for (; count; count >>= 1)
        code++;
    return code;
}

/* Which of `parts` parts a time is in; times outside are in the first and the last one. */
static uint32_t part_of(const struct tk_index *index, uint32_t parts, int64_t time)
{
    const int64_t at = time < index->first ? index->first : time > index->last ? index->last : time;
    const double whole = (double)((uint64_t)index->last - (uint64_t)index->first);
    const double part = whole > 0 ? (double)((uint64_t)at - (uint64_t)index->first) / whole * parts : 0;
    return part < parts ? (uint32_t)part : parts - 1;
}

int tk_index_presence(const struct tk_index *index, uint32_t timer, uint8_t *out, uint32_t parts,
                      struct tk_err *err)
{
    const struct tk_presence *p = &index->presence;
    if (!parts || parts > TK_INDEX_PARTS || timer >= index->timers.n)
        return tk_err_set(err, TK_EUSAGE, "no timer %u, or not 1 to %u parts", timer, TK_INDEX_PARTS);
    memset(out, 0, parts);
    for (size_t i = 0; i < p->n; i++) {
        if (timer >= p->parts[i].n || !p->parts[i].counts[timer])
            continue;
        const int64_t begin = (int64_t)(((uint64_t)p->first + i) << p->shift);
        const int64_t last = (int64_t)((uint64_t)begin + ((UINT64_C(1) << p->shift) - 1));
        const uint8_t code = log_of(p->parts[i].counts[timer]);
        for (uint32_t k = part_of(index, parts, begin); k <= part_of(index, parts, last); k++)
            out[k] = out[k] < code ? code : out[k];
    }
    return TK_OK;
}

/* ---- single scopes ---- */

int tk_index_scope_at(struct tk_index *index, uint32_t lane, int64_t time, uint32_t depth,
                      struct tk_index_window *out, struct tk_err *err)
{
    const struct tk_index_question question = {.from = time < INT64_MAX ? time : time - 1,
                                               .to = time < INT64_MAX ? time + 1 : time,
                                               .pixels = 1,
                                               .each = true,
                                               .lanes = &lane,
                                               .n_lanes = 1,
                                               .rows = depth < TK_INDEX_ROWS ? depth + 1 : 0};
    int rc = tk_index_window(index, &question, out, err);
    size_t n = 0;
    for (size_t i = 0; i < out->n && rc == TK_OK; i++) {
        /* of scopes without a length that follow each other at one time, the last */
        if (n && out->boxes[n - 1].depth == out->boxes[i].depth)
            n--;
        out->boxes[n++] = out->boxes[i];
    }
    if (rc == TK_OK) {
        out->n = n;
        out->ends[0] = n;
    }
    return rc;
}

/* What is looked for, and the best so far. */
struct hunt {
    struct tk_index *index;
    const struct tk_index_strip *lane;
    uint32_t number, timer;
    int64_t time;
    bool back, found;
    struct tk_index_box best;
};

static void look(struct hunt *h, const struct tk_index_window *window)
{
    for (size_t i = 0; i < window->n; i++) {
        const struct tk_index_box *b = &window->boxes[i];
        if (b->timer != h->timer || (h->back ? b->begin >= h->time : b->begin <= h->time))
            continue;
        if (!h->found || (h->back ? b->begin > h->best.begin : b->begin < h->best.begin))
            h->best = *b;
        h->found = true;
    }
}

static int64_t plus(int64_t time, int64_t cycles)
{
    return time > INT64_MAX - cycles ? INT64_MAX : time + cycles;
}

static int64_t minus(int64_t time, int64_t cycles)
{
    return time < INT64_MIN + cycles ? INT64_MIN : time - cycles;
}

/* The nearest part of the presence, from `time` on or with `back` down from it, in which a scope of the timer
 * ends: its first and its last time. false: there is none. */
static bool find_part(const struct tk_index *index, uint32_t timer, int64_t time, bool back, int64_t *begin,
                      int64_t *last)
{
    const struct tk_presence *p = &index->presence;
    const int64_t at = tk_index_bin_of(time, p->shift);
    for (size_t k = 0; k < p->n; k++) {
        const size_t i = back ? p->n - 1 - k : k;
        const int64_t part = (int64_t)((uint64_t)p->first + i);
        if ((back ? part > at : part < at) || timer >= p->parts[i].n || !p->parts[i].counts[timer])
            continue;
        *begin = (int64_t)((uint64_t)part << p->shift);
        *last = plus(*begin, (int64_t)((UINT64_C(1) << p->shift) - 1));
        return true;
    }
    return false;
}

/* Where the next window begins, or with `back` ends: what has no scope of the timer is passed over. false:
 * none follows. */
static bool pass_over(const struct hunt *h, int64_t width, int64_t *edge)
{
    int64_t begin, last;
    if (!find_part(h->index, h->timer, h->back ? plus(*edge, width) : *edge, h->back, &begin, &last))
        return false;
    /* a short scope that ends in the part begins less than a bin before it */
    const int64_t near = h->back ? plus(last, 1) : minus(begin, width);
    if (h->back ? near < *edge : near > *edge)
        *edge = near;
    return true;
}

/* Can no scope beyond the edge be better? */
static bool is_past(const struct hunt *h, int64_t edge)
{
    if (h->back ? edge < h->lane->info.first : edge > h->lane->info.last)
        return true;
    return h->found && (h->back ? h->best.begin >= edge : h->best.begin < edge);
}

/* Looks through the short scopes window after window, as long as none that is better can come. Windows in
 * which nothing is make the next one wider, so that their number follows the scopes and not the time. */
static int hunt_brief(struct hunt *h, struct tk_index_window *window, struct tk_err *err)
{
    const int64_t width = (int64_t)(UINT64_C(1) << h->index->shift);
    const int64_t least = width < INT64_MAX / 1024 ? width * 1024 : width;
    const int64_t first = h->lane->info.first, behind = plus(h->lane->info.last, 1);
    int64_t edge = h->time < first ? first : h->time > behind ? behind : h->time, step = least;
    while (!is_past(h, edge) && pass_over(h, width, &edge) && !is_past(h, edge)) {
        const int64_t next = h->back ? minus(edge, step) : plus(edge, step);
        const struct tk_index_question q = {.from = h->back ? next : edge,
                                            .to = h->back ? edge : next,
                                            .pixels = 1,
                                            .lanes = &h->number,
                                            .n_lanes = 1,
                                            .each = true};
        if (next == edge)
            break;
        window->n = 0;
        const int rc = tk_index_brief_scopes(h->index, &q, window, err);
        if (rc == TK_ELIMIT && step > least) {
            step = step / 16 > least ? step / 16 : least;
            continue;
        }
        if (rc < 0)
            return rc;
        look(h, window);
        step = window->n ? least : plus(step, step);
        edge = next;
    }
    return TK_OK;
}

int tk_index_next(struct tk_index *index, uint32_t lane, uint32_t timer, int64_t time, bool back,
                  struct tk_index_box *out, struct tk_err *err)
{
    struct tk_index_window window = {0};
    if (lane >= index->lanes.n || timer >= index->timers.n)
        return tk_err_set(err, TK_EUSAGE, "there is no lane %u, or no timer %u", lane, timer);
    struct hunt h = {.index = index,
                     .lane = index->lanes.v[lane],
                     .number = lane,
                     .timer = timer,
                     .time = time,
                     .back = back};
    const struct tk_index_question q = {.from = back ? h.lane->info.first : time,
                                        .to = back ? time : plus(h.lane->info.last, 1),
                                        .pixels = 1};
    int rc = q.from < q.to ? tk_index_long_scopes(index, h.lane, 0, &q, &window, err) : TK_OK;
    look(&h, &window);
    if (rc == TK_OK)
        rc = hunt_brief(&h, &window, err);
    tk_index_window_release(&window);
    *out = h.best;
    return rc == TK_OK && h.found ? TK_ITEM : rc;
}
