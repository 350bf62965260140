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
    struct tk_beside beside;              /* first */
    const struct tk_timeline_sink *inner; /* borrowed */
    struct piece pieces[2];
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

static void give_items(struct tk_beside *b, unsigned piece)
{
    struct tk_items_beside *r = (struct tk_items_beside *)b;
    struct piece *p = &r->pieces[piece];
    b->status = r->inner->items(r->inner->self, p->items, p->n, &b->err);
    p->n = p->n_texts = p->n_bytes = 0;
}

static bool has_no_items(const struct tk_beside *b, unsigned piece)
{
    return ((const struct tk_items_beside *)b)->pieces[piece].n == 0;
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
    r->beside = (struct tk_beside){.ctx = &e->trace->ctx, .give = give_items, .is_empty = has_no_items};
    r->inner = inner;
    *out = r;
    return TK_OK;
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
    if (!name->p)
        return NULL;
    r->names.v[item->name_id] = name;
    return name;
}

/* Cannot a copy of it stand alone? */
static bool is_deep(const struct tk_item *item)
{
    return item->args || item->value.kind == TK_TEXT || item->value.kind >= TK_BYTES;
}

static bool copy_texts(struct tk_items_beside *r, struct piece *p, const struct tk_item *item,
                       struct tk_item *to)
{
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
    return true;
}

/* false: the piece has no room for it, and stays as it was. */
static bool copy_item(struct tk_items_beside *r, struct piece *p, const struct tk_item *item)
{
    const size_t n_texts = p->n_texts, n_bytes = p->n_bytes;
    if (p->n == ITEMS)
        return false;
    p->items[p->n] = *item;
    if (!copy_texts(r, p, item, &p->items[p->n])) {
        p->n_texts = n_texts;
        p->n_bytes = n_bytes;
        return false;
    }
    p->n++;
    return true;
}

static int take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_items_beside *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK;) {
        struct piece *p = &r->pieces[r->beside.filling];
        if (!is_deep(&items[i]) && copy_item(r, p, &items[i])) {
            i++;
        } else if (p->n && !is_deep(&items[i])) {
            rc = tk_beside_hand_over(&r->beside, err);
        } else { /* as it stands */
            rc = tk_beside_drain(&r->beside, err);
            if (rc == TK_OK)
                rc = r->inner->items(r->inner->self, &items[i++], 1, err);
        }
    }
    return rc;
}

static int take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_items_beside *r = self;
    int rc = tk_beside_drain(&r->beside, err);
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
    rc = tk_beside_end(&r->beside, rc, err);
    free_all(r);
    return rc;
}
