/*
 * The sentence on what bounded frames: the rows of the table bound_shares in words, the most frequent first.
 * Part of chapter.h.
 */
#include "report/report_in.h"
#include "table/cell.h"

#include <string.h>

static const struct {
    const char *by, *who;
} names[] = {{"game", "the game thread"},
             {"render", "the render thread"},
             {"rhi", "the RHI thread"},
             {"gpu", "the GPU"},
             {"game (loading)", "loading on the game thread"},
             {"limiter", "the frame limiter"},
             {"waiting", "waiting"}};

enum { NAMES = sizeof names / sizeof *names };

/* The row of a name; n: there is none. */
static size_t row_of(const struct tk_gathered *kept, size_t n, const char *by)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *cell = tk_gather_cell(kept, i, "bound_by");
        const struct tk_str text = cell->kind == TK_TEXT ? tk_cell_text(cell) : (struct tk_str){.p = ""};
        if (text.n == strlen(by) && memcmp(text.p, by, text.n) == 0)
            return i;
    }
    return n;
}

/* Of those that were not reported the one with most frames; NAMES: none is left. */
static size_t next_name(const struct tk_gathered *kept, size_t n, const bool reported[NAMES])
{
    size_t best = NAMES;
    int64_t most = 0;
    for (size_t k = 0; k < NAMES; k++) {
        const size_t row = reported[k] ? n : row_of(kept, n, names[k].by);
        const int64_t frames = row < n ? tk_gather_int(kept, row, "frames") : 0;
        if (frames > most) {
            most = frames;
            best = k;
        }
    }
    return best;
}

void tk_bounded_put(struct tk_chapter *c)
{
    const struct tk_gathered *kept;
    size_t n, k;
    bool reported[NAMES] = {0}, some = false;
    const struct tk_table *table = tk_gather_table(&c->first, "bound_shares", &kept, &n);
    const int share = table ? tk_table_column(table, "share") : -1;
    if (share < 0)
        return;
    while ((k = next_name(kept, n, reported)) < NAMES) {
        tk_markup_format(c->m, "%s%s in ", some ? ", " : "<p>Frames were bounded by ", names[k].who);
        tk_markup_cell(c->m, tk_gather_cell(kept, row_of(kept, n, names[k].by), "share"),
                       &table->columns[share]);
        reported[k] = some = true;
    }
    if (some)
        tk_markup_put(c->m, " of them.</p>\n");
}
