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

static bool sort_change(struct tk_spill_columns *s, const struct change *change)
{
    int rc = TK_OK;
    if (!s->changes)
        rc = tk_external_sort_open(&s->changes, s->dir, sizeof *change, compare_changes, SORT_BYTES, &s->err);
    if (rc == TK_OK)
        rc = tk_external_sort_add(s->changes, change, &s->err);
    return rc == TK_OK || fail(s, rc);
}

static bool add_change(struct tk_spill_column *c, uint64_t index, const void *record)
{
    struct tk_spill_columns *s = c->store;
    struct change change = {.column = c->id, .order = ++s->n_changes, .of.index = index};
    if (s->rc != TK_OK)
        return false;
    memcpy(change.of.record, record, c->size);
    return sort_change(s, &change);
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

static bool take_piece_back(struct tk_spill_column *c, size_t i, struct tk_spill_column_change *space)
{
    struct tk_spill_columns *s = c->store;
    const size_t n = c->changes.pieces.v[i].n / sizeof *space;
    const int rc = tk_spill_read(s->spill, &c->changes, i, space, &s->err);
    if (rc != TK_OK)
        return fail(s, rc);
    for (size_t k = 0; k < n; k++) {
        const struct change change = {.column = c->id, .order = 0, .of = space[k]};
        if (!sort_change(s, &change))
            return false;
    }
    return true;
}

/* What was sealed before is sorted with what has changed since, which counts. */
static bool take_back(struct tk_spill_columns *s)
{
    struct tk_spill_column_change *space = malloc(TK_SPILL_COLUMN_CHANGES * sizeof *space);
    bool good = space != NULL;
    for (size_t k = 0; good && k < s->all.n; k++) {
        struct tk_spill_column *c = s->all.v[k];
        for (size_t i = 0; good && c && i < c->changes.pieces.n; i++)
            good = take_piece_back(c, i, space);
        if (good && c)
            tk_vec_release(&c->changes.pieces);
    }
    free(space);
    return good || (space ? false : fail_for_memory(s));
}

int tk_spill_columns_seal(struct tk_spill_columns *s, struct tk_err *err)
{
    if (s->rc == TK_OK && s->changes && take_back(s)) {
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

/*
 * Reads a column from its first record to its last, with what changed in records that were spilled.
 * spill_column.c wrote it.
 */

void tk_spill_column_reading_open(struct tk_spill_column_reading *r, const struct tk_spill_column *c,
                                  struct tk_err *err)
{
    memset(r, 0, sizeof *r);
    r->column = c;
    r->err = err;
}

void tk_spill_column_reading_close(struct tk_spill_column_reading *r)
{
    free(r->capacity);
    free(r->changed);
    memset(r, 0, sizeof *r);
}

/* The next piece, or what is in memory behind the last one: TK_ITEM, TK_OK at the end. */
static int next_piece(struct tk_spill_column_reading *r)
{
    const struct tk_spill_column *c = r->column;
    const size_t pieces = c->spilled.pieces.n;
    r->at = 0;
    if (r->piece > pieces)
        return TK_OK;
    if (r->piece == pieces) {
        r->piece++;
        r->v = c->v;
        r->n = c->n * c->size;
        return r->n ? TK_ITEM : TK_OK;
    }
    r->n = c->spilled.pieces.v[r->piece].n;
    if (!r->capacity && !(r->capacity = malloc(TK_SPILL_COLUMN_PIECE)))
        return tk_err_nomem(r->err, "recorded data");
    r->v = r->capacity;
    int rc = tk_spill_read(tk_spill_columns_file(c->store), &c->spilled, r->piece++, r->capacity, r->err);
    return rc == TK_OK ? TK_ITEM : rc;
}

enum { CHANGE = sizeof(struct tk_spill_column_change) }; /* bytes */

static int next_changes(struct tk_spill_column_reading *r)
{
    const struct tk_spill_column *c = r->column;
    r->n_changed = r->changed_at = 0;
    if (r->changed_piece == c->changes.pieces.n)
        return TK_OK;
    r->n_changed = c->changes.pieces.v[r->changed_piece].n;
    if (!r->changed && !(r->changed = malloc((size_t)TK_SPILL_COLUMN_CHANGES * CHANGE)))
        return tk_err_nomem(r->err, "recorded data");
    return tk_spill_read(tk_spill_columns_file(c->store), &c->changes, r->changed_piece++, r->changed,
                         r->err);
}

/* Lays the change of this record over it, where there is one. */
static int lay_over(struct tk_spill_column_reading *r, const void **record)
{
    struct tk_spill_column_change change;
    if (r->changed_at == r->n_changed) {
        int rc = next_changes(r);
        if (rc != TK_OK || r->n_changed == 0)
            return rc;
    }
    memcpy(&change, r->changed + r->changed_at, sizeof change);
    if (change.index != r->index)
        return TK_OK;
    r->changed_at += sizeof change;
    memcpy(r->record, change.record, r->column->size);
    *record = r->record;
    return TK_OK;
}

int tk_spill_column_read(struct tk_spill_column_reading *r, const void **record)
{
    while (r->at == r->n) {
        int rc = next_piece(r);
        if (rc != TK_ITEM)
            return rc;
    }
    *record = r->v + r->at;
    r->at += r->column->size;
    if (r->column->changes.pieces.n) {
        int rc = lay_over(r, record);
        if (rc != TK_OK)
            return rc;
    }
    r->index++;
    return TK_ITEM;
}

int tk_spill_column_read_bytes(struct tk_spill_column_reading *r, size_t most, const uint8_t **p, size_t *n)
{
    while (r->at == r->n) {
        int rc = next_piece(r);
        if (rc != TK_ITEM)
            return rc;
    }
    *n = most < r->n - r->at ? most : r->n - r->at;
    *p = r->v + r->at;
    r->at += *n;
    return TK_ITEM;
}
