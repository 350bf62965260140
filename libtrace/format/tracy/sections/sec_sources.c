/*
 * Source files that the capture carries: rows of the table `source_files`, and records with name and size.
 * The payload ends behind them.
 *
 *   u64 n, each u32 n, name, u32 n, content                                                   tracy-file 5.22
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

/* A text of n bytes; one that is longer than the limit has no bytes. */
static int read_text(struct tk_tracy_walk *w, uint32_t n, const char *beyond, struct tk_str *out)
{
    uint64_t at = tk_tracy_at(&w->in);
    int rc = tk_tracy_text(&w->in, n, w->c->ctx->limits.event_bytes, &w->out->arena, out);
    if (rc != TK_ELIMIT)
        return rc;
    *out = (struct tk_str){0};
    tk_tracy_limit(w, TK_LIMIT_event_bytes, at, 1, beyond);
    return TK_OK;
}

static bool wants_content(const struct tk_tracy_walk *w)
{
    return tk_tracy_wants_rows(w, &tk_tracy_table_source_files) || tk_tracy_wants_fact(w, TK_FACT_SOURCE);
}

static int read_name(struct tk_tracy_walk *w, struct tk_str *name)
{
    uint32_t n = tk_tracy_u32(&w->in, "length of the name of a source file");
    *name = (struct tk_str){"", 0, TK_ENC_UTF8};
    if (!tk_tracy_wants(w, TK_TRACY_SOURCE_FILE) && !wants_content(w)) {
        tk_tracy_skip(&w->in, n, "name of a source file");
        return TK_OK;
    }
    return read_text(w, n, "the name of a source file is too long and was left out", name);
}

/* The content where rows are wanted, else without bytes. */
static int read_content(struct tk_tracy_walk *w, uint32_t n, struct tk_str *out)
{
    *out = (struct tk_str){0};
    if (!wants_content(w)) {
        tk_tracy_skip(&w->in, n, "source file");
        return TK_OK;
    }
    return read_text(w, n, "a source file is too large and its content was left out", out);
}

static int say_row_sources(struct tk_tracy_walk *w, const struct tk_str *name, uint32_t n,
                           const struct tk_str *content)
{
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_source_files, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_cell_of_text(name->p ? name : NULL);
    row[1] = tk_cell_of_size(n);
    row[2] = tk_cell_of_text(content->p ? content : NULL);
    return TK_OK;
}

static int say_fact(struct tk_tracy_walk *w, const struct tk_str *name, const struct tk_str *content)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SOURCE, TK_NO_THREAD, 0);
    struct tk_str *kept = fact ? tk_arena_alloc(&w->out->arena, sizeof *kept) : NULL;
    if (!kept)
        return TK_ENOMEM;
    *kept = *name;
    fact->u.source = (struct tk_fact_source){name->p ? kept : NULL, *content};
    return TK_OK;
}

static int read_file(struct tk_tracy_walk *w, void *state)
{
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_str name;
    (void)state;
    if (read_name(w, &name) != TK_OK)
        return TK_ENOMEM;
    uint32_t n = tk_tracy_u32(&w->in, "size of a source file");
    struct tk_cell cells[] = {tk_cell_of_text(name.p ? &name : NULL), tk_cell_of_size(n)};
    struct tk_str content;
    if (read_content(w, n, &content) != TK_OK)
        return TK_ENOMEM;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_SOURCE_FILE, 1, tk_tracy_at(&w->in) - at);
    if (tk_tracy_wants_rows(w, &tk_tracy_table_source_files) &&
        say_row_sources(w, &name, n, &content) != TK_OK)
        return TK_ENOMEM;
    if (tk_tracy_wants_fact(w, TK_FACT_SOURCE) && say_fact(w, &name, &content) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, TK_TRACY_SOURCE_FILE) ? tk_tracy_say_timeless(w, TK_TRACY_SOURCE_FILE, at, cells)
                                                   : TK_OK;
}

static int step_sources(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "source files", read_file, NULL);
}

static const struct tk_table *const rows[] = {&tk_tracy_table_source_files, NULL};

const struct tk_tracy_section tk_tracy_sec_sources = {.name = "source_files",
                                                      .step = step_sources,
                                                      .size = sizeof(struct tk_tracy_list),
                                                      .rows = rows,
                                                      .facts = TK_FACT_MASK(SOURCE),
                                                      .records = TK_TRACY_RECORD_MASK(SOURCE_FILE)};
