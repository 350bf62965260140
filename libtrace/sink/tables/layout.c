/*
 * Measures, truncates and writes aligned cells. The formats `table` and `text` write their lines with it.
 */
#include "base/err.h"
#include "base/text/text.h"
#include "sink/tables/tables_in.h"

#include <math.h>
#include <string.h>

/*
 * Chooses which columns fit on a terminal, and the colours of cells. The format `table` queries it before it
 * lays out a table.
 */

#define RED     "\x1b[31m"
#define MAGENTA "\x1b[35m" /* yellow cannot be read on white */

enum {
    KEEP_EMPTY = 1,
    KEEP_ZERO,
    KEEP_NUMBER = TK_LAYOUT_SPARE,
    KEEP_SPARE = TK_LAYOUT_OPTIONAL,
    KEEP_OTHER,
    KEEP_TIME = TK_LAYOUT_TIME
};

#define NAMES                    2  /* texts that tell rows apart: never left out */
#define COLUMN_CHOICE_READ_WIDTH 40 /* of what people read, unless it is shorter */

bool tk_column_choice_is_id(const char *name)
{
    static const char *const names[] = {"rank", "line", "sort_hint", "serial", "packets", "unmatched"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return n > 3 && strcmp(name + n - 3, "_id") == 0;
}

/* A text that people read, rather than a name. */
static bool is_read(const struct tk_column *column)
{
    static const char *const names[] = {"text", "message", "path", "url", "help", "cause"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (column->kind == TK_TEXT && strcmp(column->name, names[i]) == 0)
            return true;
    return false;
}

/* A text on the row as a whole, which few rows have. */
static bool is_apart(const struct tk_column *column)
{
    return column->kind == TK_TEXT && strcmp(column->name, "cause") == 0;
}

/* NaN: it is no number. */
static double number_of_column_choice(const struct tk_cell *c)
{
    switch (c->kind) {
    case TK_BOOL:
    case TK_UINT:
    case TK_SIZE:
        return (double)c->v.u;
    case TK_INT:
    case TK_DURATION:
        return (double)c->v.i;
    case TK_REAL:
    case TK_REAL32:
    case TK_MEAN:
        return c->v.r;
    default:
        return NAN;
    }
}

static bool is_empty(const struct tk_cell *c)
{
    return c->kind == TK_NONE || (c->kind == TK_TEXT && c->n == 0);
}

static uint8_t keep_of(const struct tk_result *rows, const struct tk_column *columns, uint32_t column)
{
    const bool spare = columns[column].flags & TK_COL_OPTIONAL;
    size_t n;
    bool empty = true, zero = true;
    tk_result_table(rows, 0, &n);
    for (size_t i = 0; i < n && zero; i++) {
        const struct tk_cell *c = &tk_result_row(rows, 0, i)[column];
        empty &= is_empty(c);
        zero &= is_empty(c) || number_of_column_choice(c) == 0;
    }
    if (empty || zero)
        return empty ? KEEP_EMPTY : KEEP_ZERO;
    return tk_column_choice_is_id(columns[column].name) ? KEEP_NUMBER : spare ? KEEP_SPARE : KEEP_OTHER;
}

static double greatest_of(const struct tk_result *rows, int column)
{
    double greatest = 0;
    size_t n;
    tk_result_table(rows, 0, &n);
    for (size_t i = 0; i < n && column >= 0; i++)
        greatest = fmax(greatest, number_of_column_choice(&tk_result_row(rows, 0, i)[column]));
    return greatest;
}

void tk_column_choice_measure(struct tk_column_choice *look, struct tk_layout *layout,
                              const struct tk_table *table, const struct tk_result *rows)
{
    unsigned names = 0, texts = 0;
    look->by = table->sort_by ? tk_table_column(table, table->sort_by) : -1;
    look->greatest = greatest_of(rows, look->by);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        struct tk_layout_column *c = &layout->columns.v[i];
        c->keep = keep_of(rows, table->columns, i);
        const bool name = table->columns[i].kind == TK_TEXT && c->keep == KEEP_OTHER && names < NAMES;
        const bool read = is_read(&table->columns[i]) && c->keep == KEEP_OTHER;
        if (name || read || (int)i == look->by)
            c->keep = TK_LAYOUT_KEEP;
        c->wraps = read;
        c->apart = read && is_apart(&table->columns[i]);
        c->least = read && !texts ? COLUMN_CHOICE_READ_WIDTH : 0;
        texts += read;
        names += name && !read;
    }
    for (uint32_t i = 0; i < table->n_columns && texts; i++) /* people ask when a text was written */
        if (table->columns[i].kind == TK_TIME && layout->columns.v[i].keep == KEEP_OTHER)
            layout->columns.v[i].keep = KEEP_TIME;
}

const char *tk_column_choice_colour(const struct tk_column_choice *look, const struct tk_table *table,
                                    uint32_t column, const struct tk_cell *cell)
{
    const double v = number_of_column_choice(cell);
    if (cell->kind == TK_BOOL)
        return v > 0 && strcmp(table->columns[column].name, "damage") == 0 ? RED : NULL;
    if (v == 0)
        return TK_COLUMN_CHOICE_FAINT;
    if ((int)column != look->by || !(look->greatest > 0))
        return NULL;
    return v >= look->greatest / 2 ? RED : v >= look->greatest / 10 ? MAGENTA : NULL;
}

#define SHRUNK_WIDTH  16 /* no column is made narrower */
#define NAMED_WIDTH   22 /* nor one that is never left out, to make space for others */
#define READ_WIDTH    32 /* nor one that wraps, to make space for a time */
#define BELOW_WIDTH   40 /* what goes below a row has this or begins at the left */
#define BELOW_INDENT  2
#define ALIGNED_WIDTH 100 /* wider cells do not widen the column when nothing is shortened */

int tk_layout_reset(struct tk_layout *l, size_t n)
{
    l->columns.n = 0;
    l->begun = false;
    l->pending = 0;
    l->indent = 0;
    l->rest.n = 0;
    if (tk_vec_reserve(&l->columns, n))
        return TK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        l->columns.v[i] = (struct tk_layout_column){0};
    l->columns.n = n;
    return TK_OK;
}

void tk_layout_release(struct tk_layout *l)
{
    tk_vec_release(&l->columns);
    tk_vec_release(&l->rest);
}

void tk_layout_measure(struct tk_layout *l, size_t column, const void *p, size_t n)
{
    struct tk_layout_column *c = &l->columns.v[column];
    size_t width = tk_utf8_width(p, n);
    if (width > c->width)
        c->width = c->widest = width;
}

/* How wide columns that shrink are at most: those that wrap, and those that are cut. */
struct caps {
    size_t wrapped, cut;
};

/* Does it take space in the line of a row? */
static bool is_extra(const struct tk_layout_column *c)
{
    return !c->hidden && !c->below;
}

/* The width of a column under the caps. */
static size_t capped(const struct tk_layout_column *c, struct caps caps)
{
    const size_t cap = c->wraps ? caps.wrapped : caps.cut, most = c->least > cap ? c->least : cap;
    return c->shrink && c->width > most ? most : c->width;
}

static size_t line_width(const struct tk_layout *l, struct caps caps)
{
    size_t sum = 0;
    for (size_t i = 0; i < l->columns.n; i++) {
        const struct tk_layout_column *c = &l->columns.v[i];
        if (is_extra(c))
            sum += TK_LAYOUT_GAP + capped(c, caps);
    }
    return sum ? sum - TK_LAYOUT_GAP : 0;
}

/* As narrow as it may become; `tight`: to make space for a time. */
static size_t least_width(const struct tk_layout_column *c, bool tight)
{
    size_t least = c->least ? c->least : c->keep == TK_LAYOUT_KEEP ? NAMED_WIDTH : SHRUNK_WIDTH;
    if (tight)
        least = c->wraps ? READ_WIDTH : SHRUNK_WIDTH;
    return c->shrink && c->width > least ? least : c->width;
}

/* The same of a line. */
static size_t least_line(const struct tk_layout *l, bool tight)
{
    size_t sum = 0;
    for (size_t i = 0; i < l->columns.n; i++)
        sum += is_extra(&l->columns.v[i]) ? TK_LAYOUT_GAP + least_width(&l->columns.v[i], tight) : 0;
    return sum ? sum - TK_LAYOUT_GAP : 0;
}

static struct tk_layout_column *find_least(struct tk_layout *l)
{
    struct tk_layout_column *found = NULL;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        if (!is_extra(c) || c->keep == TK_LAYOUT_KEEP)
            continue;
        if (!found || c->keep <= found->keep)
            found = c;
    }
    return found;
}

/* Of the first column that is never left out, a name, a third of the line is displayed before it is cut. */
static void widen_name(struct tk_layout *l, size_t width)
{
    const size_t share = width / 3;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        if (c->keep != TK_LAYOUT_KEEP || !c->shrink || c->wraps)
            continue;
        if (share > NAMED_WIDTH)
            c->least = share < UINT8_MAX ? (uint8_t)share : UINT8_MAX;
        return;
    }
}

/* Leaves out what informs people least, as long as something would be cut for it. */
static void leave_out_spare(struct tk_layout *l, size_t width)
{
    const struct caps none = {SIZE_MAX, SIZE_MAX};
    while (line_width(l, none) > width) {
        struct tk_layout_column *c = find_least(l);
        if (!c || c->keep > TK_LAYOUT_SPARE)
            return;
        c->hidden = true;
    }
}

/* The column that is `apart`, unless it is left out before all others. */
static struct tk_layout_column *find_apart(struct tk_layout *l)
{
    struct tk_layout_column *found = NULL;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        if (c->apart && !c->hidden && c->keep > TK_LAYOUT_SPARE)
            found = c;
    }
    return found;
}

/* It goes below rows that are too wide with it. A short one is worth more alongside its row than what is
 * optional.
 */
static void put_below(struct tk_layout *l, size_t width)
{
    struct tk_layout_column *apart = find_apart(l);
    size_t wrapping = 0, needed = 0;
    if (!apart)
        return;
    const unsigned spared = apart->width < BELOW_WIDTH ? TK_LAYOUT_OPTIONAL : TK_LAYOUT_SPARE;
    for (size_t i = 0; i < l->columns.n; i++) {
        const struct tk_layout_column *c = &l->columns.v[i];
        if (c->hidden)
            continue;
        wrapping += c->wraps;
        needed += c->keep > spared ? TK_LAYOUT_GAP + c->width : 0;
    }
    if (wrapping == 1 && needed > width + TK_LAYOUT_GAP)
        apart->below = true;
}

void tk_layout_choose(struct tk_layout *l, size_t width)
{
    struct tk_layout_column *c;
    widen_name(l, width);
    put_below(l, width);
    leave_out_spare(l, width);
    while ((c = find_least(l)) && least_line(l, c->keep == TK_LAYOUT_TIME) > width)
        c->hidden = true;
}

/* Where what goes below begins: under the first column that is never left out. */
static void find_indent(struct tk_layout *l, size_t width)
{
    l->indent = 0;
    for (size_t i = 0; i < l->columns.n && l->columns.v[i].keep != TK_LAYOUT_KEEP; i++)
        l->indent += is_extra(&l->columns.v[i]) ? l->columns.v[i].width + TK_LAYOUT_GAP : 0;
    if (l->indent + BELOW_WIDTH > width)
        l->indent = BELOW_INDENT;
}

/* On the narrowest terminals nothing has more than it must: names first, then texts that wrap. */
static void lower_least(struct tk_layout *l, size_t width)
{
    static const struct caps narrowest = {SHRUNK_WIDTH, SHRUNK_WIDTH};
    for (size_t i = 0; line_width(l, narrowest) > width && i < l->columns.n; i++)
        if (!l->columns.v[i].wraps)
            l->columns.v[i].least = 0;
    for (size_t i = 0; i < l->columns.n; i++)
        while (l->columns.v[i].least && line_width(l, narrowest) > width)
            l->columns.v[i].least--;
}

void tk_layout_fit(struct tk_layout *l, size_t width)
{
    size_t cap = width == 0 ? ALIGNED_WIDTH : width < SHRUNK_WIDTH ? SHRUNK_WIDTH : width;
    struct caps caps = {cap, cap};
    l->shorten = width > 0;
    if (width)
        lower_least(l, width);
    while (width && caps.wrapped > SHRUNK_WIDTH && line_width(l, caps) > width)
        caps.wrapped--;
    while (width && caps.cut > SHRUNK_WIDTH && line_width(l, caps) > width)
        caps.cut--;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        c->width = capped(c, caps);
    }
    find_indent(l, width);
    for (size_t i = 0; i < l->columns.n; i++)
        if (l->columns.v[i].below)
            l->columns.v[i].width = width > l->indent + SHRUNK_WIDTH ? width - l->indent : SHRUNK_WIDTH;
}

/* Keeps both ends of a text that is `width` wide and puts dots for the middle. */
static void put_shortened(struct tk_buffer *b, const uint8_t *p, size_t n, size_t width, size_t capacity,
                          bool ascii)
{
    size_t dots = ascii ? 3 : 1;
    size_t head = (capacity - dots + 1) / 2, tail = capacity - dots - head;
    bool cut = false;
    for (size_t at = 0, column = 0, len = 0; at < n; at += len) {
        tk_utf8_next(p + at, n - at, &len);
        size_t next = column + tk_utf8_width(p + at, len);
        if ((!cut && next <= head) || (cut && width - column <= tail)) {
            tk_buffer_put(b, p + at, len);
        } else if (!cut) {
            tk_buffer_text(b, ascii ? "..." : "\xE2\x80\xA6");
            cut = true;
        }
        column = next;
    }
}

/* Is the blank at `at` between a number and its unit ("320 us", "63.9 %")? These stay together. */
static bool is_before_unit(const char *p, size_t n, size_t at)
{
    static const char *const units[] = {"ns", "us", "ms", "s", "%", "B", "KiB", "MiB", "GiB", "TiB"};
    if (at == 0 || p[at] != ' ' || p[at - 1] < '0' || p[at - 1] > '9')
        return false;
    size_t length = 0;
    while (at + 1 + length < n && !strchr(" ,;)", p[at + 1 + length]))
        length++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == length && memcmp(p + at + 1, units[i], length) == 0)
            return true;
    return false;
}

/* Bytes of a text that go into `space` columns: up to the last place for a break, of a path where the words
 * before it leave most of the line empty, else as many as there is space for. */
static size_t fitting(const char *p, size_t n, size_t capacity)
{
    size_t good = 0, word = 0, step = 0;
    for (size_t i = 0, len, column = 0; i < n; i += len) {
        tk_utf8_next((const uint8_t *)p + i, n - i, &len);
        column += tk_utf8_width(p + i, len);
        if (column > capacity) {
            if (p[i] == ' ' && i + len < n && !is_before_unit(p, n, i)) /* the blank itself is not put */
                return i + len;
            good = step > word && word < i / 2 ? step : word;
            return good ? good : i ? i : len;
        }
        if (strchr(" ,;", p[i]) && !is_before_unit(p, n, i))
            word = i + len;
        if (p[i] == '/' || p[i] == '\\')
            step = i + len;
    }
    return n;
}

/* Where a column begins. */
static size_t place_of(const struct tk_layout *l, size_t column)
{
    size_t at = 0;
    for (size_t i = 0; i < column; i++)
        at += is_extra(&l->columns.v[i]) ? l->columns.v[i].width + TK_LAYOUT_GAP : 0;
    return at;
}

/* Puts what has space, without blanks at the end; how many bytes that were, with them. */
static size_t put_part(struct tk_buffer *b, const char *p, size_t n, size_t capacity)
{
    const size_t part = fitting(p, n, capacity), blanks = part < n && p[part - 1] == ' ';
    tk_buffer_put(b, p, part - blanks);
    return part;
}

/* What of a text is put in this line; the rest is kept for the next ones. */
static size_t keep_rest(struct tk_layout *l, struct tk_layout_column *c, const char *p, size_t n)
{
    const size_t part = c->below ? 0 : fitting(p, n, c->width), left = n - part;
    if (tk_vec_reserve(&l->rest, l->rest.n + left))
        return n; /* it sticks out */
    c->rest = l->rest.n;
    c->n_rest = left;
    memcpy(l->rest.v + l->rest.n, p + part, left);
    l->rest.n += left;
    return part > 1 && p[part - 1] == ' ' ? part - 1 : part;
}

/* A further line of the texts that go on. */
static void put_rest(struct tk_layout *l, struct tk_buffer *b)
{
    size_t at = 0;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        if (!c->n_rest)
            continue;
        const size_t place = c->below ? l->indent : place_of(l, i);
        const char *p = l->rest.v + c->rest;
        tk_buffer_fill(b, ' ', place - at);
        const size_t part = put_part(b, p, c->n_rest, c->width);
        at = place + tk_utf8_width(p, part - (part < c->n_rest && p[part - 1] == ' '));
        c->rest += part;
        c->n_rest -= part;
    }
    tk_buffer_char(b, '\n');
}

void tk_layout_put(struct tk_layout *l, struct tk_buffer *b, size_t column, const void *p, size_t n)
{
    struct tk_layout_column *c = &l->columns.v[column];
    size_t width = tk_utf8_width(p, n);
    if (c->below) {
        if (keep_rest(l, c, p, n))
            tk_buffer_fail(b, tk_err_nomem(b->err, "a text below a row"));
        return;
    }
    if (l->shorten && c->wraps && width > c->width) {
        n = keep_rest(l, c, p, n);
        width = tk_utf8_width(p, n);
    }
    bool shorten = l->shorten && c->shrink && !c->wraps && width > c->width;
    size_t used = shorten ? c->width : width;
    size_t pad = used < c->width ? c->width - used : 0;
    if (l->begun)
        l->pending += TK_LAYOUT_GAP;
    l->begun = true;
    if (c->right)
        l->pending += pad;
    if (n) {
        tk_buffer_fill(b, ' ', l->pending);
        l->pending = 0;
    }
    if (shorten)
        put_shortened(b, p, n, width, c->width, l->ascii);
    else
        tk_buffer_put(b, p, n);
    if (!c->right)
        l->pending += pad;
}

void tk_layout_wrap(struct tk_buffer *b, size_t at, size_t width, const char *p, size_t n)
{
    const size_t capacity = width > at + SHRUNK_WIDTH ? width - at : SHRUNK_WIDTH;
    while (n) {
        const size_t part = put_part(b, p, n, capacity);
        p += part;
        n -= part;
        if (n) {
            tk_buffer_char(b, '\n');
            tk_buffer_fill(b, ' ', at);
        }
    }
}

static bool goes_on(const struct tk_layout *l)
{
    for (size_t i = 0; i < l->columns.n; i++)
        if (l->columns.v[i].n_rest)
            return true;
    return false;
}

void tk_layout_line(struct tk_layout *l, struct tk_buffer *b)
{
    l->begun = false;
    l->pending = 0;
    tk_buffer_char(b, '\n');
    while (l->rest.n && goes_on(l))
        put_rest(l, b);
    l->rest.n = 0;
}
