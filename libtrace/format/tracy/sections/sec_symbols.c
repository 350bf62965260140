/*
 * Symbols, their code, and which symbol a code address is in. Records; of code only the size.
 *
 *   symbols: u64 not inline, u64 inline, u64 n, symbols                                       tracy-file 5.19
 *   code:    u64 n, each with n bytes; up to 0.8.4 also u64 n, locations, each with n numbers tracy-file 5.20
 *   map:     u64 n, symbols of code                                                           tracy-file 5.21
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

struct state {
    struct tk_tracy_list list;
    bool begun;
};

static int say_symbol(struct tk_tracy_walk *w, uint64_t at, const struct tk_tracy_symbol *s)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    struct tk_cell cells[] = {
        tk_cell_of_hex(s->address),
        tk_cell_of_text(tk_tracy_string_of_index(strings, s->name)),
        tk_cell_of_text(tk_tracy_string_of_index(strings, s->file)),
        tk_cell_of_uint(s->line),
        tk_cell_of_text(tk_tracy_string_of_index(strings, s->image)),
        tk_cell_of_text(tk_tracy_string_of_index(strings, s->call_file)),
        tk_cell_of_uint(s->call_line),
        tk_cell_of_bool(s->is_inline),
        tk_cell_of_size(s->size),
    };
    return tk_tracy_wants(w, TK_TRACY_SYMBOL) ? tk_tracy_say_timeless(w, TK_TRACY_SYMBOL, at, cells) : TK_OK;
}

static int say_row_symbols(struct tk_tracy_walk *w, const struct tk_tracy_symbol *s)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_symbols, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_cell_of_hex(s->address);
    row[1] = tk_cell_of_size(s->size);
    row[2] = tk_cell_of_text(tk_tracy_string_of_index(strings, s->name));
    row[3] = tk_cell_of_text(tk_tracy_string_of_index(strings, s->file));
    row[4] = tk_cell_of_uint(s->line);
    row[5] = tk_cell_of_text(tk_tracy_string_of_index(strings, s->image));
    row[6] = tk_cell_of_bool(s->is_inline);
    if (!s->is_inline)
        return TK_OK;
    row[7] = tk_cell_of_text(tk_tracy_string_of_index(strings, s->call_file));
    row[8] = tk_cell_of_uint(s->call_line);
    return TK_OK;
}

/* A function that is really there, and has a size. */
static int say_function(struct tk_tracy_walk *w, const struct tk_tracy_symbol *s)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    if (s->is_inline || !s->size)
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_FUNCTION, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.function = (struct tk_fact_function){.address = s->address,
                                                 .bytes = s->size,
                                                 .place = {tk_tracy_name_of_index(strings, s->name),
                                                           tk_tracy_name_of_index(strings, s->file), s->line},
                                                 .image = tk_tracy_name_of_index(strings, s->image)};
    return TK_OK;
}

static int read_symbol(struct tk_tracy_walk *w, void *state)
{
    const uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_symbol s;
    (void)state;
    if (!tk_tracy_read_symbol(&w->in, &s))
        return TK_OK;
    tk_tracy_use_text(w, s.name);
    tk_tracy_use_text(w, s.file);
    tk_tracy_use_text(w, s.image);
    tk_tracy_use_text(w, s.call_file);
    tk_tracy_count(w, TK_TRACY_SYMBOL, 1, tk_tracy_symbol_size(&w->c->layout));
    if (tk_tracy_wants_rows(w, &tk_tracy_table_symbols) && say_row_symbols(w, &s) != TK_OK)
        return TK_ENOMEM;
    if (tk_tracy_wants_fact(w, TK_FACT_FUNCTION) && say_function(w, &s) != TK_OK)
        return TK_ENOMEM;
    return say_symbol(w, at, &s);
}

static int step_symbols(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    if (!s->begun)
        tk_tracy_skip(&w->in, 16, "numbers of symbols");
    s->begun = true;
    return tk_tracy_list_walk(w, &s->list, "symbols", read_symbol, s);
}

static int read_code(struct tk_tracy_walk *w, void *state)
{
    const uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_code v;
    (void)state;
    (void)tk_tracy_read_code(&w->in, &v);
    struct tk_cell cells[] = {tk_cell_of_hex(v.address), tk_cell_of_size(v.n)};
    tk_tracy_skip(&w->in, v.n, "code of a symbol");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_SYMBOL_CODE, 1, tk_tracy_code_size(&w->c->layout) + (uint64_t)v.n);
    return tk_tracy_wants(w, TK_TRACY_SYMBOL_CODE) ? tk_tracy_say_timeless(w, TK_TRACY_SYMBOL_CODE, at, cells)
                                                   : TK_OK;
}

static int step_code(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_list locations = {0};
    int rc = tk_tracy_list_walk(w, state, "code of symbols", read_code, NULL);
    while (rc == TK_OK && w->c->layout.code_locations &&
           tk_tracy_list_next(w, &locations, "locations of code")) {
        struct tk_tracy_code_location v;
        (void)tk_tracy_read_code_location(&w->in, &v);
        tk_tracy_skip(&w->in, 8 * (uint64_t)v.n, "location of code");
    }
    return rc;
}

static int read_map(struct tk_tracy_walk *w, void *state)
{
    const uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_code_symbol v;
    (void)state;
    if (!tk_tracy_read_code_symbol(&w->in, &v))
        return TK_OK;
    struct tk_cell cells[] = {tk_cell_of_hex(v.code), tk_cell_of_hex(v.symbol)};
    tk_tracy_count(w, TK_TRACY_CODE_SYMBOL, 1, tk_tracy_code_symbol_size(&w->c->layout));
    return tk_tracy_say_timeless(w, TK_TRACY_CODE_SYMBOL, at, cells);
}

static int step_map(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_list *list = state;
    if (!w->c->layout.code_symbols)
        return TK_OK;
    if (!list->begun && !tk_tracy_wants(w, TK_TRACY_CODE_SYMBOL)) {
        tk_tracy_skip_list(w, tk_tracy_code_symbol_size(&w->c->layout), TK_TRACY_CODE_SYMBOL,
                           "symbols of code");
        return TK_OK;
    }
    return tk_tracy_list_walk(w, list, "symbols of code", read_map, NULL);
}

static const struct tk_table *const symbol_rows[] = {&tk_tracy_table_symbols, NULL};

const struct tk_tracy_section tk_tracy_sec_symbols = {.name = "symbols",
                                                      .step = step_symbols,
                                                      .size = sizeof(struct state),
                                                      .rows = symbol_rows,
                                                      .facts = TK_FACT_MASK(FUNCTION),
                                                      .records = TK_TRACY_RECORD_MASK(SYMBOL)};

const struct tk_tracy_section tk_tracy_sec_symbol_code = {.name = "symbol_code",
                                                          .step = step_code,
                                                          .size = sizeof(struct tk_tracy_list),
                                                          .records = TK_TRACY_RECORD_MASK(SYMBOL_CODE)};

const struct tk_tracy_section tk_tracy_sec_code_symbols = {.name = "code_symbols",
                                                           .step = step_map,
                                                           .size = sizeof(struct tk_tracy_list),
                                                           .records = TK_TRACY_RECORD_MASK(CODE_SYMBOL)};
