/*
 * Copies of sections. See tracy_copy.h.
 */
#include "edit/tracy/tracy_copy.h"

#include "edit/tracy/tracy_payload_in.h"

#include <string.h>

enum { ZONE = 26, SAMPLE = 11, KEY = 8, REF = 9, CPUS = 256, EXTRA = 12, OLD_EXTRA = 9, NUMBER = 3 };

struct run {
    const struct tk_tracy_copy *copy;
    struct tk_tracy_payload_in from;
    struct tk_tracy_payload *in; /* of it */
    struct tk_tracy_writer *out;
    uint64_t strings; /* that there were */
};

static bool drops(const struct run *r, enum tk_edit_tracy_topic topic)
{
    return tk_edit_tracy_drops(r->copy->dropped, topic);
}

static void copy(struct run *r, uint64_t n)
{
    while (n && tk_tracy_ok(r->in) && r->out->rc == TK_OK) {
        const uint64_t have = (uint64_t)(r->in->end - r->in->p);
        const size_t part = have == 0 ? 1 : (size_t)(have < n ? have : n);
        const uint8_t *p = have == 0 ? tk_tracy_take(r->in, 1, "a section") : r->in->p;
        if (!p)
            return;
        if (have)
            r->in->p += part;
        tk_tracy_put_bytes(r->out, p, part);
        n -= part;
    }
}

static uint64_t copy_number(struct run *r)
{
    const uint64_t v = tk_tracy_u64(r->in, "a number");
    tk_tracy_put(r->out, v, 8);
    return v;
}

static void copy_list(struct run *r, uint64_t size)
{
    copy(r, copy_number(r) * size);
}

static void leave_out_list(struct run *r, uint64_t size)
{
    tk_tracy_skip(r->in, tk_tracy_u64(r->in, "a list") * size, "a list");
    tk_tracy_put(r->out, 0, 8);
}

/* ---- sections of which a part changes ---- */

/* The record is one more string, with a key that no other has. */
static void copy_strings(struct run *r)
{
    uint64_t greatest = 0;
    r->strings = tk_tracy_u64(r->in, "strings");
    tk_tracy_put(r->out, r->strings + (r->copy->record != NULL), 8);
    for (uint64_t i = 0; i < r->strings && tk_tracy_ok(r->in); i++) {
        const uint64_t key = copy_number(r);
        greatest = key > greatest ? key : greatest;
        copy(r, copy_number(r));
    }
    if (!r->copy->record)
        return;
    tk_tracy_put(r->out, greatest + 1, 8);
    tk_tracy_put_text(r->out, r->copy->record, r->copy->n_record);
}

static void put_reference(struct run *r)
{
    tk_tracy_put(r->out, r->strings, 8);
    tk_tracy_put(r->out, NUMBER, 1);
}

static void copy_app_info(struct run *r)
{
    const uint64_t n = tk_tracy_u64(r->in, "application information");
    tk_tracy_put(r->out, n + (r->copy->record != NULL), 8);
    copy(r, n * REF);
    if (r->copy->record)
        put_reference(r);
}

/* Frames without their images. */
static void copy_frames(struct run *r)
{
    const uint64_t sets = copy_number(r);
    for (uint64_t i = 0; i < sets && tk_tracy_ok(r->in); i++) {
        copy(r, 8);
        const uint8_t continuous = tk_tracy_u8(r->in, "kind of a frame set");
        tk_tracy_put(r->out, continuous, 1);
        const uint64_t n = copy_number(r);
        for (uint64_t k = 0; k < n && tk_tracy_ok(r->in); k++) {
            copy(r, continuous ? 8 : 16);
            tk_tracy_skip(r->in, 4, "image of a frame");
            tk_tracy_put(r->out, UINT32_MAX, 4);
        }
    }
}

static void copy_thread(struct run *r)
{
    const struct tk_tracy_layout *layout = &r->copy->c->layout;
    const bool messages = drops(r, TK_TRACY_MESSAGES), samples = drops(r, TK_TRACY_SAMPLES);
    copy(r, 8);
    const uint64_t zones = copy_number(r);
    copy(r, (layout->kernel_samples ? 8u : 0) + (layout->fiber ? 1u : 0) + (layout->group_hint ? 4u : 0));
    copy(r, 4 + ZONE * zones);
    (messages ? leave_out_list : copy_list)(r, KEY);
    for (unsigned i = 0; i < (layout->switch_samples ? 2u : 1u); i++)
        (samples ? leave_out_list : copy_list)(r, SAMPLE);
}

/* The numbers of zones in front are what the loader makes room for: they may be too large. */
static void copy_threads(struct run *r)
{
    copy(r, 16);
    uint64_t n = tk_tracy_u64(r->in, "threads");
    if (r->copy->survey->whole <= tk_tracy_threads_section)
        n = r->copy->survey->threads;
    tk_tracy_put(r->out, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_ok(r->in); i++)
        copy_thread(r);
}

static const struct {
    const char *section;
    void (*copy)(struct run *r);
} changing[] = {
    {"strings", copy_strings}, {"app_info", copy_app_info}, {"frames", copy_frames}, {"zones", copy_threads}};

/* ---- sections that hold nothing ---- */

static void put_zeros(struct tk_tracy_writer *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_tracy_put(out, 0, 1);
}

/* Bytes of zeros that make a section an empty one. */
static size_t zeros_of(const char *section, const struct tk_tracy_layout *layout)
{
    static const struct {
        const char *section;
        size_t n;
    } table[] = {{"zones", 24}, {"gpu", 24}, {"symbols", 24}, {"cpu_switches", 8 + 8 * CPUS}};
    if (strcmp(section, "frame_images") == 0)
        return layout->image_dictionary ? 12 : 8;
    if (strcmp(section, "symbol_code") == 0)
        return layout->code_locations ? 16 : 8;
    if (strcmp(section, "sections") == 0)
        return layout->section_categories ? 16 : layout->section_list ? 8 : 0;
    if (strcmp(section, "code_symbols") == 0 || strcmp(section, "hardware_samples") == 0)
        return layout->code_symbols ? 8 : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(section, table[i].section) == 0)
            return table[i].n;
    return 8;
}

static void put_nothing(struct run *r, const char *section)
{
    const struct tk_tracy_layout *layout = &r->copy->c->layout;
    if (strcmp(section, "memory") ==
        0) { /* as Tracy itself leaves it out; before 0.7.3 one pool of six numbers */
        put_zeros(r->out, layout->named_pools ? 16 : 6 * 8);
    } else if (strcmp(section, "zone_extras") == 0) { /* number 0 is none */
        tk_tracy_put(r->out, 1, 8);
        put_zeros(r->out, layout->zone_colour ? EXTRA : OLD_EXTRA);
    } else if (strcmp(section, "app_info") == 0 && r->copy->record) {
        tk_tracy_put(r->out, 1, 8);
        put_reference(r);
    } else {
        put_zeros(r->out, zeros_of(section, layout));
    }
}

/* ---- all of them ---- */

static bool changes(const struct run *r, const char *section)
{
    if (strcmp(section, "frames") == 0)
        return drops(r, TK_TRACY_IMAGES);
    if (strcmp(section, "zones") == 0)
        return drops(r, TK_TRACY_MESSAGES) || drops(r, TK_TRACY_SAMPLES) ||
               r->copy->survey->whole <= tk_tracy_threads_section;
    return true;
}

static void copy_section(struct run *r, size_t i)
{
    const struct tk_tracy_span *span = &r->copy->survey->sections[i];
    const char *name = tk_tracy_sections[i]->name;
    const bool broken = i >= r->copy->survey->whole;
    if ((broken && i != tk_tracy_threads_section) || (broken && i > r->copy->survey->whole) ||
        drops(r, tk_edit_tracy_topic_of(name))) {
        if (!broken)
            tk_tracy_skip(r->in, span->end - span->start, "a section");
        put_nothing(r, name);
        return;
    }
    for (size_t k = 0; k < sizeof changing / sizeof *changing; k++)
        if (strcmp(changing[k].section, name) == 0 && changes(r, name)) {
            changing[k].copy(r);
            return;
        }
    copy(r, span->end - span->start);
}

int tk_tracy_copy_run(const struct tk_tracy_copy *how, struct tk_tracy_writer *out, struct tk_err *err)
{
    struct run r = {.copy = how, .out = out};
    r.in = &r.from.in;
    int rc = tk_tracy_payload_in_open(&r.from, how->c, err);
    if (rc == TK_OK) {
        copy(&r, TK_TRACY_VERSION_BYTES);
        for (size_t i = 0; i < tk_tracy_n_sections && tk_tracy_ok(r.in) && out->rc == TK_OK; i++)
            copy_section(&r, i);
        rc = r.in->rc;
        if (rc != TK_OK && err)
            *err = r.in->err;
        if (rc == TK_OK && !tk_tracy_ok(r.in))
            rc = tk_err_set(err, TK_EIO, "the capture became shorter while it was read");
    }
    tk_tracy_payload_in_close(&r.from);
    return rc;
}
