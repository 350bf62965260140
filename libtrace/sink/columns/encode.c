/*
 * Plain values, runs and packed groups, and the numbers of a dictionary.
 */
#include "base/bits.h"
#include "base/hash.h"
#include "sink/columns/columns_in.h"
#include "sink/write/value.h"

/*
 * DELTA_BINARY_PACKED: blocks of 128 differences in four packed parts. Differences wrap at 64 bits.
 */

enum { BLOCK = 128, PARTS = 4, PART = BLOCK / PARTS };

static uint64_t zigzag(uint64_t v)
{
    return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}

static unsigned width_above(const uint64_t *v)
{
    uint64_t all = 0;
    for (size_t i = 0; i < PART; i++)
        all |= v[i];
    return all ? tk_width_of(all) : 0;
}

/* d: n (1 to BLOCK) differences, behind them space. */
static void put_block(struct tk_buffer *b, uint64_t d[BLOCK], size_t n)
{
    int64_t least = INT64_MAX;
    unsigned widths[PARTS] = {0};
    for (size_t i = 0; i < n; i++)
        least = (int64_t)d[i] < least ? (int64_t)d[i] : least;
    for (size_t i = 0; i < n; i++)
        d[i] -= (uint64_t)least;
    memset(d + n, 0, (BLOCK - n) * sizeof *d);
    tk_pb_number(b, zigzag((uint64_t)least));
    for (size_t part = 0; part < PARTS; part++) {
        widths[part] = part * PART < n ? width_above(d + part * PART) : 0;
        tk_buffer_char(b, (char)widths[part]);
    }
    for (size_t i = 0; i < n; i += 8) { /* a part that has begun is filled up */
        const unsigned width = widths[i / PART];
        const size_t end = n <= i + 8 ? (i / PART + 1) * PART : i + 8;
        for (size_t k = i; k < end; k += 8) {
            tk_pack_8(tk_buffer_space(b, TK_BUFFER_SMALL), d + k, width);
            b->n += width;
        }
    }
}

void tk_delta_packed(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint64_t d[BLOCK];
    tk_pb_number(b, BLOCK);
    tk_pb_number(b, PARTS);
    tk_pb_number(b, n);
    tk_pb_number(b, n ? zigzag(v[0]) : 0);
    for (size_t i = 1; i < n && b->status == TK_OK;) {
        const size_t some = n - i < BLOCK ? n - i : BLOCK;
        for (size_t k = 0; k < some; k++)
            d[k] = v[i + k] - v[i + k - 1];
        put_block(b, d, some);
        i += some;
    }
}

/*
 * The keys of the metadata, tracekit.*, and their values.
 */

/* A list of objects, one a column. */
static void put_columns(struct tk_buffer *b, const struct tk_table *table)
{
    struct tk_json j = tk_json_into(b);
    tk_json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const struct tk_column *c = &table->columns[i];
        tk_json_open(&j, NULL, '{');
        tk_json_c(&j, "name", c->name);
        tk_json_c(&j, "kind", tk_column_kind_name(c->kind));
        tk_json_c(&j, "unit", tk_column_unit_name(c, table->unit));
        tk_json_c(&j, "help", c->help ? c->help : "");
        tk_json_close(&j);
    }
    tk_json_close(&j);
}

/* How many cells of which column could not be held; {} where all could. */
static void put_lost(struct tk_buffer *b, const struct tk_table *table, const struct tk_group_column *columns)
{
    struct tk_json j = tk_json_into(b);
    tk_json_open(&j, NULL, '{');
    for (uint32_t i = 0; columns && i < table->n_columns; i++)
        if (columns[i].lost)
            tk_json_u64(&j, table->columns[i].name, columns[i].lost);
    tk_json_close(&j);
}

static void add(struct tk_said *s, const char *key, const char *value, size_t n)
{
    s->pairs[s->n].key = key;
    s->pairs[s->n].value = value;
    s->pairs[s->n++].n = n;
}

int tk_said_init(struct tk_said *s, const struct tk_table *table, const struct tk_group_column *columns,
                 const char *source, struct tk_buffer *to)
{
    *s = (struct tk_said){.n = 0};
    if (tk_buffer_init_scratch(&s->text, to))
        return TK_ENOMEM;
    put_columns(&s->text, table);
    const size_t end = s->text.n;
    put_lost(&s->text, table, columns);
    const size_t lost = s->text.n;
    tk_buffer_u64(&s->text, table->schema ? table->schema : 1);
    if (s->text.status < 0)
        return s->text.status;
    add(s, "tracekit.version", TK_VERSION, strlen(TK_VERSION));
    add(s, "tracekit.table", table->name, strlen(table->name));
    add(s, "tracekit.schema", s->text.p + lost, s->text.n - lost);
    add(s, "tracekit.unit", table->unit == TK_UNIT_CYCLES ? "cycles" : "ns",
        table->unit == TK_UNIT_CYCLES ? 6 : 2);
    if (source)
        add(s, "tracekit.capture", source, strlen(source));
    add(s, "tracekit.columns", s->text.p, end);
    if (lost > end + 2)
        add(s, "tracekit.lost", s->text.p + end, lost - end);
    return TK_OK;
}

void tk_said_release(struct tk_said *s)
{
    tk_buffer_release(&s->text);
}

enum {
    MOST_GROUPS = 63, /* of one packed run: its header is then one byte */
    MOST_WIDTH = 32
};

unsigned tk_width_of(uint64_t v)
{
    return v ? 64 - tk_zeros_above(v) : 1;
}

/* Space for n bytes at once; NULL when it cannot be had. */
static char *reserve(struct tk_buffer *b, size_t n)
{
    while (b->status == TK_OK && b->cap - b->n < n)
        tk_buffer_make(b, n);
    return b->status == TK_OK ? b->p + b->n : NULL;
}

void tk_plain_bits(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    char *p = reserve(b, n / 8 + 1);
    if (!p)
        return;
    memset(p, 0, n / 8 + 1);
    for (size_t i = 0; i < n; i++)
        p[i / 8] = (char)((uint8_t)p[i / 8] | (v[i] & 1) << i % 8);
    b->n += (n + 7) / 8;
}

void tk_plain_u32(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint8_t *p = (uint8_t *)reserve(b, 4 * n);
    for (size_t i = 0; p && i < n; i++)
        for (unsigned k = 0; k < 4; k++)
            p[4 * i + k] = (uint8_t)(v[i] >> 8 * k);
    b->n += p ? 4 * n : 0;
}

void tk_plain_u64(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint8_t *p = (uint8_t *)reserve(b, 8 * n);
    for (size_t i = 0; p && i < n; i++)
        for (unsigned k = 0; k < 8; k++)
            p[8 * i + k] = (uint8_t)(v[i] >> 8 * k);
    b->n += p ? 8 * n : 0;
}

/* A packed run that has been begun; its header is known when it ends. */
struct packed {
    size_t header; /* where it stands */
    unsigned groups;
};

static void end_packed(struct tk_buffer *b, struct packed *run)
{
    if (run->groups && b->status == TK_OK)
        b->p[run->header] = (char)(run->groups << 1 | 1);
    run->groups = 0;
}

static void put_group(struct tk_buffer *b, struct packed *run, const uint64_t v[8], unsigned width)
{
    if (run->groups == MOST_GROUPS)
        end_packed(b, run);
    if (run->groups == 0) {
        run->header = b->n;
        tk_buffer_char(b, 0);
    }
    tk_pack_8(tk_buffer_space(b, MOST_WIDTH), v, width);
    b->n += width;
    run->groups++;
}

static size_t equal_from(const uint64_t *v, size_t n)
{
    size_t same = 1;
    while (same < n && v[same] == v[0])
        same++;
    return same;
}

static void put_run(struct tk_buffer *b, uint64_t v, size_t times, unsigned width)
{
    tk_pb_number(b, (uint64_t)times << 1);
    for (unsigned k = 0; k < width; k += 8)
        tk_buffer_char(b, (char)(v >> k));
}

void tk_run_packed(struct tk_buffer *b, const uint64_t *v, size_t n, unsigned width)
{
    struct packed run = {0, 0};
    for (size_t i = 0; i < n && b->status == TK_OK;) {
        const size_t same = equal_from(v + i, n - i);
        if (same >= 8) {
            end_packed(b, &run);
            put_run(b, v[i], same, width);
            i += same;
        } else {
            uint64_t last[8] = {0}; /* only the last group may be filled up */
            const size_t some = n - i < 8 ? n - i : 8;
            if (some < 8)
                memcpy(last, v + i, some * sizeof *v);
            put_group(b, &run, some < 8 ? last : v + i, width);
            i += some;
        }
    }
    end_packed(b, &run);
}

enum { FREE = 64 }; /* so many may differ whatever comes */

static uint64_t place_of(struct tk_numbers *d, uint64_t v)
{
    size_t at = tk_hash_u64(v) % TK_NUMBERS_SLOTS;
    while (d->slots[at].round == d->round) {
        if (d->list[d->slots[at].place] == v)
            return d->slots[at].place;
        at = (at + 1) % TK_NUMBERS_SLOTS;
    }
    if (d->n < TK_NUMBERS_MOST) {
        d->slots[at].round = d->round;
        d->slots[at].place = (uint32_t)d->n;
        d->list[d->n] = v;
    }
    return d->n++;
}

bool tk_numbers_find(struct tk_numbers *d, const uint64_t *v, size_t n, uint64_t *places)
{
    const size_t most = FREE + n / 4 < TK_NUMBERS_MOST ? FREE + n / 4 : TK_NUMBERS_MOST;
    uint64_t last = 0;
    d->n = 0;
    if (++d->round == 0) { /* it begins again: what stands there is older */
        memset(d->slots, 0, sizeof d->slots);
        d->round = 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i] != v[i - 1])
            last = place_of(d, v[i]);
        if (d->n > most)
            return false;
        places[i] = last;
    }
    return true;
}
