/*
 * Items of a timeline on their way to a writer whose items can be made apart: pieces of them are copied, made
 * into bytes by whichever workers are free, and put in the order that they came in. Items
 * that depend on others before them go to the writer when their piece is put; those that cannot be copied, at
 * once.
 */
#include "base/err.h"
#include "base/stream_copy.h"
#include "base/vec.h"
#include "export/export_in.h"
#include "io/scratch/pool.h"
#include "sink/timelines/timeline_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Items that are copied to a piece, their texts behind each other.
 */

enum { ITEMS = 1024, TEXTS_OF_ITEM = 3, TEXT_BYTES = 512 << 10 };

bool tk_item_piece_init(struct tk_item_piece *p)
{
    *p = (struct tk_item_piece){.items = calloc(ITEMS, sizeof *p->items),
                                .texts = calloc(ITEMS, TEXTS_OF_ITEM * sizeof *p->texts),
                                .bytes = malloc(TEXT_BYTES)};
    return p->items && p->texts && p->bytes;
}

void tk_item_piece_release(struct tk_item_piece *p)
{
    free(p->items);
    free(p->texts);
    free(p->bytes);
}

bool tk_item_is_deep(const struct tk_item *item)
{
    return item->args || item->value.kind == TK_TEXT || item->value.kind >= TK_BYTES;
}

static bool copy_text(struct tk_item_piece *p, const struct tk_str **text)
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

const struct tk_item *tk_item_piece_copy(struct tk_item_piece *p, const struct tk_item *item,
                                         const struct tk_str *name)
{
    const size_t n_texts = p->n_texts, n_bytes = p->n_bytes;
    if (p->n == ITEMS)
        return NULL;
    struct tk_item *to = &p->items[p->n];
    *to = *item;
    if ((!name && !copy_text(p, &to->name)) || !copy_text(p, &to->category)) {
        p->n_texts = n_texts;
        p->n_bytes = n_bytes;
        return NULL;
    }
    if (name)
        to->name = name;
    if (item->file) { /* its bytes live as long as the reading */
        p->texts[p->n_texts] = *item->file;
        to->file = &p->texts[p->n_texts++];
    }
    p->n++;
    return to;
}

enum { STEPS = 4096 };

static_assert(sizeof(void *) != 8 || sizeof(struct tk_scope_step) % 16 == 0, "steps are streamed");

/* An item that is in the piece behind so many steps, and what was made before it. */
struct place {
    size_t steps;
    size_t bytes;
    bool made;
};

struct piece {
    struct tk_scope_step *steps; /* owned: STEPS */
    size_t n_steps;
    struct tk_item_piece items;
    TK_VEC(struct place) places;           /* of each item */
    TK_VEC(struct tk_scope_kind *) firsts; /* whose names come first in it */
    struct tk_made_items made;
};

struct tk_items_apart {
    const struct tk_context *ctx;      /* borrowed, as is the next one */
    struct tk_timeline_writer *writer; /* called by those who put, one at a time, or while there are none */
    struct tk_timeline_sink inner;     /* its sink */
    struct tk_made_items kinds;        /* the writer as kinds are instructed to it while others put */
    struct tk_err err;                 /* why putting failed */
    struct tk_in_order order;
    struct piece pieces[TK_IN_ORDER_MOST];
};

static void free_all(struct tk_items_apart *r)
{
    for (size_t i = 0; i < TK_IN_ORDER_MOST; i++) {
        free(r->pieces[i].steps);
        tk_vec_release(&r->pieces[i].places);
        tk_vec_release(&r->pieces[i].firsts);
        tk_item_piece_release(&r->pieces[i].items);
        tk_made_items_release(&r->pieces[i].made);
    }
    tk_made_items_release(&r->kinds);
    free(r);
}

static int init_piece(struct piece *p, const struct tk_timeline_writer *writer, struct tk_err *err)
{
    p->steps = malloc(STEPS * sizeof *p->steps);
    if (!p->steps || !tk_item_piece_init(&p->items))
        return tk_err_nomem(err, "items on their way");
    return tk_made_items_init(&p->made, writer, err);
}

/* ---- what workers do ---- */

static void make_piece(void *ctx, size_t index, unsigned worker)
{
    struct tk_items_apart *r = ctx;
    struct piece *p = &r->pieces[index];
    size_t at = 0;
    (void)worker;
    tk_made_items_begin(&p->made, r->writer);
    for (size_t i = 0; i < p->items.n; i++) {
        struct place *place = &p->places.v[i];
        tk_made_items_steps(&p->made, p->steps + at, place->steps - at);
        at = place->steps;
        place->bytes = tk_made_items_size(&p->made);
        place->made = tk_made_items_item(&p->made, &p->items.items[i]);
    }
    tk_made_items_steps(&p->made, p->steps + at, p->n_steps - at);
}

/* What was made, and between it the items that were not. */
static int put_made(struct tk_items_apart *r, const struct piece *p, struct tk_err *err)
{
    size_t at = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < p->items.n && rc == TK_OK; i++) {
        if (p->places.v[i].made)
            continue;
        rc = tk_made_items_put(&p->made, at, p->places.v[i].bytes, r->writer, err);
        at = p->places.v[i].bytes;
        if (rc == TK_OK)
            rc = r->inner.items(r->inner.self, &p->items.items[i], 1, err);
    }
    return rc == TK_OK ? tk_made_items_put(&p->made, at, tk_made_items_size(&p->made), r->writer, err) : rc;
}

static int put_piece(void *ctx, size_t index, unsigned worker)
{
    struct tk_items_apart *r = ctx;
    struct piece *p = &r->pieces[index];
    int rc = TK_OK;
    (void)worker;
    for (size_t i = 0; i < p->firsts.n && rc == TK_OK; i++)
        rc = r->inner.kind(r->inner.self, p->firsts.v[i], true, &r->err);
    if (rc == TK_OK)
        rc = put_made(r, p, &r->err);
    tk_item_piece_clear(&p->items);
    p->places.n = p->firsts.n = p->n_steps = 0;
    return rc;
}

int tk_items_apart_open(struct tk_items_apart **out, const struct tk_export *e,
                        struct tk_timeline_writer *writer, struct tk_err *err)
{
    struct tk_items_apart *r = calloc(1, sizeof *r);
    int rc = r ? tk_made_items_init(&r->kinds, writer, err) : tk_err_nomem(err, "items on their way");
    *out = NULL;
    if (!r)
        return rc;
    r->ctx = &e->trace->ctx;
    r->writer = writer;
    r->inner = tk_timeline_writer_sink(writer);
    tk_in_order_open(&r->order, r->ctx->pool, make_piece, put_piece, r);
    for (size_t i = 0; i < r->order.n_places && rc == TK_OK; i++)
        rc = init_piece(&r->pieces[i], writer, err);
    if (rc == TK_OK)
        *out = r;
    else
        free_all(r);
    return rc;
}

/* ---- what the reading thread does ---- */

static struct piece *filling(struct tk_items_apart *r)
{
    return &r->pieces[tk_in_order_filling(&r->order)];
}

static int give(struct tk_items_apart *r, struct tk_err *err)
{
    const struct piece *p = filling(r);
    if (!p->n_steps && !p->items.n)
        return TK_OK;
    tk_stream_end();
    const int rc = tk_parallel_ask(r->ctx, err);
    return rc == TK_OK ? tk_parallel_cause(&r->err, tk_in_order_give(&r->order), err) : rc;
}

/* The writer has all there is so far. */
static int drain_pieces(struct tk_items_apart *r, struct tk_err *err)
{
    const int rc = give(r, err);
    return rc == TK_OK ? tk_parallel_cause(&r->err, tk_in_order_drain(&r->order), err) : rc;
}

static int take_steps(void *self, const struct tk_scope_step *steps, size_t n, struct tk_err *err)
{
    struct tk_items_apart *r = self;
    int rc = TK_OK;
    while (n > 0 && rc == TK_OK) {
        struct piece *p = filling(r);
        const size_t capacity = STEPS - p->n_steps, some = n < capacity ? n : capacity;
        tk_stream_copy(p->steps + p->n_steps, steps, some * sizeof *steps);
        p->n_steps += some;
        steps += some;
        n -= some;
        if (p->n_steps == STEPS)
            rc = give(r, err);
    }
    return rc;
}

static int copy_item(struct piece *p, const struct tk_item *item, bool *copied, struct tk_err *err)
{
    *copied = !tk_item_is_deep(item) && tk_item_piece_copy(&p->items, item, NULL);
    if (*copied && tk_vec_push(&p->places, ((struct place){.steps = p->n_steps})))
        return tk_err_nomem(err, "items on their way");
    return TK_OK;
}

static int take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_items_apart *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK;) {
        struct piece *p = filling(r);
        bool copied = false;
        rc = copy_item(p, &items[i], &copied, err);
        if (rc != TK_OK || copied) {
            i++;
        } else if (p->items.n && !tk_item_is_deep(&items[i])) {
            rc = give(r, err);
        } else { /* as it stands */
            rc = drain_pieces(r, err);
            if (rc == TK_OK)
                rc = r->inner.items(r->inner.self, &items[i++], 1, err);
        }
    }
    return rc;
}

static int take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_items_apart *r = self;
    const int rc = drain_pieces(r, err);
    return rc == TK_OK ? r->inner.track(r->inner.self, track, err) : rc;
}

static int take_kind(void *self, struct tk_scope_kind *kind, bool first, struct tk_err *err)
{
    struct tk_items_apart *r = self;
    if (first && tk_vec_push(&filling(r)->firsts, kind))
        return tk_err_nomem(err, "items on their way");
    return tk_made_items_kind(&r->kinds, kind, err);
}

struct tk_timeline_sink tk_items_apart_sink(struct tk_items_apart *r)
{
    return (struct tk_timeline_sink){
        .self = r, .track = take_track, .items = take_items, .kind = take_kind, .steps = take_steps};
}

int tk_items_apart_close(struct tk_items_apart *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    if (rc == TK_OK)
        rc = drain_pieces(r, err);
    tk_in_order_drain(&r->order); /* what nobody wants any more */
    free_all(r);
    return rc;
}
