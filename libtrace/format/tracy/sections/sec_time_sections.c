/*
 * Sections of time, by category, with a text: regions, and records.
 *
 *   0.13.5 and later: u64 n, categories, each with u64 n, sections; then u64 n, descriptions
 *   0.13.4:           u64 n, sections                                                         tracy-file 4
 */
#include "format/tracy/walk/section.h"

#include <stdio.h>

struct time_section {
    uint64_t at;
    struct tk_tracy_time_section v;
    uint16_t category;
};

struct state {
    struct tk_tracy_list categories, sections, descriptions;
    uint64_t number; /* of sections so far */
    uint16_t category;
    bool inside, begun;
};

/* The description of a category, which the pass over the front has read; NULL: it has none. */
static const struct tk_str *description_of(const struct tk_tracy_walk *w, uint16_t category)
{
    uint32_t text = tk_map_get(&w->c->categories, category);
    return text == TK_MAP_NONE ? NULL : tk_tracy_string_of_index(&w->c->strings, text);
}

static int say_section(struct tk_tracy_walk *w, const struct time_section *t)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(t->category),
        tk_cell_of_int(t->v.start),
        tk_cell_of_int(t->v.end),
        tk_cell_of_text(tk_tracy_string_of_index(&w->c->strings, t->v.text)),
        tk_cell_of_text(description_of(w, t->category)),
    };
    if (!tk_tracy_wants(w, TK_TRACY_SECTION))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_SECTION, t->at, TK_NO_THREAD, t->v.start, cells);
}

/* Its description, else its number; NULL: none, or out of memory. */
static const struct tk_str *category_of(struct tk_tracy_walk *w, uint16_t category)
{
    const struct tk_str *text = description_of(w, category);
    char number[8];
    if (text || !category)
        return tk_tracy_intern(w->c, text);
    snprintf(number, sizeof number, "%u", category);
    return tk_intern_c(&w->c->interned, number);
}

static int say_mark(struct tk_tracy_walk *w, const struct time_section *t, uint64_t id, bool begin)
{
    struct tk_fact *fact =
        tk_tracy_batch_fact(w->out, TK_FACT_REGION, TK_NO_THREAD, begin ? t->v.start : t->v.end);
    const struct tk_str *text = tk_tracy_string_of_index(&w->c->strings, t->v.text);
    if (!fact)
        return TK_ENOMEM;
    fact->u.region = (struct tk_fact_region){
        .begin = begin, .has_id = true, .id = id, .name = begin ? (text ? text : &tk_tracy_missing) : NULL};
    if (begin)
        fact->u.region.category = category_of(w, t->category);
    return w->c->interned.failed ? TK_ENOMEM : TK_OK;
}

/* A section that was not ended has a negative end. */
static int say_region(struct tk_tracy_walk *w, const struct time_section *t, uint64_t id)
{
    int rc = tk_tracy_wants_fact(w, TK_FACT_REGION) ? say_mark(w, t, id, true) : TK_OK;
    return rc == TK_OK && tk_tracy_wants_fact(w, TK_FACT_REGION) && t->v.end >= 0 ? say_mark(w, t, id, false)
                                                                                  : rc;
}

static int read_section(struct tk_tracy_walk *w, struct state *s)
{
    struct time_section t = {.at = tk_tracy_at(&w->in), .category = s->category};
    if (!tk_tracy_read_time_section(&w->in, &t.v))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_SECTION, 1, tk_tracy_time_section_size(&w->c->layout));
    return say_region(w, &t, ++s->number) == TK_OK ? say_section(w, &t) : TK_ENOMEM;
}

static void begin_category(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_category v;
    (void)tk_tracy_read_category(&w->in, &v);
    s->category = v.category;
    s->sections = (struct tk_tracy_list){0};
    s->inside = true;
}

static int read_descriptions(struct tk_tracy_walk *w, struct state *s)
{
    while (tk_tracy_list_next(w, &s->descriptions, "descriptions of categories")) {
        struct tk_tracy_description v;
        if (tk_tracy_read_description(&w->in, &v) && w->defining &&
            tk_map_put(&w->c->categories, v.category, v.text))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static int step_time_sections(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    bool categories = w->c->layout.section_categories;
    int rc = TK_OK;
    if (!s->begun)
        s->inside = w->c->layout.section_list;
    s->begun = true;
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && tk_tracy_list_next(w, &s->sections, "sections"))
            rc = read_section(w, s);
        else if (categories && tk_tracy_list_next(w, &s->categories, "categories of sections"))
            begin_category(w, s);
        else
            break;
    }
    if (rc != TK_OK || tk_tracy_batch_full(w->out))
        return rc == TK_OK ? TK_ITEM : rc;
    return categories ? read_descriptions(w, s) : TK_OK;
}

const struct tk_tracy_section tk_tracy_sec_time_sections = {.name = "sections",
                                                            .step = step_time_sections,
                                                            .size = sizeof(struct state),
                                                            .facts = TK_FACT_MASK(REGION),
                                                            .records = TK_TRACY_RECORD_MASK(SECTION)};
