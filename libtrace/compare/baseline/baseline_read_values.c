/*
 * Reads runs of a baseline file for their values alone; the layout is in baseline_file.h. Sections are taken
 * one by one from where the file lies, so that what is most of it is left there. Histories of hundreds of
 * runs are read so.
 */
#include "compare/baseline/baseline_in.h"

#include <stdlib.h>

/* Sections that all runs have to have, by their bits in baseline_read.c. */
enum { NEEDED = 1 | 2 | 4 | 512 };

static bool is_tag(const uint8_t *head, const char *tag)
{
    return memcmp(head, tag, 4) == 0;
}

/* Is it one that values need? Others can be passed over. */
static bool is_brief(const uint8_t *head)
{
    static const char *const tags[] = {"NAME", "RUN ", "HLTH", "INFO", "FRAM", "METR", "VALU", "END "};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (is_tag(head, tags[i]))
            return true;
    return false;
}

/* The texts of a run stay where they were read. */
static void keep_names(struct tk_base_reader *r, uint8_t **payload)
{
    r->run->file = *payload;
    *payload = NULL;
}

static int take_section(struct tk_base_reader *r, const struct tk_baseline_source *from, uint64_t at,
                        const uint8_t *head, struct tk_err *err)
{
    const size_t n = (size_t)tk_load64(head + 4);
    uint8_t *payload = malloc(n + 1);
    if (!payload)
        return tk_err_nomem(err, "a baseline");
    const bool inside = r->run != NULL;
    int rc = from->read(from->ctx, at, payload, n, err);
    if (rc == TK_OK)
        rc = tk_base_read_section(r, head, payload, n, err);
    if (r->run && !inside)
        keep_names(r, &payload);
    free(payload);
    return rc;
}

/* The series end a run. 1; 0 when its values are not there. */
static int end_run(struct tk_base_reader *r, struct tk_err *err)
{
    if (!r->run)
        return tk_base_read_wrong(err, "its sections are out of order");
    if ((r->seen & NEEDED) != NEEDED)
        return 0;
    struct tk_base_run *run = r->run;
    r->run = NULL;
    r->runs++;
    int rc = tk_baseline_take(r->b, run, err);
    return rc < 0 ? rc : 1;
}

/* 1; 0 when values are not there. */
static int next_section(struct tk_base_reader *r, const struct tk_baseline_source *from, uint64_t *at,
                        struct tk_err *err)
{
    uint8_t head[TK_BASE_SECTION_HEAD];
    if (from->size - *at < sizeof head)
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    int rc = from->read(from->ctx, *at, head, sizeof head, err);
    *at += sizeof head;
    if (rc < 0)
        return rc;
    const uint64_t n = tk_load64(head + 4), here = *at;
    if (n > from->size - here)
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    *at += n;
    if (is_tag(head, "SERI"))
        return end_run(r, err);
    rc = is_brief(head) ? take_section(r, from, here, head, err) : TK_OK;
    return rc < 0 ? rc : 1;
}

int tk_baseline_decode_values(struct tk_baseline *b, const struct tk_baseline_source *from,
                              struct tk_err *err)
{
    struct tk_base_reader r = {.b = b, .brief = true};
    const size_t before = b->runs.n;
    uint8_t head[TK_BASELINE_HEAD];
    const size_t n = from->size < sizeof head ? (size_t)from->size : sizeof head;
    uint64_t at = n;
    int rc = from->read(from->ctx, 0, head, n, err);
    if (rc == TK_OK)
        rc = tk_base_read_head(&r, head, n, err);
    if (rc == TK_OK)
        rc = r.version > 1; /* the first has no values */
    while (rc > 0 && !r.ended)
        rc = next_section(&r, from, &at, err);
    tk_base_read_end(&r, before, rc > 0 ? TK_OK : -1);
    return rc;
}
