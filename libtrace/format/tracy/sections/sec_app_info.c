/*
 * What the program says about itself: a text a line, also part of the session.
 *
 *   u64 n, each 9 text                                                                        tracy-file 5.14
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

#include <stdio.h>
#include <string.h>

struct state {
    struct tk_tracy_list list;
    unsigned edits; /* so far */
};

/* What an edit says of itself, up to the times of its window: cuts of two captures are of one kind. */
static struct tk_str edit_text(const struct tk_str *text)
{
    static const char times[] = TK_TRACY_EDIT_TIMES;
    struct tk_str left = *text;
    for (uint32_t i = 0; i + sizeof times - 1 < text->n && left.n == text->n; i++)
        if (memcmp(text->p + i, times, sizeof times - 1) == 0)
            left.n = i;
    return left;
}

/* "AppInfo", "AppInfo2", ...; what an edit says of itself is "Edit", "Edit2", ... */
static int say_session(struct tk_tracy_walk *w, struct state *s, uint64_t number, const struct tk_str *text)
{
    char key[32] = "AppInfo";
    if (number)
        snprintf(key, sizeof key, "AppInfo%llu", (unsigned long long)number + 1);
    const bool edit = tk_tracy_edit_is(text);
    const struct tk_str left = edit ? edit_text(text) : (struct tk_str){0};
    if (edit && ++s->edits > 1)
        snprintf(key, sizeof key, "Edit%u", s->edits);
    else if (edit)
        snprintf(key, sizeof key, "Edit");
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SESSION, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.session.key = tk_intern_c(&w->c->interned, key);
    fact->u.session.value = tk_cell_of_text(edit ? &left : text);
    return fact->u.session.key ? TK_OK : TK_ENOMEM;
}

static int read_line(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_app_info line;
    if (!tk_tracy_read_app_info(&w->in, &line))
        return TK_OK;
    const struct tk_str *text = tk_tracy_string_of_ref(&w->c->strings, line.text);
    struct tk_cell cell = tk_cell_of_text(text);
    tk_tracy_use_ref(w, line.text);
    tk_tracy_count(w, TK_TRACY_APP_INFO, 1, tk_tracy_app_info_size(&w->c->layout));
    int rc = w->request ? say_session(w, s, s->list.n - s->list.left - 1, text) : TK_OK;
    if (rc == TK_OK && tk_tracy_wants(w, TK_TRACY_APP_INFO))
        rc = tk_tracy_say_timeless(w, TK_TRACY_APP_INFO, at, &cell);
    return rc;
}

static int step_app_info(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    return tk_tracy_list_walk(w, &s->list, "application information", read_line, s);
}

const struct tk_tracy_section tk_tracy_sec_app_info = {.name = "app_info",
                                                       .step = step_app_info,
                                                       .size = sizeof(struct state),
                                                       .facts = TK_FACT_MASK(SESSION),
                                                       .records = TK_TRACY_RECORD_MASK(APP_INFO)};
