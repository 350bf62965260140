/*
 * Rows made of an input.
 */
#include "made_rows.h"

#include <stdlib.h>
#include <string.h>

enum { FEW, RISING, ANY, SAME, MODES };

static const uint8_t kinds[] = {TK_BOOL, TK_INT,  TK_UINT,     TK_HEX,  TK_REAL,
                                TK_TIME, TK_SIZE, TK_DURATION, TK_TEXT, TK_BYTES};
static const char *const names[MADE_COLUMNS] = {"a", "b", "c", "d", "e", "f"};

/* One column's values: what the input says of them, then numbers that follow from it. */
struct source {
    uint8_t kind, mode, holes; /* holes: of 256 cells so many are missing */
    uint64_t state, last, different;
};

static uint64_t next_number(struct source *s)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return s->state >> 32 ^ s->state << 24;
}

static uint64_t next_value(struct source *s)
{
    const uint64_t v = next_number(s);
    switch (s->mode) {
    case FEW:
        return v % s->different * UINT64_C(0x9e3779b97f4a7c15) >> s->different % 60;
    case RISING:
        return s->last += v % (s->different + 1);
    case ANY:
        return v >> (v & 63);
    default:
        return s->different;
    }
}

static struct tk_cell text_cell(struct source *s, char *to)
{
    static const char *const letters[] = {"a", "b", "\xc3\xa9", " ", "\"", "\xf0\x9f\x98\x80", "", "\x01"};
    uint64_t v = next_value(s);
    uint32_t n = 0;
    for (unsigned i = 0; i < 5; i++, v >>= 3) {
        const char *letter = letters[v & 7];
        memcpy(to + n, letter, strlen(letter));
        n += (uint32_t)strlen(letter);
    }
    return (struct tk_cell){.kind = s->kind, .enc = TK_ENC_UTF8, .n = n, .v.p = to};
}

static struct tk_cell made(struct source *s, char *to)
{
    struct tk_cell cell = {.kind = s->kind};
    if ((next_number(s) & 255) < s->holes)
        return (struct tk_cell){.kind = TK_NONE};
    if (s->kind == TK_TEXT || s->kind == TK_BYTES)
        return text_cell(s, to);
    if (s->kind == TK_REAL)
        cell.v.r = (double)(int64_t)next_value(s) / 8;
    else if (s->kind == TK_BOOL)
        cell.v.u = next_value(s) & 1;
    else
        cell.v.u = next_value(s);
    return cell;
}

void made_of(struct made *m, const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct source sources[MADE_COLUMNS];
    const uint32_t n = 1 + fuzz_u8(&in) % MADE_COLUMNS;
    *m = (struct made){.n_rows = (size_t)fuzz_uint(&in, 2) % (MADE_ROWS + 1)};
    for (uint32_t i = 0; i < n; i++) {
        struct source *s = &sources[i];
        *s = (struct source){.kind = kinds[fuzz_u8(&in) % sizeof kinds],
                             .mode = fuzz_u8(&in) % MODES,
                             .holes = fuzz_u8(&in),
                             .different = 1 + fuzz_uint(&in, 2),
                             .state = fuzz_uint(&in, 4)};
        s->holes = s->holes < 128 ? 0 : (uint8_t)(2 * (s->holes - 128));
        m->columns[i] = (struct tk_column){.name = names[i], .kind = s->kind, .help = "A column."};
    }
    m->table = (struct tk_table){.name = "made", .help = "Rows.", .columns = m->columns, .n_columns = n};
    m->cells = calloc(m->n_rows * n + 1, sizeof *m->cells);
    m->texts = malloc(m->n_rows * n * MADE_BYTES + 1);
    fuzz_promise(m->cells && m->texts, "memory");
    for (size_t i = 0; i < m->n_rows * n; i++)
        m->cells[i] = made(&sources[i % n], m->texts + i * MADE_BYTES);
}

void made_free(struct made *m)
{
    free(m->cells);
    free(m->texts);
}

const struct tk_cell *made_cell(const struct made *m, size_t row, uint32_t column)
{
    return &m->cells[row * m->table.n_columns + column];
}

uint64_t made_bits(const struct made *m, size_t row, uint32_t column)
{
    const struct tk_cell *cell = made_cell(m, row, column);
    uint64_t bits = cell->v.u;
    if (cell->kind == TK_REAL)
        memcpy(&bits, &cell->v.r, sizeof bits);
    return bits;
}

bool made_text(const struct made *m, uint32_t column)
{
    return m->columns[column].kind == TK_TEXT || m->columns[column].kind == TK_BYTES;
}

void made_send(const struct made *m, void (*take)(void *to, const struct tk_rows *rows), void *to)
{
    for (size_t done = 0, some = 1; done < m->n_rows; done += some, some = some * 3 % 1000 + 1) {
        some = some < m->n_rows - done ? some : m->n_rows - done;
        take(to, &(struct tk_rows){some, m->cells + done * m->table.n_columns});
    }
}
