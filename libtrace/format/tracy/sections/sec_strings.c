/*
 * Strings and the pointers of the program to them.
 *
 *   u64 n, strings, each with its bytes; u64 n, pointers                                 tracy-file 5.1, 5.2
 */
#include "format/tracy/walk/section.h"

static void note_lost(struct tk_tracy_walk *w)
{
    if (w->defining && w->c->strings.lost)
        tk_tracy_limit(w, TK_LIMIT_strings, tk_tracy_at(&w->in), w->c->strings.lost, "strings were left out");
    w->c->strings.incomplete |= w->c->strings.lost > 0;
    w->c->strings.lost = 0;
}

static void note_odd(struct tk_tracy_walk *w)
{
    if (w->defining && w->c->strings.odd)
        tk_tracy_note(w, TK_HEALTH_FORM_MENDED, w->start, w->c->strings.odd, "strings with a zero inside");
    w->c->strings.odd = 0;
}

static void skip_string(struct tk_tracy_walk *w)
{
    struct tk_tracy_string head;
    (void)tk_tracy_read_string(&w->in, &head);
    tk_tracy_skip(&w->in, head.n, "text");
}

static int step_strings(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_list *list = state;
    int rc = TK_OK;
    while (rc == TK_OK && tk_tracy_list_next(w, list, "strings")) {
        w->items++;
        if (w->defining)
            rc = tk_tracy_strings_read(&w->c->strings, &w->in);
        else
            skip_string(w);
    }
    note_lost(w);
    note_odd(w);
    return rc;
}

static int step_pointers(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_list *list = state;
    int rc = TK_OK;
    if (!w->defining) {
        tk_tracy_pass_list(w, tk_tracy_pointer_size(&w->c->layout), "pointers of strings");
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, list, "pointers of strings")) {
        w->items++;
        rc = tk_tracy_strings_read_pointer(&w->c->strings, &w->in);
    }
    note_lost(w);
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_strings = {
    .name = "strings", .step = step_strings, .size = sizeof(struct tk_tracy_list)};

const struct tk_tracy_section tk_tracy_sec_pointers = {
    .name = "pointers", .step = step_pointers, .size = sizeof(struct tk_tracy_list)};
