/*
 * CSV and TSV. RFC 4180 with LF unless requested otherwise: a field that holds the separator, a quote, CR or
 * LF is quoted, quotes inside are doubled; TSV is the same with the tab as separator. Several tables are
 * parted by an empty line.
 *
 * Empty fields are missing values. A row of a single empty field is written as "" so that it is no empty
 * line. Texts that are not valid Unicode get U+FFFD.
 */
#include "base/cursor.h"
#include "base/text/copy.h"
#include "sink/tables/writer.h"
#include "sink/write/value.h"
#include "table/cell.h"

struct csv {
    char separator;
    bool special[256]; /* bytes that make a field quoted */
    bool check[256];   /* those and all outside ASCII */
};

static void open_csv(struct tk_writer *w, char separator)
{
    struct csv *s = w->state;
    s->separator = separator;
    s->special[(uint8_t)separator] = s->special['"'] = s->special['\r'] = s->special['\n'] = true;
    for (unsigned i = 0; i < 256; i++)
        s->check[i] = s->special[i] || i >= 0x80;
    if (w->opt.bom)
        tk_buffer_text(&w->out, "\xEF\xBB\xBF");
}

static void csv_open(struct tk_writer *w)
{
    open_csv(w, ',');
}

static void tsv_open(struct tk_writer *w)
{
    open_csv(w, '\t');
}

static void end_line(struct tk_writer *w)
{
    if (w->opt.crlf)
        tk_buffer_char(&w->out, '\r');
    tk_buffer_char(&w->out, '\n');
}

/* Of eight bytes those that are the byte, as their highest bits; where there are none it is exact. */
static inline uint64_t equal_to(uint64_t word, uint8_t byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), x = word ^ ones * byte;
    return (x - ones) & ~x;
}

/* Has none of eight bytes to be looked at: control characters, quotes, separators, and all outside ASCII. */
static inline bool are_plain(uint64_t word, char separator)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t odd =
        word | ((word - ones * 0x20) & ~word) | equal_to(word, '"') | equal_to(word, (uint8_t)separator);
    return !(odd & ones << 7);
}

/* As any_of(csv->check, s), most of it eight bytes at a time. */
static bool any_checked(const struct csv *csv, struct tk_str s)
{
    uint32_t i = 0;
    while (s.n - i >= 8 && are_plain(tk_load64((const uint8_t *)s.p + i), csv->separator))
        i += 8;
    for (; i < s.n; i++)
        if (csv->check[(uint8_t)s.p[i]])
            return true;
    return false;
}

static bool any_of(const bool *class, struct tk_str s)
{
    for (uint32_t i = 0; i < s.n; i++)
        if (class[(uint8_t)s.p[i]])
            return true;
    return false;
}

/* An apostrophe keeps spreadsheets from it. */
static bool looks_like_formula(struct tk_str s)
{
    return tk_looks_like_formula(s.p, s.n);
}

static struct tk_str guarded(struct tk_writer *w, struct tk_str s)
{
    struct tk_buffer *b = &w->scratch;
    b->n = 0;
    tk_buffer_char(b, '\'');
    tk_buffer_put(b, s.p, s.n);
    return (struct tk_str){.p = b->p, .n = (uint32_t)b->n};
}

static void put_text_csv(struct tk_writer *w, struct tk_str s)
{
    const struct csv *csv = w->state;
    const bool plain = s.enc == TK_ENC_UTF8 && !any_checked(csv, s);
    if (!plain)
        s = tk_safe_text_clean(&w->clean, s);
    const bool guard = w->opt.guard && looks_like_formula(s);
    if (guard)
        s = guarded(w, s);
    if (!plain && any_of(csv->special, s))
        tk_buffer_quoted(&w->out, s);
    else
        tk_buffer_put(&w->out, s.p, s.n);
}

static void put_composite(struct tk_writer *w, const struct tk_cell *c, enum tk_unit unit)
{
    struct tk_buffer *b = &w->scratch;
    b->n = 0;
    tk_buffer_char(b, '\'');
    tk_value_put(b, c, unit, 0);
    struct tk_str s = {.p = b->p + 1, .n = (uint32_t)b->n - 1};
    const struct csv *csv = w->state;
    if (w->opt.guard && looks_like_formula(s))
        s = (struct tk_str){.p = b->p, .n = (uint32_t)b->n};
    if (any_of(csv->special, s))
        tk_buffer_quoted(&w->out, s);
    else
        tk_buffer_put(&w->out, s.p, s.n);
}

static void put_cell_csv(struct tk_writer *w, const struct tk_cell *c, enum tk_unit unit)
{
    if (tk_value_is_number(c))
        tk_value_number(&w->out, c, unit);
    else if (c->kind == TK_TEXT)
        put_text_csv(w, tk_cell_text(c));
    else if (c->kind != TK_NONE)
        put_composite(w, c, unit);
}

static void csv_begin(struct tk_writer *w, const struct tk_table *table)
{
    const struct csv *csv = w->state;
    if (w->tables)
        end_line(w);
    if (w->opt.no_header)
        return;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        if (i)
            tk_buffer_char(&w->out, csv->separator);
        put_text_csv(w, (struct tk_str){.p = name, .n = (uint32_t)strlen(name)});
    }
    end_line(w);
}

static bool is_empty(const struct tk_cell *c)
{
    return c->kind == TK_NONE || (c->kind == TK_TEXT && c->n == 0);
}

static void csv_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    const char separator = ((const struct csv *)w->state)->separator;
    const struct tk_cell *c = rows->cells;
    for (size_t row = 0; row < rows->n; row++) {
        if (table->n_columns == 1 && is_empty(c))
            tk_buffer_text(&w->out, "\"\"");
        for (uint32_t i = 0; i < table->n_columns; i++, c++) {
            if (i)
                tk_buffer_char(&w->out, separator);
            put_cell_csv(w, c, table->unit);
        }
        end_line(w);
    }
}

const struct tk_writer_format tk_csv_format = {.name = "csv",
                                               .state_size = sizeof(struct csv),
                                               .apart = true,
                                               .open = csv_open,
                                               .begin = csv_begin,
                                               .rows = csv_rows};

const struct tk_writer_format tk_tsv_format = {.name = "tsv",
                                               .state_size = sizeof(struct csv),
                                               .apart = true,
                                               .open = tsv_open,
                                               .begin = csv_begin,
                                               .rows = csv_rows};
