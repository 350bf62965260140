/*
 * Items of a timeline on their way to a sink that works alongside the reading. Begins and ends of
 * scopes go as what differs between them, and become items again where they are taken. Names of scopes are
 * copied once, by their numbers, all other texts with each item.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "export/export_in.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 8192, MOST_KINDS = 1 << 18, TAKEN = 128 };

/* What begins of scopes have in common. */
struct scope_kind {
    const struct tk_str *name;
    struct tk_str file;
    uint32_t timer, name_id, line, colour;
    bool has_file;
};

/* An item, or a begin or end of a scope without anything else. */
struct step {
    int64_t ns, cycles;
    uint64_t track;
    const void *of; /* begins: struct scope_kind; ends: NULL; others: struct tk_item */
    uint32_t callstack;
    uint8_t kind;
    bool open, whole; /* it is an item */
};

struct piece {
    struct step *steps; /* owned: STEPS */
    size_t n_steps;
    struct tk_item_piece items;
};

struct tk_items_parallel {
    struct tk_parallel parallel;          /* first */
    const struct tk_timeline_sink *inner; /* borrowed */
    struct piece pieces[TK_PARALLEL_PIECES];
    struct tk_item *taken;               /* owned: TAKEN, as the sink gets them */
    TK_VEC(const struct tk_str *) names; /* of scopes, by number */
    TK_VEC(struct scope_kind *) kinds;   /* the last one of each timer; NULL: none so far */
    size_t n_kinds;                      /* of all */
    struct tk_arena arena;               /* what they are in */
};

static void free_all(struct tk_items_parallel *r)
{
    tk_vec_release(&r->names);
    tk_vec_release(&r->kinds);
    tk_arena_release(&r->arena);
    for (unsigned i = 0; i < TK_PARALLEL_PIECES; i++) {
        free(r->pieces[i].steps);
        tk_item_piece_release(&r->pieces[i].items);
    }
    free(r->taken);
    free(r);
}

static void restore_item(struct tk_item *item, const struct step *s)
{
    const struct scope_kind *kind = s->of;
    if (s->whole) {
        *item = *(const struct tk_item *)s->of;
        return;
    }
    *item = (struct tk_item){.kind = s->kind,
                             .track = s->track,
                             .ns = s->ns,
                             .cycles = s->cycles,
                             .open = s->open,
                             .callstack = s->callstack};
    if (!kind)
        return;
    item->timer = kind->timer;
    item->name_id = kind->name_id;
    item->name = kind->name;
    item->file = kind->has_file ? &kind->file : NULL;
    item->line = kind->line;
    item->colour = kind->colour;
}

static int give_items(struct tk_parallel *b, unsigned piece, struct tk_err *err)
{
    struct tk_items_parallel *r = (struct tk_items_parallel *)b;
    struct piece *p = &r->pieces[piece];
    int rc = TK_OK;
    for (size_t i = 0; i < p->n_steps && rc == TK_OK;) {
        size_t n = 0;
        for (; n < TAKEN && i < p->n_steps; i++)
            restore_item(&r->taken[n++], &p->steps[i]);
        rc = r->inner->items(r->inner->self, r->taken, n, err);
    }
    tk_item_piece_clear(&p->items);
    p->n_steps = 0;
    return rc;
}

static bool has_no_items(const struct tk_parallel *b, unsigned piece)
{
    return ((const struct tk_items_parallel *)b)->pieces[piece].n_steps == 0;
}

int tk_items_parallel_open(struct tk_items_parallel **out, const struct tk_export *e,
                           const struct tk_timeline_sink *inner, struct tk_err *err)
{
    struct tk_items_parallel *r = calloc(1, sizeof *r);
    bool good = r != NULL;
    *out = NULL;
    for (unsigned i = 0; i < TK_PARALLEL_PIECES && good; i++) {
        struct piece *p = &r->pieces[i];
        p->steps = malloc(STEPS * sizeof *p->steps);
        good = p->steps && tk_item_piece_init(&p->items);
    }
    if (good)
        good = (r->taken = malloc(TAKEN * sizeof *r->taken)) != NULL;
    if (!good) {
        if (r)
            free_all(r);
        return tk_err_nomem(err, "items on their way");
    }
    tk_parallel_open(&r->parallel, &e->trace->ctx, give_items, has_no_items);
    r->inner = inner;
    *out = r;
    return TK_OK;
}

/* The name of a scope, which lives as long as what works alongside. NULL if out of memory. */
static const struct tk_str *name_of(struct tk_items_parallel *r, const struct tk_item *item)
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

/* ---- scopes ---- */

static bool is_of_kind(const struct tk_item *item, const struct scope_kind *kind)
{
    return kind && kind->name_id == item->name_id && kind->line == item->line &&
           kind->colour == item->colour && kind->has_file == (item->file != NULL) &&
           (!item->file || (kind->file.p == item->file->p && kind->file.n == item->file->n &&
                            kind->file.enc == item->file->enc));
}

/* Those that were are read by the sink, and stay. NULL if out of memory, or there are too many. */
static const struct scope_kind *kind_of(struct tk_items_parallel *r, const struct tk_item *item)
{
    if (item->timer < r->kinds.n && is_of_kind(item, r->kinds.v[item->timer]))
        return r->kinds.v[item->timer];
    const struct tk_str *name = r->n_kinds < MOST_KINDS ? name_of(r, item) : NULL;
    struct scope_kind *kind = name ? tk_arena_alloc(&r->arena, sizeof *kind) : NULL;
    if (!kind || tk_vec_reach(&r->kinds, (size_t)item->timer + 1))
        return NULL;
    *kind = (struct scope_kind){.name = name,
                                .timer = item->timer,
                                .name_id = item->name_id,
                                .line = item->line,
                                .colour = item->colour,
                                .has_file = item->file != NULL};
    if (item->file)
        kind->file = *item->file; /* its bytes live as long as the reading */
    r->kinds.v[item->timer] = kind;
    r->n_kinds++;
    return kind;
}

static bool is_plain(const struct tk_item *item)
{
    const bool end = item->kind == TK_ITEM_END || item->kind == TK_ITEM_OPEN;
    return (end || (item->kind == TK_ITEM_BEGIN && item->name)) && !item->category && !item->requested &&
           !item->text && !item->id && item->value.kind == TK_NONE && !item->args;
}

/* false: it is more than that, or out of memory. */
static bool copy_scope(struct tk_items_parallel *r, struct piece *p, const struct tk_item *item)
{
    if (!is_plain(item))
        return false;
    const struct scope_kind *kind = item->kind == TK_ITEM_BEGIN ? kind_of(r, item) : NULL;
    if (!kind && item->kind == TK_ITEM_BEGIN)
        return false;
    p->steps[p->n_steps++] = (struct step){.ns = item->ns,
                                           .cycles = item->cycles,
                                           .track = item->track,
                                           .of = kind,
                                           .callstack = item->callstack,
                                           .kind = item->kind,
                                           .open = item->open};
    return true;
}

/* ---- all others ---- */

/* false: the piece has no space for it, and stays as it was. */
static bool copy_item(struct tk_items_parallel *r, struct piece *p, const struct tk_item *item)
{
    if (p->n_steps == STEPS)
        return false;
    if (copy_scope(r, p, item))
        return true;
    const bool named = item->kind == TK_ITEM_BEGIN && item->name;
    const struct tk_str *name = named ? name_of(r, item) : NULL;
    const struct tk_item *copy = named && !name ? NULL : tk_item_piece_copy(&p->items, item, name);
    if (copy)
        p->steps[p->n_steps++] = (struct step){.whole = true, .of = copy};
    return copy != NULL;
}

static int take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_items_parallel *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK;) {
        struct piece *p = &r->pieces[r->parallel.filling];
        if (!tk_item_is_deep(&items[i]) && copy_item(r, p, &items[i])) {
            i++;
        } else if (p->n_steps && !tk_item_is_deep(&items[i])) {
            rc = tk_parallel_hand_over(&r->parallel, err);
        } else { /* as it stands */
            rc = tk_parallel_drain(&r->parallel, err);
            if (rc == TK_OK)
                rc = r->inner->items(r->inner->self, &items[i++], 1, err);
        }
    }
    return rc;
}

static int take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_items_parallel *r = self;
    int rc = tk_parallel_drain(&r->parallel, err);
    return rc == TK_OK ? r->inner->track(r->inner->self, track, err) : rc;
}

struct tk_timeline_sink tk_items_parallel_sink(struct tk_items_parallel *r)
{
    return (struct tk_timeline_sink){
        .self = r, .track = r->inner->track ? take_track : NULL, .items = take_items};
}

int tk_items_parallel_close(struct tk_items_parallel *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    rc = tk_parallel_end(&r->parallel, rc, err);
    free_all(r);
    return rc;
}
