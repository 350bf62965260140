/*
 * Lines of CSV, cell by cell.
 */
#include "format/frame_csv/csv_lines.h"

#include "base/err.h"
#include "format/events/feed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Begins with a line of n bytes. */
struct tk_csv_line tk_csv_line_of(const uint8_t *p, size_t n)
{
    while (n && (p[n - 1] == '\r' || p[n - 1] == '\n'))
        n--;
    return (struct tk_csv_line){p, p + n, n == 0, false};
}

/* The next cell, without the quotes around it (doubled ones inside stay). false: there is none. */
bool tk_csv_cell(struct tk_csv_line *l, struct tk_bytes *out)
{
    const uint8_t *first = l->p, *p = l->p;
    if (l->ended)
        return false;
    if (p < l->end && *p == '"') {
        first = ++p;
        while (p < l->end && (*p != '"' || (p + 1 < l->end && p[1] == '"')))
            p += *p == '"' ? 2 : 1;
        l->quote_open |= p >= l->end;
        *out = (struct tk_bytes){first, (size_t)(p - first)};
    }
    while (p < l->end && *p != ',')
        p++;
    if (first == l->p)
        *out = (struct tk_bytes){first, (size_t)(p - first)};
    l->ended = p == l->end;
    l->p = l->ended ? p : p + 1;
    return true;
}

enum { LONGEST = 64 };

/* A number, and nothing else. Infinities are none. */
bool tk_csv_number(struct tk_bytes cell, double *out)
{
    char text[LONGEST + 1], *end;
    if (!cell.n || cell.n > LONGEST)
        return false;
    for (size_t i = 0; i < cell.n; i++)
        if (!memchr("0123456789+-.eE", cell.p[i], 15))
            return false;
    memcpy(text, cell.p, cell.n);
    text[cell.n] = '\0';
    *out = strtod(text, &end);
    return !*end && !isinf(*out);
}

/* Is it this text, whatever the case of its letters? */
bool tk_csv_is(struct tk_bytes cell, const char *text)
{
    size_t n = strlen(text);
    if (cell.n != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = (char)cell.p[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        if (c != (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]))
            return false;
    }
    return true;
}

int tk_csv_next_line(struct tk_ev_window *w, const uint8_t **p, size_t *n, uint64_t *offset,
                     struct tk_err *err)
{
    for (size_t seen = 0;;) {
        const size_t have = w->n - w->at;
        *p = w->buf + w->at;
        const uint8_t *end = have > seen ? memchr(*p + seen, '\n', have - seen) : NULL;
        if (end || (w->end && have)) {
            *n = end ? (size_t)(end - *p) + 1 : have;
            *offset = tk_ev_window_here(w);
            w->at += *n;
            return TK_ITEM;
        }
        if (w->end)
            return TK_OK;
        seen = have;
        const int rc = tk_ev_window_more(w, err);
        if (rc == TK_ELIMIT)
            return tk_err_set(err, TK_ELIMIT, "a line is longer than the limit 'event_bytes'");
        if (rc < 0)
            return rc;
    }
}

/* Behind the lines of comments in front of the names of the columns. */
static size_t behind_comments(const uint8_t *p, size_t n)
{
    size_t at = 0;
    while (n - at > 2 && p[at] == '/' && p[at + 1] == '/') {
        const uint8_t *end = memchr(p + at, '\n', n - at);
        at = end ? (size_t)(end - p) + 1 : n;
    }
    return at;
}

bool tk_csv_has_presents(const uint8_t *head, size_t n)
{
    static const char *const names[] = {"application", "processid", "swapchainaddress"};
    const size_t at = behind_comments(head, n);
    const uint8_t *end = n > at ? memchr(head + at, '\n', n - at) : NULL;
    struct tk_csv_line line = tk_csv_line_of(head + at, end ? (size_t)(end - head) - at : n - at);
    struct tk_bytes cell;
    unsigned found = 0;
    while (tk_csv_cell(&line, &cell))
        for (unsigned i = 0; i < 3; i++)
            found |= tk_csv_is(cell, names[i]) ? 1u << i : 0;
    return found == 7;
}

int tk_csv_open_frames(struct tk_ev_capture *c, struct tk_ev_window *w, uint32_t *process, uint32_t *thread,
                       struct tk_err *err)
{
    static const struct tk_str name = {"game/frames", 11, TK_ENC_UTF8};
    struct tk_ev_id id = {NULL, 0};
    c->container = "rows";
    *process = tk_ev_process(c, &id);
    if (*process != UINT32_MAX)
        c->processes.v[*process].unknown = true;
    *thread = *process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(c, *process, &id, 0);
    if (*thread == UINT32_MAX || tk_ev_make_frames(c, *thread, &name))
        return tk_ev_failed(err);
    return tk_ev_window_open(w, c->ctx->file, c->ctx->limits.event_bytes, c->ctx->options->map, err);
}

void tk_csv_note_cut(struct tk_ev_capture *c, uint64_t offset, size_t n)
{
    c->truncated = true;
    tk_health_move(&c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_TRUNCATED, n);
    tk_health_note(&c->ctx->health, TK_HEALTH_FILE_TRUNCATED, offset, 1,
                   "the file ends inside a row at offset %llu", (unsigned long long)offset);
}
