/*
 * Cells on their way into columns. Batches are taken column by column, each with a loop for its kind.
 */
#include "base/err.h"
#include "base/hash.h"
#include "sink/columns/columns_in.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <math.h>
#include <stdlib.h>

/*
 * A table of texts by their hash, and in front of it one by where they lay: captures give the same text from
 * the same place again and again.
 */

enum { FEWEST_SLOTS = 64 };

int tk_texts_init(struct tk_texts *t, struct tk_err *err)
{
    memset(t, 0, sizeof *t);
    t->slots = calloc(FEWEST_SLOTS, sizeof *t->slots);
    t->mask = FEWEST_SLOTS - 1;
    if (!t->slots || tk_buffer_init(&t->bytes, NULL, err))
        return tk_err_nomem(err, "the texts of a column");
    return TK_OK;
}

void tk_texts_release(struct tk_texts *t)
{
    tk_buffer_release(&t->bytes);
    tk_vec_release(&t->places);
    free(t->slots);
    t->slots = NULL;
}

void tk_texts_clear(struct tk_texts *t)
{
    t->bytes.n = t->places.n = 0;
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    memset(t->recent, 0, sizeof t->recent);
}

static uint32_t failed(struct tk_texts *t)
{
    tk_buffer_fail(&t->bytes, tk_err_nomem(t->bytes.err, "the texts of a column"));
    return 0;
}

static uint32_t keep(struct tk_texts *t, const void *p, uint32_t n, uint64_t hash)
{
    const struct tk_text_place place = {t->bytes.n, n, hash};
    tk_buffer_put(&t->bytes, p, n);
    if (t->bytes.status < 0 || tk_vec_push(&t->places, place))
        return failed(t);
    return (uint32_t)(t->places.n - 1);
}

uint32_t tk_texts_append(struct tk_texts *t, const void *p, uint32_t n)
{
    return keep(t, p, n, 0);
}

/* Twice as many slots; false without memory. */
static bool widen(struct tk_texts *t)
{
    const size_t mask = t->mask * 2 + 1;
    uint32_t *slots = calloc(mask + 1, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < t->places.n; i++) {
        size_t at = t->places.v[i].hash & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->mask = mask;
    return true;
}

static bool is_text(const struct tk_texts *t, uint32_t number, const void *p, uint32_t n)
{
    const struct tk_text_place *place = &t->places.v[number];
    return place->n == n && memcmp(t->bytes.p + place->at, p, n) == 0;
}

static uint32_t find(struct tk_texts *t, const void *p, uint32_t n)
{
    const uint64_t hash = tk_hash_bytes(p, n, 0);
    if (t->places.n * 2 > t->mask && !widen(t))
        return failed(t);
    size_t at = hash & t->mask;
    for (; t->slots[at]; at = (at + 1) & t->mask) {
        const uint32_t number = t->slots[at] - 1;
        if (t->places.v[number].hash == hash && is_text(t, number, p, n))
            return number;
    }
    const uint32_t number = keep(t, p, n, hash);
    if (t->bytes.status == TK_OK)
        t->slots[at] = number + 1;
    return number;
}

uint32_t tk_texts_number(struct tk_texts *t, const void *p, uint32_t n)
{
    const size_t slot = ((uintptr_t)p >> 3 ^ (uintptr_t)p >> 12) % TK_TEXTS_RECENT;
    if (t->bytes.status < 0)
        return 0;
    if (n == 0)
        return find(t, "", 0);
    if (t->recent[slot].p == p && t->recent[slot].n == n && is_text(t, t->recent[slot].number, p, n))
        return t->recent[slot].number;
    const uint32_t number = find(t, p, n);
    t->recent[slot].p = p;
    t->recent[slot].n = n;
    t->recent[slot].number = number;
    return t->bytes.status < 0 ? 0 : number;
}

enum { FEWEST_ROWS = 512 };

#define KIND(kind) (1u << (kind))
#define WHOLE                                                                                                \
    (KIND(TK_BOOL) | KIND(TK_INT) | KIND(TK_UINT) | KIND(TK_HEX) | KIND(TK_TIME) | KIND(TK_DURATION) |       \
     KIND(TK_SIZE))
#define SIGNED (KIND(TK_INT) | KIND(TK_TIME) | KIND(TK_DURATION))
#define REALS  (KIND(TK_REAL32) | KIND(TK_REAL) | KIND(TK_MEAN))

static bool is_kind(const struct tk_cell *c, unsigned kinds)
{
    return c->kind < 32 && (kinds >> c->kind & 1);
}

static enum tk_store store_of(uint8_t kind)
{
    static const uint8_t stores[] = {
        [TK_NONE] = TK_STORE_TEXT,   [TK_BOOL] = TK_STORE_BOOL,  [TK_INT] = TK_STORE_INT,
        [TK_UINT] = TK_STORE_INT,    [TK_HEX] = TK_STORE_INT,    [TK_REAL32] = TK_STORE_FLOAT,
        [TK_REAL] = TK_STORE_REAL,   [TK_TIME] = TK_STORE_INT,   [TK_DURATION] = TK_STORE_INT,
        [TK_MEAN] = TK_STORE_REAL,   [TK_SIZE] = TK_STORE_INT,   [TK_TEXT] = TK_STORE_TEXT,
        [TK_BYTES] = TK_STORE_BYTES, [TK_ARRAY] = TK_STORE_TEXT, [TK_LIST] = TK_STORE_TEXT,
        [TK_RECORD] = TK_STORE_TEXT,
    };
    return kind < sizeof stores ? (enum tk_store)stores[kind] : TK_STORE_TEXT;
}

int tk_group_init(struct tk_group *g, const struct tk_table *table, enum tk_sign (*of)(uint8_t kind),
                  struct tk_err *err)
{
    *g = (struct tk_group){.table = table, .err = err};
    g->columns = calloc(table->n_columns + 1u, sizeof *g->columns);
    g->n_columns = table->n_columns;
    if (!g->columns || tk_buffer_init(&g->json, NULL, err) || tk_buffer_init(&g->clean, NULL, err))
        return tk_err_nomem(err, "a group of rows");
    for (uint32_t i = 0; i < table->n_columns; i++) {
        struct tk_group_column *c = &g->columns[i];
        c->kind = table->columns[i].kind;
        c->store = store_of(c->kind);
        c->sign = of(c->kind);
        if (tk_group_is_text(c) && tk_texts_init(&c->texts, err))
            return TK_ENOMEM;
    }
    return TK_OK;
}

void tk_group_release(struct tk_group *g)
{
    for (uint32_t i = 0; g->columns && i < g->n_columns; i++) {
        tk_texts_release(&g->columns[i].texts);
        free(g->columns[i].values);
        free(g->columns[i].present);
    }
    free(g->columns);
    tk_buffer_release(&g->json);
    tk_buffer_release(&g->clean);
    *g = (struct tk_group){0};
}

static void fail_group(struct tk_group *g, int status)
{
    if (g->status == TK_OK && status < 0)
        g->status = status;
}

/* ---- space ---- */

static bool widen_column(struct tk_group_column *c, size_t cap)
{
    uint64_t *values = realloc(c->values, cap * sizeof *values);
    if (!values)
        return false;
    c->values = values;
    if (!c->present)
        return true;
    uint8_t *present = realloc(c->present, cap);
    if (!present)
        return false;
    c->present = present;
    return true;
}

static bool reserve(struct tk_group *g, size_t rows)
{
    size_t cap = g->cap ? g->cap : FEWEST_ROWS;
    while (cap < g->n + rows)
        cap *= 2;
    if (cap == g->cap)
        return true;
    for (uint32_t i = 0; i < g->n_columns; i++)
        if (!widen_column(&g->columns[i], cap))
            return false;
    g->cap = cap;
    return true;
}

/* ---- one cell that is not the usual one ---- */

static uint64_t set_null(struct tk_group *g, struct tk_group_column *c, size_t row)
{
    if (!c->present) {
        c->present = malloc(g->cap);
        if (!c->present) {
            fail_group(g, tk_err_nomem(g->err, "a group of rows"));
            return 0;
        }
        memset(c->present, 1, g->cap);
    }
    c->present[row] = 0;
    c->n_nulls++;
    return 0;
}

static uint64_t lose(struct tk_group *g, struct tk_group_column *c, size_t row)
{
    c->lost++;
    return set_null(g, c, row);
}

/* A whole number that is none, has its highest bit set, or comes as a real. */
static uint64_t odd_int(struct tk_group *g, struct tk_group_column *c, size_t row, const struct tk_cell *cell)
{
    if (cell->kind == TK_NONE)
        return set_null(g, c, row);
    if (is_kind(cell, WHOLE)) {
        const enum tk_sign sign = is_kind(cell, SIGNED) ? TK_SIGN_MINUS : TK_SIGN_NONE;
        if (c->sign == TK_SIGN_OPEN)
            c->sign = sign;
        return c->sign == sign ? cell->v.u : lose(g, c, row);
    }
    const bool whole = is_kind(cell, REALS) && fabs(cell->v.r) < 0x1p63 && floor(cell->v.r) == cell->v.r &&
                       (cell->v.r >= 0 || c->sign != TK_SIGN_NONE);
    if (!whole)
        return lose(g, c, row);
    if (cell->v.r < 0)
        c->sign = TK_SIGN_MINUS;
    return (uint64_t)(int64_t)cell->v.r;
}

static void put_composed(struct tk_group *g, struct tk_group_column *c, size_t row,
                         const struct tk_cell *cell)
{
    g->json.n = 0;
    tk_json_value(&g->json, &g->clean, cell, TK_UNIT_NS);
    fail_group(g, g->json.status < 0 ? g->json.status : g->clean.status);
    if (g->json.n > UINT32_MAX)
        fail_group(g, tk_err_set(g->err, TK_ELIMIT, "a value is longer than 4 GiB as JSON"));
    if (g->status < 0)
        return;
    c->values[row] = tk_texts_number(&c->texts, g->json.p, (uint32_t)g->json.n);
    c->text_bytes += g->json.n;
}

/* A text that is not valid as it is, or no text. */
static void odd_text(struct tk_group *g, struct tk_group_column *c, size_t row, const struct tk_cell *cell)
{
    if (cell->kind == TK_NONE) {
        c->values[row] = set_null(g, c, row);
    } else if (cell->kind == TK_TEXT) {
        const struct tk_str s = tk_safe_text_clean(&g->clean, tk_cell_text(cell));
        c->values[row] = tk_texts_number(&c->texts, s.p, s.n);
        c->text_bytes += s.n;
        fail_group(g, g->clean.status);
    } else {
        put_composed(g, c, row, cell);
    }
}

/* ---- batches ---- */

static void add_ints(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n)
{
    const size_t stride = g->table->n_columns;
    uint64_t *to = c->values + g->n;
    for (size_t i = 0; i < n; i++, cells += stride) {
        const uint64_t v = cells->v.u;
        to[i] = is_kind(cells, WHOLE) && !(v >> 63) ? v : odd_int(g, c, g->n + i, cells);
    }
}

static void add_bools(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n)
{
    const size_t stride = g->table->n_columns;
    for (size_t i = 0; i < n; i++, cells += stride) {
        const size_t row = g->n + i;
        c->values[row] = cells->kind == TK_BOOL   ? cells->v.u != 0
                         : cells->kind == TK_NONE ? set_null(g, c, row)
                                                  : lose(g, c, row);
    }
}

uint64_t tk_group_bits(double r, bool single)
{
    const float narrow = (float)r;
    uint32_t low;
    uint64_t all;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&all, &r, sizeof all);
    return single ? low : all;
}

static void add_reals(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n)
{
    const size_t stride = g->table->n_columns;
    for (size_t i = 0; i < n; i++, cells += stride) {
        const size_t row = g->n + i;
        c->rounded += tk_cell_rounds(cells);
        if (tk_value_is_number(cells))
            c->values[row] = tk_group_bits(tk_cell_real(cells), c->store == TK_STORE_FLOAT);
        else
            c->values[row] = cells->kind == TK_NONE ? set_null(g, c, row) : lose(g, c, row);
    }
}

static void add_texts(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n)
{
    const size_t stride = g->table->n_columns;
    for (size_t i = 0; i < n; i++, cells += stride) {
        if (cells->kind == TK_TEXT && cells->enc == TK_ENC_UTF8 && c->kind == TK_TEXT) {
            c->values[g->n + i] = tk_texts_number(&c->texts, cells->v.p, cells->n);
            c->text_bytes += cells->n;
        } else {
            odd_text(g, c, g->n + i, cells);
        }
    }
}

static void add_bytes(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n)
{
    const size_t stride = g->table->n_columns;
    for (size_t i = 0; i < n; i++, cells += stride) {
        const size_t row = g->n + i;
        if (cells->kind == TK_BYTES || cells->kind == TK_TEXT) {
            c->values[row] = tk_texts_append(&c->texts, cells->v.p, cells->n);
            c->text_bytes += cells->n;
        } else {
            c->values[row] = cells->kind == TK_NONE ? set_null(g, c, row) : lose(g, c, row);
        }
    }
}

typedef void add_fn(struct tk_group *g, struct tk_group_column *c, const struct tk_cell *cells, size_t n);

int tk_group_add(struct tk_group *g, const struct tk_rows *rows)
{
    static add_fn *const adds[] = {
        [TK_STORE_BOOL] = add_bools, [TK_STORE_INT] = add_ints,   [TK_STORE_FLOAT] = add_reals,
        [TK_STORE_REAL] = add_reals, [TK_STORE_TEXT] = add_texts, [TK_STORE_BYTES] = add_bytes};
    if (g->status == TK_OK && !reserve(g, rows->n))
        fail_group(g, tk_err_nomem(g->err, "a group of rows"));
    for (uint32_t i = 0; i < g->n_columns && g->status == TK_OK; i++) {
        struct tk_group_column *c = &g->columns[i];
        if (c->present)
            memset(c->present + g->n, 1, rows->n);
        adds[c->store](g, c, rows->cells + i, rows->n);
        if (tk_group_is_text(c))
            fail_group(g, c->texts.bytes.status);
    }
    if (g->status == TK_OK)
        g->n += rows->n;
    return g->status;
}

void tk_group_clear(struct tk_group *g)
{
    g->n = 0;
    for (uint32_t i = 0; i < g->n_columns; i++) {
        struct tk_group_column *c = &g->columns[i];
        c->n_nulls = 0;
        c->text_bytes = 0;
        if (tk_group_is_text(c))
            tk_texts_clear(&c->texts);
    }
}

uint64_t tk_group_kept(const struct tk_group *g)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n_columns; i++)
        if (tk_group_is_text(&g->columns[i]))
            sum += g->columns[i].texts.bytes.n;
    return sum;
}

uint64_t tk_group_texts(const struct tk_group *g)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n_columns; i++)
        sum += g->columns[i].text_bytes;
    return sum;
}
