/*
 * Source files that the capture carries. Records with name and size; the payload ends behind them.
 *
 *   u64 n, each u32 n, name, u32 n, content                                                   tracy-file 5.22
 */
#include "tracy/cells.h"
#include "tracy/section_list.h"
#include "tracy/walk.h"

#define LONGEST_NAME 65536u

static int read_name(struct tk_tracy_walk *w, struct tk_str *name)
{
    uint32_t n = tk_tracy_u32(&w->in, "length of the name of a source file");
    *name = (struct tk_str){"", 0, TK_ENC_UTF8};
    if (!tk_tracy_wants(w, TK_TRACY_SOURCE_FILE)) {
        tk_tracy_skip(&w->in, n, "name of a source file");
        return TK_OK;
    }
    uint64_t at = tk_tracy_at(&w->in);
    int rc = tk_tracy_text(&w->in, n, LONGEST_NAME, &w->out->arena, name);
    if (rc == TK_ELIMIT)
        tk_tracy_note(w, TK_HEALTH_LIMIT_REACHED, at, 1,
                      "the name of a source file is too long and was left out");
    return rc == TK_ENOMEM ? rc : TK_OK;
}

static int read_file(struct tk_tracy_walk *w, void *state)
{
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_str name;
    (void)state;
    if (read_name(w, &name) != TK_OK)
        return TK_ENOMEM;
    uint32_t n = tk_tracy_u32(&w->in, "size of a source file");
    struct tk_cell cells[] = {tk_tracy_text_cell(&name), tk_tracy_size_cell(n)};
    tk_tracy_skip(&w->in, n, "source file");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_SOURCE_FILE, 1, tk_tracy_at(&w->in) - at);
    return tk_tracy_wants(w, TK_TRACY_SOURCE_FILE) ? tk_tracy_say_timeless(w, TK_TRACY_SOURCE_FILE, at, cells)
                                                   : TK_OK;
}

static int step(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "source files", read_file, NULL);
}

const struct tk_tracy_section tk_tracy_sec_sources = {.name = "source_files",
                                                      .step = step,
                                                      .size = sizeof(struct tk_tracy_list),
                                                      .records = TK_TRACY_RECORD_MASK(SOURCE_FILE)};
