/*
 * Collapsed stacks, as stackcollapse scripts and many profilers write them: "a;b;c N" a line, the outermost
 * function first (import2 10).
 */
#include "base/text/copy.h"
#include "base/text/text.h"
#include "format/profiles/profiles.h"
#include "format/profiles/profiles_in.h"
#include "tracekit/captures.h"

#include <string.h>

enum { CHECKED = 100 }; /* lines that all have to be stacks */
enum { STACK, TYPES };

/* A line without its end; n counts what stands behind it too. */
static struct tk_bytes line_of(const uint8_t *p, size_t left, size_t *n)
{
    const uint8_t *end = memchr(p, '\n', left);
    size_t length = end ? (size_t)(end - p) : left;
    *n = length + (end != NULL);
    while (length && (p[length - 1] == '\r' || p[length - 1] == ' '))
        length--;
    return (struct tk_bytes){p, length};
}

/* The stack and the number behind its last space. */
static bool split(struct tk_bytes line, struct tk_bytes *stack, uint64_t *weight)
{
    size_t at = line.n, digits = 0;
    *weight = 0;
    while (at && line.p[at - 1] >= '0' && line.p[at - 1] <= '9') {
        at--;
        digits++;
    }
    if (!digits || digits > 18 || at < 2 || (line.p[at - 1] != ' ' && line.p[at - 1] != '\t'))
        return false;
    for (size_t i = at; i < line.n; i++)
        *weight = *weight * 10 + (uint64_t)(line.p[i] - '0');
    *stack = (struct tk_bytes){line.p, at - 1};
    for (size_t i = 0; i < stack->n; i++)
        if (stack->p[i] < ' ' && stack->p[i] != '\t')
            return false;
    return true;
}

/* Are the first lines stacks, and more than one function in one of them? whole: the last line is all there.
 */
static bool are_stacks(const uint8_t *p, size_t n, bool whole)
{
    const size_t mark = tk_byte_order_mark(p, n);
    size_t lines = 0, length;
    bool several = false;
    for (size_t at = mark; at < n && lines < CHECKED; at += length) {
        struct tk_bytes stack;
        uint64_t weight;
        const struct tk_bytes line = line_of(p + at, n - at, &length);
        const bool cut = at + length == n && p[n - 1] != '\n' && !whole;
        if (!line.n || cut)
            continue;
        if (!split(line, &stack, &weight))
            return false;
        several |= memchr(stack.p, ';', stack.n) != NULL;
        lines++;
    }
    return several;
}

static int probe(const uint8_t *head, size_t n)
{
    return are_stacks(head, n, false) || (n < 4096 && are_stacks(head, n, true)) ? TK_FORMAT_SURE : 0;
}

/* The functions of a stack, from the innermost on. */
static int take_frames(struct tk_prof_walk *d, struct tk_bytes stack)
{
    d->frames.n = 0;
    for (size_t end = stack.n + 1; end; end--) {
        size_t at = end - 1;
        while (at && stack.p[at - 1] != ';')
            at--;
        struct tk_ev_code_frame f = {.function = tk_ev_name_clean(&d->c->names, stack.p + at, end - 1 - at),
                                     .file = TK_EV_NO_NAME,
                                     .module = TK_EV_NO_NAME,
                                     .build = TK_EV_NO_NAME};
        const uint32_t frame = d->c->names.failed ? UINT32_MAX : tk_ev_code_frame(d->c, &f);
        if (frame == UINT32_MAX || tk_vec_push(&d->frames, frame))
            return -1;
        end = at + 1;
    }
    return 0;
}

static int take_line(struct tk_prof_walk *d, struct tk_bytes line, uint64_t offset)
{
    struct tk_bytes stack;
    uint64_t weight;
    if (!line.n)
        return 0;
    if (!split(line, &stack, &weight)) {
        tk_ev_note(d->c, TK_EV_NO_STACK, offset);
        return 0;
    }
    tk_ev_count(d->c, STACK, line.n);
    return weight && (take_frames(d, stack) || tk_prof_add(d, NULL, weight)) ? -1 : 0;
}

static int step_walk(void *walk, struct tk_err *err)
{
    struct tk_prof_walk *d = walk;
    struct tk_bytes all;
    size_t length;
    int rc = d->c->pass == TK_EV_GATHER ? tk_prof_whole(d, &all, err) : TK_OK;
    if (rc != TK_OK || d->c->pass != TK_EV_GATHER)
        return rc;
    if (!are_stacks(all.p, all.n, true))
        return tk_err_set(err, TK_EFORMAT,
                          "the file is text whose first lines are not all stacks, as 'a;b;c 12'");
    d->c->container = "collapsed stacks";
    for (size_t at = tk_byte_order_mark(all.p, all.n); at < all.n && rc == 0; at += length) {
        const struct tk_bytes line = line_of(all.p + at, all.n - at, &length);
        rc = take_line(d, line, at);
    }
    return rc ? tk_ev_failed(err) : TK_OK;
}

static const struct tk_record_type types[TYPES] = {[STACK] = {.name = "Collapsed.Stack", .family = "sample"}};

static const struct tk_ev_decoder decoder = {
    .noun = "line",
    .nouns = "lines",
    .open = tk_prof_open,
    .step = step_walk,
    .close = tk_prof_close,
    .types = types,
    .n_types = TYPES,
};

const struct tk_format tk_format_collapsed = {
    .name = "collapsed",
    .help = "stacks with their weights, a line 'a;b;c N' each",
    .probe = probe,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .tables = tk_ev_tables,
};
