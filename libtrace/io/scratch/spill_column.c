/*
 * Adds to columns, spills them and sorts what changed in them. spill_column_read.c reads them.
 */
#include "io/scratch/scratch_in.h"
#include "io/scratch/spill.h"

#include <string.h>

enum { FIRST_BYTES = 512, SORT_BYTES = 1 << 20, LOOK_EVERY = 16 << 20, SPACE_LEFT = 256 << 20 };

struct tk_spill_columns {
    const char *dir;
    size_t budget, held;
    uint64_t written, looked; /* bytes; and those at the last look at the disk */
    uint64_t capacity;        /* of the disk, at the first look */
    bool tight;
    struct tk_spill *spill;               /* owned; NULL until something was spilled */
    struct tk_spill_column *head;         /* columns with memory */
    TK_VEC(struct tk_spill_column *) all; /* by id - 1; NULL: it was released */
    struct tk_external_sort *changes;     /* owned; NULL until something changed */
    uint64_t n_changes;
    int rc;
    struct tk_err err;
};

struct change {
    uint32_t column;
    uint64_t order; /* later ones count */
    struct tk_spill_column_change of;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    if (x->of.index != y->of.index)
        return x->of.index < y->of.index ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

int tk_spill_columns_open(struct tk_spill_columns **out, const char *dir, size_t budget)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TK_ENOMEM;
    (*out)->dir = dir;
    (*out)->budget = budget;
    return TK_OK;
}

void tk_spill_columns_close(struct tk_spill_columns *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->all.n; i++)
        if (s->all.v[i])
            s->all.v[i]->store = NULL;
    tk_vec_release(&s->all);
    tk_external_sort_close(s->changes);
    tk_spill_close(s->spill);
    free(s);
}

int tk_spill_columns_error(const struct tk_spill_columns *s, struct tk_err *err)
{
    if (s->rc != TK_OK && err)
        *err = s->err;
    return s->rc;
}

size_t tk_spill_columns_held(const struct tk_spill_columns *s)
{
    return s->held;
}

uint64_t tk_spill_columns_spilled(const struct tk_spill_columns *s)
{
    return s->written;
}

static bool fail(struct tk_spill_columns *s, int rc)
{
    s->rc = s->rc == TK_OK ? rc : s->rc;
    return false;
}

static bool fail_for_memory(struct tk_spill_columns *s)
{
    return fail(s, s->rc == TK_OK ? tk_err_nomem(&s->err, "recorded data") : s->rc);
}

void tk_spill_column_begin(struct tk_spill_column *c, struct tk_spill_columns *s, size_t size)
{
    memset(c, 0, sizeof *c);
    c->store = s;
    c->size = size;
}

static void drop_memory(struct tk_spill_column *c)
{
    if (!c->v)
        return;
    if (c->store)
        c->store->held -= c->capacity * c->size;
    *c->before = c->next;
    if (c->next)
        c->next->before = c->before;
    free(c->v);
    c->v = NULL;
    c->n = c->capacity = 0;
}

void tk_spill_column_release(struct tk_spill_column *c)
{
    if (c->store && c->id)
        c->store->all.v[c->id - 1] = NULL;
    if (c->store)
        drop_memory(c);
    else
        free(c->v);
    tk_vec_release(&c->spilled.pieces);
    tk_vec_release(&c->changes.pieces);
    memset(c, 0, sizeof *c);
}

/* Tight is a disk with less than 256 MiB or an eighth of what it had, or an eighth of what was written. */
static void look_at_disk(struct tk_spill_columns *s)
{
    if (s->capacity && s->written - s->looked < LOOK_EVERY)
        return;
    const uint64_t capacity = tk_spill_space(s->spill);
    s->looked = s->written;
    s->capacity = s->capacity ? s->capacity : capacity;
    const uint64_t least = s->capacity / 8 < SPACE_LEFT ? s->capacity / 8 : SPACE_LEFT;
    s->tight = capacity < least || capacity < s->written / 8;
}

bool tk_spill_columns_are_tight(const struct tk_spill_columns *s)
{
    return s->tight;
}

static bool write_piece(struct tk_spill_columns *s, struct tk_spilled *stream, const void *p, size_t n)
{
    if (s->rc != TK_OK)
        return false;
    if (!s->spill) {
        int rc = tk_spill_open(&s->spill, s->dir, &s->err);
        if (rc != TK_OK)
            return fail(s, rc);
    }
    int rc = tk_spill_write(s->spill, stream, p, n, &s->err);
    if (rc != TK_OK)
        return fail(s, rc);
    s->written += n;
    look_at_disk(s);
    return true;
}

static bool spill_column(struct tk_spill_column *c)
{
    if (c->n && !write_piece(c->store, &c->spilled, c->v, c->n * c->size))
        return false;
    c->first += c->n;
    c->n = 0;
    return true;
}

static bool spill_all(struct tk_spill_columns *s)
{
    while (s->head) {
        if (!spill_column(s->head))
            return false;
        drop_memory(s->head);
    }
    return true;
}

static bool begin_memory(struct tk_spill_column *c)
{
    struct tk_spill_columns *s = c->store;
    if (!c->id) {
        if (s->all.n >= UINT32_MAX - 1 || tk_vec_push(&s->all, c))
            return fail_for_memory(s);
        c->id = (uint32_t)s->all.n;
    }
    c->next = s->head;
    if (s->head)
        s->head->before = &c->next;
    c->before = &s->head;
    s->head = c;
    return true;
}

bool tk_spill_column_make_space(struct tk_spill_column *c)
{
    struct tk_spill_columns *s = c->store;
    if (s->rc != TK_OK)
        return false;
    if (c->n * c->size * 2 > TK_SPILL_COLUMN_PIECE)
        return spill_column(c);
    size_t capacity = c->capacity ? c->capacity * 2 : FIRST_BYTES / c->size ? FIRST_BYTES / c->size : 1;
    if (s->held + (capacity - c->capacity) * c->size > s->budget) {
        if (!spill_all(s))
            return false;
        capacity = FIRST_BYTES / c->size ? FIRST_BYTES / c->size : 1;
    }
    if (!c->v && !begin_memory(c))
        return false;
    uint8_t *v = realloc(c->v, capacity * c->size);
    if (!v) {
        if (!c->v) { /* it is in the list without memory */
            *c->before = c->next;
            if (c->next)
                c->next->before = c->before;
        }
        return fail_for_memory(s);
    }
    s->held += (capacity - c->capacity) * c->size;
    c->v = v;
    c->capacity = capacity;
    return true;
}

bool tk_spill_column_add_bytes(struct tk_spill_column *c, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    while (n) {
        if (c->n == c->capacity && !tk_spill_column_make_space(c))
            return false;
        const size_t now = n < c->capacity - c->n ? n : c->capacity - c->n;
        memcpy(c->v + c->n, bytes, now);
        c->n += now;
        bytes += now;
        n -= now;
    }
    return true;
}

static bool add_change(struct tk_spill_column *c, uint64_t index, const void *record)
{
    struct tk_spill_columns *s = c->store;
    struct change change = {.column = c->id, .order = s->n_changes++, .of.index = index};
    if (s->rc != TK_OK)
        return false;
    memcpy(change.of.record, record, c->size);
    int rc = TK_OK;
    if (!s->changes)
        rc = tk_external_sort_open(&s->changes, s->dir, sizeof change, compare_changes, SORT_BYTES, &s->err);
    if (rc == TK_OK)
        rc = tk_external_sort_add(s->changes, &change, &s->err);
    return rc == TK_OK || fail(s, rc);
}

bool tk_spill_column_change(struct tk_spill_column *c, uint64_t index, const void *record)
{
    void *held = tk_spill_column_held(c, index);
    if (!held)
        return add_change(c, index, record);
    memcpy(held, record, c->size);
    return true;
}

bool tk_spill_column_get(struct tk_spill_column *c, uint64_t index, void *record)
{
    struct tk_spill_columns *s = c->store;
    const void *held = tk_spill_column_held(c, index);
    uint64_t end = c->first;
    if (held) {
        memcpy(record, held, c->size);
        return true;
    }
    size_t i = c->spilled.pieces.n;
    do
        end -= c->spilled.pieces.v[--i].n / c->size;
    while (index < end);
    struct tk_spill_piece one = {c->spilled.pieces.v[i].offset + (index - end) * c->size, c->size};
    const struct tk_spilled part = {.pieces = {&one, 1, 1}};
    int rc = tk_spill_read(s->spill, &part, 0, record, &s->err);
    return rc == TK_OK || fail(s, rc);
}

/* ---- what changed ---- */

struct changes_out {
    uint32_t column;
    size_t n;
    struct tk_spill_column_change v[TK_SPILL_COLUMN_CHANGES];
};

static bool end_changes(struct tk_spill_columns *s, struct changes_out *out)
{
    struct tk_spill_column *c = out->column ? s->all.v[out->column - 1] : NULL;
    const size_t n = out->n * sizeof out->v[0];
    out->n = 0;
    return !n || !c || write_piece(s, &c->changes, out->v, n);
}

static bool deal_changes(struct tk_spill_columns *s, struct changes_out *out)
{
    const void *record;
    int rc;
    while ((rc = tk_external_sort_next(s->changes, &record, &s->err)) == TK_ITEM) {
        const struct change *change = record;
        const bool again =
            out->n && out->column == change->column && out->v[out->n - 1].index == change->of.index;
        if (again)
            out->n--;
        if ((out->column != change->column || out->n == TK_SPILL_COLUMN_CHANGES) && !end_changes(s, out))
            return false;
        out->column = change->column;
        out->v[out->n++] = change->of;
    }
    return rc == TK_OK ? end_changes(s, out) : fail(s, rc);
}

int tk_spill_columns_seal(struct tk_spill_columns *s, struct tk_err *err)
{
    if (s->rc == TK_OK && s->changes) {
        struct changes_out *out = calloc(1, sizeof *out);
        int rc = tk_external_sort_start(s->changes, &s->err);
        if (!out)
            fail_for_memory(s);
        else if (rc != TK_OK)
            fail(s, rc);
        else
            deal_changes(s, out);
        free(out);
        tk_external_sort_close(s->changes);
        s->changes = NULL;
    }
    return tk_spill_columns_error(s, err);
}

struct tk_spill *tk_spill_columns_file(const struct tk_spill_columns *s)
{
    return s->spill;
}
