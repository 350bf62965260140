/*
 * Measures, truncates and writes aligned cells. The formats `table` and `text` write their lines with it.
 */
#include "sink/tables/layout.h"

#include "base/text/text.h"

#include <string.h>

#define SHRUNK_WIDTH  16  /* no column is made narrower */
#define NAMED_WIDTH   22  /* nor one that is never left out, to make room for others */
#define ALIGNED_WIDTH 100 /* wider cells do not widen the column when nothing is shortened */

int tk_layout_reset(struct tk_layout *l, size_t n)
{
    l->columns.n = 0;
    l->begun = false;
    l->pending = 0;
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
}

void tk_layout_measure(struct tk_layout *l, size_t column, const void *p, size_t n)
{
    struct tk_layout_column *c = &l->columns.v[column];
    size_t width = tk_utf8_width(p, n);
    if (width > c->width)
        c->width = c->widest = width;
}

/* The width of a column where those that shrink have at most `cap`. */
static size_t capped(const struct tk_layout_column *c, size_t cap)
{
    const size_t most = c->least > cap ? c->least : cap;
    return c->shrink && c->width > most ? most : c->width;
}

static size_t line_width(const struct tk_layout *l, size_t cap)
{
    size_t sum = 0;
    for (size_t i = 0; i < l->columns.n; i++) {
        const struct tk_layout_column *c = &l->columns.v[i];
        if (!c->hidden)
            sum += TK_LAYOUT_GAP + capped(c, cap);
    }
    return sum ? sum - TK_LAYOUT_GAP : 0;
}

/* As narrow as it may become. */
static size_t least_width(const struct tk_layout_column *c)
{
    const size_t least = c->least ? c->least : c->keep == TK_LAYOUT_KEEP ? NAMED_WIDTH : SHRUNK_WIDTH;
    return c->shrink && c->width > least ? least : c->width;
}

static struct tk_layout_column *find_least(struct tk_layout *l)
{
    struct tk_layout_column *found = NULL;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        if (c->hidden || c->keep == TK_LAYOUT_KEEP)
            continue;
        if (!found || c->keep < found->keep ||
            (c->keep == found->keep && least_width(c) >= least_width(found)))
            found = c;
    }
    return found;
}

void tk_layout_choose(struct tk_layout *l, size_t width)
{
    size_t sum = 0;
    for (size_t i = 0; i < l->columns.n; i++)
        sum += TK_LAYOUT_GAP + least_width(&l->columns.v[i]);
    while (sum > width + TK_LAYOUT_GAP) {
        struct tk_layout_column *c = find_least(l);
        if (!c)
            return;
        c->hidden = true;
        sum -= TK_LAYOUT_GAP + least_width(c);
    }
}

void tk_layout_fit(struct tk_layout *l, size_t width)
{
    size_t cap = width == 0 ? ALIGNED_WIDTH : width < SHRUNK_WIDTH ? SHRUNK_WIDTH : width;
    l->shorten = width > 0;
    /* On the narrowest terminals nothing has more than it must. */
    for (size_t i = 0; width && line_width(l, SHRUNK_WIDTH) > width && i < l->columns.n; i++)
        l->columns.v[i].least = 0;
    while (width && cap > SHRUNK_WIDTH && line_width(l, cap) > width)
        cap--;
    for (size_t i = 0; i < l->columns.n; i++) {
        struct tk_layout_column *c = &l->columns.v[i];
        c->width = capped(c, cap);
    }
}

/* Keeps both ends of a text that is `width` wide and puts dots for the middle. */
static void put_shortened(struct tk_buffer *b, const uint8_t *p, size_t n, size_t width, size_t room,
                          bool ascii)
{
    size_t dots = ascii ? 3 : 1;
    size_t head = (room - dots + 1) / 2, tail = room - dots - head;
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

void tk_layout_put(struct tk_layout *l, struct tk_buffer *b, size_t column, const void *p, size_t n)
{
    const struct tk_layout_column *c = &l->columns.v[column];
    size_t width = tk_utf8_width(p, n);
    bool shorten = l->shorten && c->shrink && width > c->width;
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

/* Bytes of a text that go into `room` columns: up to the last place for a break, else as many as there is
 * room for. */
static size_t fitting(const char *p, size_t n, size_t room)
{
    size_t good = 0;
    for (size_t i = 0, len, column = 0; i < n; i += len) {
        tk_utf8_next((const uint8_t *)p + i, n - i, &len);
        column += tk_utf8_width(p + i, len);
        if (column > room)
            return good ? good : i ? i : len;
        if (strchr(" ,;", p[i]))
            good = i + len;
    }
    return n;
}

void tk_layout_wrap(struct tk_buffer *b, size_t at, size_t width, const char *p, size_t n)
{
    const size_t room = width > at + SHRUNK_WIDTH ? width - at : SHRUNK_WIDTH;
    while (n) {
        const size_t part = fitting(p, n, room);
        const size_t blanks = part < n && p[part - 1] == ' ';
        tk_buffer_put(b, p, part - blanks);
        p += part;
        n -= part;
        if (n) {
            tk_buffer_char(b, '\n');
            tk_buffer_fill(b, ' ', at);
        }
    }
}

void tk_layout_line(struct tk_layout *l, struct tk_buffer *b)
{
    l->begun = false;
    l->pending = 0;
    tk_buffer_char(b, '\n');
}
