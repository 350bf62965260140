/*
 * Headers ahead: see walk_ahead.h.
 */
#include "utrace/walk_ahead.h"

#include <stdlib.h>

#include "base/cursor.h"

#define STRETCHES     8
#define STRETCH_BYTES (1u << 20)
#define HEADS         4096u        /* most headers of a stretch */
#define SEARCH_BYTES  (128u << 10) /* how far the beginning of a stretch is searched for */

#define PAUSE 256

struct seen {
    uint64_t offset;
    uint16_t size, word;
};

struct stretch {
    struct tk_window *window; /* owned */
    uint64_t begin, at, limit;
    uint32_t n;
    bool live;
    struct seen *heads; /* owned, HEADS of them */
};

struct tk_ut_ahead {
    struct stretch v[STRETCHES];
    unsigned n;       /* in use */
    unsigned current; /* the stretch that is being handed out */
    uint32_t next;    /* its next header */
    uint32_t pause;   /* headers to go without looking ahead, after it did not help */
};

int tk_ut_ahead_open(struct tk_ut_ahead **out, struct tk_ut_walk *w)
{
    *out = NULL;
    if (!w->ctx->options || !w->ctx->options->map || w->size < (uint64_t)STRETCHES * STRETCH_BYTES)
        return TK_OK;
    struct tk_ut_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return tk_err_nomem(w->err, "the packet index");
    for (size_t i = 0; i < STRETCHES; i++) {
        int rc = tk_window_open(&a->v[i].window, w->ctx->file, true, w->err);
        a->v[i].heads = malloc(HEADS * sizeof *a->v[i].heads);
        if (rc != TK_OK || !a->v[i].heads) {
            tk_ut_ahead_close(a);
            return rc != TK_OK ? rc : tk_err_nomem(w->err, "the packet index");
        }
    }
    *out = a;
    return TK_OK;
}

/* Finds the first chain of packets near an offset, looking through the stretch's own window. */
static bool find_begin(struct tk_ut_walk *w, struct stretch *s, uint64_t from)
{
    struct tk_window *own = w->window;
    bool found = false;
    w->window = s->window;
    for (uint64_t at = from; at < from + SEARCH_BYTES && at + 4 <= w->size && !found; at++) {
        s->begin = at;
        found = tk_ut_walk_chain(w, at);
    }
    w->window = own;
    return found;
}

/* Brings the bytes of a stretch into sight. */
static bool show(struct tk_ut_walk *w, struct stretch *s)
{
    size_t got = 0;
    if (!tk_window_at(s->window, s->begin, TK_WINDOW_MOST, &got, w->err) || !got)
        return false;
    uint64_t end = s->window->start + s->window->have;
    if (s->limit > end)
        s->limit = end;
    return true;
}

/* Sets the stretches up behind an offset, the first of which is sure. */
static void lay_out(struct tk_ut_ahead *a, struct tk_ut_walk *w, uint64_t offset)
{
    a->n = 0;
    for (uint64_t from = offset; a->n < STRETCHES && from < w->size; from += STRETCH_BYTES) {
        struct stretch *s = &a->v[a->n];
        s->begin = from;
        if (a->n && !find_begin(w, s, from))
            break;
        s->limit = from + STRETCH_BYTES;
        s->n = 0;
        s->live = show(w, s);
        s->at = s->begin;
        a->n++;
    }
    for (unsigned i = 0; i + 1 < a->n; i++)
        if (a->v[i].limit > a->v[i + 1].begin)
            a->v[i].limit = a->v[i + 1].begin;
        else if (a->v[i + 1].begin <= a->v[i].window->start + a->v[i].window->have)
            a->v[i].limit = a->v[i + 1].begin;
}

/* One header of a stretch; it ends before anything that is not plainly good. */
static inline bool step(struct stretch *s, bool counted)
{
    if (s->at + 6 > s->limit || s->n == HEADS)
        return false;
    const uint8_t *p = s->window->bytes + (s->at - s->window->start);
    uint16_t size = tk_load16(p), word = tk_load16(p + 2);
    uint32_t skip = size + (counted && word & TK_UT_PARTIAL ? 8u : 0u);
    if (size < (word & TK_UT_ENCODED ? 6 : 4) || s->at + skip > s->limit)
        return false;
    s->heads[s->n++] = (struct seen){s->at, size, word};
    s->at += skip;
    return true;
}

static void look_ahead(struct tk_ut_ahead *a, struct tk_ut_walk *w, uint64_t offset)
{
    bool any = true;
    lay_out(a, w, offset);
    while (any) {
        any = false;
        for (unsigned i = 0; i < a->n; i++)
            any |= a->v[i].live && (a->v[i].live = step(&a->v[i], w->ix->counted));
    }
    a->current = 0;
    a->next = 0;
}

static bool take(struct tk_ut_ahead *a, uint64_t offset, struct tk_ut_head *head)
{
    while (a->current < a->n && a->next == a->v[a->current].n) {
        a->current++;
        a->next = 0;
    }
    if (a->current >= a->n || a->v[a->current].heads[a->next].offset != offset)
        return false;
    const struct seen *seen = &a->v[a->current].heads[a->next++];
    *head = (struct tk_ut_head){
        .offset = offset, .size = seen->size, .word = seen->word, .tid = seen->word & TK_UT_TID_SYNC};
    return head->tid != TK_UT_TID_SYNC || (seen->size == 4 && !(seen->word & TK_UT_ENCODED));
}

bool tk_ut_ahead_head(struct tk_ut_ahead *a, struct tk_ut_walk *w, uint64_t offset, struct tk_ut_head *head)
{
    if (!a)
        return false;
    if (take(a, offset, head))
        return true;
    if (a->pause) {
        a->pause--;
        return false;
    }
    look_ahead(a, w, offset);
    if (take(a, offset, head))
        return true;
    a->pause = PAUSE;
    return false;
}

void tk_ut_ahead_close(struct tk_ut_ahead *a)
{
    for (size_t i = 0; a && i < STRETCHES; i++) {
        tk_window_close(a->v[i].window);
        free(a->v[i].heads);
    }
    free(a);
}
