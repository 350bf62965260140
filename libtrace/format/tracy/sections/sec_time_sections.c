/*
 * Sections of time, by category, with a text: regions, and records.
 *
 *   0.13.5 and later: u64 n, categories: u16, u64 n, sections; then u64 n, descriptions: u16, u24 text
 *   0.13.4:           u64 n, sections                                                         tracy-file 4
 *   section: i48 start, i48 end, u24 text
 */
#include "format/tracy/walk/section.h"

#include <stdio.h>

#define SECTION_BYTES 15

struct time_section {
    uint64_t at;
    int64_t start, end;
    uint32_t text; /* string + 1 */
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
        tk_cell_of_int(t->start),
        tk_cell_of_int(t->end),
        tk_cell_of_text(tk_tracy_string_of_index(&w->c->strings, t->text)),
        tk_cell_of_text(description_of(w, t->category)),
    };
    if (!tk_tracy_wants(w, TK_TRACY_SECTION))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_SECTION, t->at, TK_NO_THREAD, t->start, cells);
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
        tk_tracy_batch_fact(w->out, TK_FACT_REGION, TK_NO_THREAD, begin ? t->start : t->end);
    const struct tk_str *text = tk_tracy_string_of_index(&w->c->strings, t->text);
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
    return rc == TK_OK && tk_tracy_wants_fact(w, TK_FACT_REGION) && t->end >= 0 ? say_mark(w, t, id, false)
                                                                                : rc;
}

static int read_section(struct tk_tracy_walk *w, struct state *s)
{
    struct time_section t = {.at = tk_tracy_at(&w->in), .category = s->category};
    t.start = tk_tracy_i48(&w->in, "start of a section");
    t.end = tk_tracy_i48(&w->in, "end of a section");
    t.text = tk_tracy_u24(&w->in, "text of a section");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_SECTION, 1, SECTION_BYTES);
    return say_region(w, &t, ++s->number) == TK_OK ? say_section(w, &t) : TK_ENOMEM;
}

static void begin_category(struct tk_tracy_walk *w, struct state *s)
{
    s->category = tk_tracy_u16(&w->in, "category of sections");
    s->sections = (struct tk_tracy_list){0};
    s->inside = true;
}

static int read_descriptions(struct tk_tracy_walk *w, struct state *s)
{
    while (tk_tracy_list_next(w, &s->descriptions, "descriptions of categories")) {
        uint16_t category = tk_tracy_u16(&w->in, "category of sections");
        uint32_t text = tk_tracy_u24(&w->in, "description of a category");
        if (w->defining && tk_tracy_ok(&w->in) && tk_map_put(&w->c->categories, category, text))
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
