/*
 * Items of a timeline on their way to a sink that works beside the reading; see beside.h. Names of scopes are
 * copied once, by their numbers, all other texts with each item.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "export/beside.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1024, TEXTS_OF_ITEM = 3, TEXT_BYTES = 512 << 10 };

struct piece {
    struct tk_item *items; /* owned: ITEMS */
    size_t n;
    struct tk_str *texts; /* owned: TEXTS_OF_ITEM each */
    size_t n_texts;
    char *bytes; /* owned: TEXT_BYTES */
    size_t n_bytes;
};

struct tk_items_beside {
    struct tk_beside beside;
    const struct tk_timeline_sink *inner; /* borrowed */
    struct piece pieces[2];
    unsigned filling;                    /* which of them */
    TK_VEC(const struct tk_str *) names; /* of scopes, by number */
    struct tk_arena arena;               /* what they are in */
};

static void free_all(struct tk_items_beside *r)
{
    tk_vec_release(&r->names);
    tk_arena_release(&r->arena);
    for (unsigned i = 0; i < 2; i++) {
        free(r->pieces[i].items);
        free(r->pieces[i].texts);
        free(r->pieces[i].bytes);
    }
    free(r);
}

int tk_items_beside_open(struct tk_items_beside **out, const struct tk_export *e,
                         const struct tk_timeline_sink *inner, struct tk_err *err)
{
    struct tk_items_beside *r = calloc(1, sizeof *r);
    bool good = r != NULL;
    *out = NULL;
    for (unsigned i = 0; i < 2 && good; i++) {
        struct piece *p = &r->pieces[i];
        p->items = calloc(ITEMS, sizeof *p->items);
        p->texts = calloc(ITEMS, TEXTS_OF_ITEM * sizeof *p->texts);
        p->bytes = malloc(TEXT_BYTES);
        good = p->items && p->texts && p->bytes;
    }
    if (!good) {
        if (r)
            free_all(r);
        return tk_err_nomem(err, "items on their way");
    }
    r->beside.ctx = &e->trace->ctx;
    r->inner = inner;
    *out = r;
    return TK_OK;
}

/* Gives the other piece, the one that is not being filled, to the sink. */
static void give_piece(void *ctx, size_t index, unsigned worker)
{
    struct tk_items_beside *r = ctx;
    struct piece *p = &r->pieces[!r->filling];
    (void)index, (void)worker;
    r->beside.status = r->inner->items(r->inner->self, p->items, p->n, &r->beside.err);
    p->n = p->n_texts = p->n_bytes = 0;
}

static int hand_over(struct tk_items_beside *r, struct tk_err *err)
{
    int rc = tk_beside_wait(&r->beside, err);
    if (rc != TK_OK || !r->pieces[r->filling].n)
        return rc;
    r->filling = !r->filling;
    return tk_beside_start(&r->beside, give_piece, r, err);
}

/* The sink has all items so far. */
static int drain(struct tk_items_beside *r, struct tk_err *err)
{
    int rc = hand_over(r, err);
    return rc == TK_OK ? tk_beside_wait(&r->beside, err) : rc;
}

static bool copy_text(struct piece *p, const struct tk_str **text)
{
    const struct tk_str *from = *text;
    if (!from)
        return true;
    if (from->n > TEXT_BYTES - p->n_bytes)
        return false;
    struct tk_str *to = &p->texts[p->n_texts++];
    *to = *from;
    to->p = from->n ? memcpy(p->bytes + p->n_bytes, from->p, from->n) : from->p;
    p->n_bytes += from->n;
    *text = to;
    return true;
}

/* The name of a scope, which lives as long as what works beside. NULL when memory is out. */
static const struct tk_str *name_of(struct tk_items_beside *r, const struct tk_item *item)
{
    if (item->name_id < r->names.n && r->names.v[item->name_id])
        return r->names.v[item->name_id];
    struct tk_str *name = tk_arena_alloc(&r->arena, sizeof *name);
    if (!name || tk_vec_reach(&r->names, (size_t)item->name_id + 1))
        return NULL;
    *name = *item->name;
    name->p = tk_arena_copy(&r->arena, item->name->p, item->name->n);
    r->names.v[item->name_id] = name;
    return name->p ? name : NULL;
}

/* Cannot a copy of it stand alone? */
static bool is_deep(const struct tk_item *item)
{
    return item->args || item->value.kind == TK_TEXT || item->value.kind >= TK_BYTES;
}

/* false: the piece has no room for it. */
static bool copy_item(struct tk_items_beside *r, struct piece *p, const struct tk_item *item)
{
    if (p->n == ITEMS)
        return false;
    struct tk_item *to = &p->items[p->n];
    *to = *item;
    if (item->kind == TK_ITEM_BEGIN && item->name)
        to->name = name_of(r, item);
    else if (!copy_text(p, &to->name))
        return false;
    if (!copy_text(p, &to->category) || (item->name && !to->name))
        return false;
    if (item->file) { /* its bytes live as long as the reading */
        p->texts[p->n_texts] = *item->file;
        to->file = &p->texts[p->n_texts++];
    }
    p->n++;
    return true;
}

static int take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_items_beside *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK;) {
        struct piece *p = &r->pieces[r->filling];
        if (!is_deep(&items[i]) && copy_item(r, p, &items[i])) {
            i++;
        } else if (p->n && !is_deep(&items[i])) {
            rc = hand_over(r, err);
        } else { /* as it stands */
            rc = drain(r, err);
            if (rc == TK_OK)
                rc = r->inner->items(r->inner->self, &items[i++], 1, err);
        }
    }
    return rc;
}

static int take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_items_beside *r = self;
    int rc = drain(r, err);
    return rc == TK_OK ? r->inner->track(r->inner->self, track, err) : rc;
}

struct tk_timeline_sink tk_items_beside_sink(struct tk_items_beside *r)
{
    return (struct tk_timeline_sink){
        .self = r, .track = r->inner->track ? take_track : NULL, .items = take_items};
}

int tk_items_beside_close(struct tk_items_beside *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    const int last = rc == TK_OK ? drain(r, err) : tk_beside_wait(&r->beside, NULL);
    if (rc != TK_OK && last < 0 && rc == last && err)
        *err = r->beside.err;
    free_all(r);
    return rc == TK_OK ? last : rc;
}
