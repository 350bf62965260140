/*
 * The two walks of a pass, and what sections do them with.
 */
#include "edit/tracy/edit_tracy.h"

#include <string.h>

enum { CPUS = 256 };

/* ---- what changes ---- */

enum why {
    CUT = 1,
    TEXTS = 2,
    RECORD = 4,
    IMAGES = 8,
    THREADS = 16,
    COUNTS = 32 /* the items that stay */,
    ALWAYS = 64,
    UNUSED = 128 /* nothing refers to it any more */
};

static const struct {
    const char *section;
    void (*pass)(struct tk_tracy_pass *p);
    unsigned why;
} changing[] = {
    {"header", tk_tracy_pass_header, TEXTS},
    {"crash", tk_tracy_pass_crash, TEXTS},
    {"frames", tk_tracy_pass_frames, CUT | TEXTS | IMAGES | COUNTS},
    {"sections", tk_tracy_pass_time_sections, TEXTS},
    {"strings", tk_tracy_pass_strings, TEXTS | RECORD},
    {"pointers", tk_tracy_pass_pointers, TEXTS},
    {"thread_names", tk_tracy_pass_thread_names, TEXTS},
    {"source_locations", tk_tracy_pass_locations, TEXTS},
    {"zone_counts", tk_tracy_pass_zone_counts, CUT},
    {"locks", tk_tracy_pass_locks, ALWAYS | COUNTS},
    {"messages", tk_tracy_pass_messages, CUT | COUNTS | TEXTS},
    {"zone_extras", tk_tracy_pass_extras, CUT | TEXTS},
    {"zones", tk_tracy_pass_threads, CUT | COUNTS | THREADS},
    {"gpu", tk_tracy_pass_gpu, CUT | COUNTS | TEXTS},
    {"plots", tk_tracy_pass_plots, CUT | COUNTS | TEXTS},
    {"memory", tk_tracy_pass_memory, CUT | COUNTS | TEXTS},
    {"callstacks", tk_tracy_pass_callstacks, UNUSED | COUNTS},
    {"callstack_frames", tk_tracy_pass_callstack_frames, TEXTS | COUNTS},
    {"app_info", tk_tracy_pass_app_info, TEXTS | RECORD},
    {"frame_images", tk_tracy_pass_images, CUT | COUNTS},
    {"context_switches", tk_tracy_pass_switches, CUT | COUNTS},
    {"cpu_switches", tk_tracy_pass_cpu_switches, CUT | COUNTS},
    {"symbols", tk_tracy_pass_symbols, TEXTS | COUNTS},
    {"symbol_code", tk_tracy_pass_symbol_code, UNUSED | COUNTS},
    {"code_symbols", tk_tracy_pass_code_symbols, UNUSED | COUNTS},
    {"hardware_samples", tk_tracy_pass_hardware_samples, CUT | COUNTS | UNUSED},
};

static unsigned reasons(const struct tk_tracy_pass *p)
{
    const bool zones = tk_tracy_pass_drops(p, TK_TRACY_CPU) || tk_tracy_pass_drops(p, TK_TRACY_GPU);
    unsigned why = ALWAYS | (p->window.cut || p->threads || zones ? CUT : 0);
    why |= p->unlinks ? UNUSED : 0;
    if (p->collects || p->text)
        why |= TEXTS;
    if (p->record)
        why |= RECORD;
    if (tk_tracy_pass_drops(p, TK_TRACY_IMAGES))
        why |= IMAGES;
    if (tk_tracy_pass_drops(p, TK_TRACY_MESSAGES) || tk_tracy_pass_drops(p, TK_TRACY_SAMPLES) ||
        (!p->ahead && p->survey->whole <= tk_tracy_threads_section) || p->lost_threads || p->lost_places ||
        p->closes || !p->out || tk_tracy_pass_drops(p, TK_TRACY_CPU))
        why |= THREADS;
    return why;
}

/* ---- sections that hold nothing ---- */

static void put_zeros(struct tk_tracy_pass *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_tracy_pass_put(p, 0, 1);
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

uint64_t tk_tracy_pass_empty_size(const struct tk_tracy_capture *c, const char *section)
{
    const struct tk_tracy_layout *layout = &c->layout;
    if (strcmp(section, "memory") == 0) /* as Tracy leaves it out; before 0.7.3 one pool of six numbers */
        return layout->named_pools ? 16 : 6 * 8;
    if (strcmp(section, "crash") == 0)
        return tk_tracy_crash_size(layout);
    if (strcmp(section, "zone_extras") == 0)
        return 8 + tk_tracy_extra_size(layout);
    return zeros_of(section, layout);
}

static void put_nothing(struct tk_tracy_pass *p, const char *section)
{
    const size_t n = (size_t)tk_tracy_pass_empty_size(p->c, section);
    if (strcmp(section, "zone_extras") == 0) { /* number 0 is none */
        tk_tracy_pass_put(p, 1, 8);
        put_zeros(p, n - 8);
    } else if (strcmp(section, "app_info") == 0 && p->record) {
        tk_tracy_pass_put(p, 1, 8);
        tk_tracy_pass_put_record(p);
    } else {
        put_zeros(p, n);
    }
}

/* ---- all of them ---- */

/* Does the section change? Then it is walked. */
static bool change(struct tk_tracy_pass *p, size_t i, unsigned why)
{
    const char *name = tk_tracy_sections[i]->name;
    const size_t counts = p->counts.n;
    for (size_t k = 0; k < sizeof changing / sizeof *changing; k++) {
        if (strcmp(changing[k].section, name) != 0 || !(changing[k].why & why))
            continue;
        changing[k].pass(p);
        p->counted[i] = changing[k].why & COUNTS;
        if (!p->out)
            p->of[i] = p->counts.n - counts;
        if (i == tk_tracy_threads_section && !p->out)
            tk_tracy_pass_number_extras(p);
        return true;
    }
    return false;
}

static void pass_section(struct tk_tracy_pass *p, size_t i)
{
    const struct tk_tracy_span *span = &p->survey->sections[i];
    const char *name = tk_tracy_sections[i]->name;
    const bool broken = i >= p->survey->whole;
    const unsigned why = reasons(p);
    if ((broken && i != tk_tracy_threads_section) || (broken && i > p->survey->whole) ||
        tk_edit_tracy_drops_section(p->dropped, name)) {
        if (!broken)
            tk_tracy_skip(p->in, span->end - span->start, "a section");
        put_nothing(p, name);
        return;
    }
    if (change(p, i, why))
        return;
    tk_tracy_pass_copy(p, span->end - span->start);
    if (p->out)
        p->at += p->of[i]; /* all of its lists are as they were */
}

static int walk(struct tk_tracy_pass *p, struct tk_err *err)
{
    p->in = &p->from.in;
    int rc = tk_tracy_payload_in_open(&p->from, p->c, err);
    if (rc == TK_OK) {
        tk_tracy_pass_copy(p, TK_TRACY_VERSION_BYTES);
        for (size_t i = 0; i < tk_tracy_n_sections && tk_tracy_pass_going(p); i++) {
            const uint64_t before = p->out ? tk_tracy_writer_size(p->out) : 0;
            p->section = i;
            pass_section(p, i);
            p->bytes[i] = p->out ? tk_tracy_writer_size(p->out) - before : 0;
        }
        p->failed |= p->tree.failed || p->gpu_tree.failed;
        rc = p->in->rc;
        if (rc != TK_OK && err)
            *err = p->in->err;
        if (rc == TK_OK && p->failed)
            rc = tk_err_nomem(err, "an edit");
        if (rc == TK_OK && !p->irregular && !tk_tracy_ok(p->in))
            rc = tk_err_set(err, TK_EIO, "the capture became shorter while it was read");
    }
    tk_tracy_payload_in_close(&p->from);
    return rc;
}

/* The new numbers of strings that stay. */
static void number_strings(struct tk_tracy_pass *p)
{
    uint32_t n = 0;
    if (!p->collects || tk_vec_reach(&p->strings, p->roles.n)) {
        p->failed |= p->collects;
        return;
    }
    for (size_t i = 0; i < p->roles.n; i++)
        p->strings.v[i] = p->roles.v[i] ? n++ : UINT32_MAX;
}

static int begin(struct tk_tracy_pass *p, struct tk_err *err)
{
    p->out = NULL;
    p->tree.window = p->gpu_tree.window = &p->window;
    for (unsigned i = 0; i < 2; i++)
        p->failed |= !(p->zones_of[i] = calloc(UINT16_MAX + 1, sizeof *p->zones_of[i]));
    if (p->failed || tk_vec_reach(&p->roles, p->c->strings.v.n) ||
        tk_tracy_zone_stack_open(&p->zones, p->c->ctx->limits.nesting) != TK_OK)
        return tk_err_nomem(err, "an edit");
    p->zones.latest = p->c->last_time > 0 ? p->c->last_time : INT64_MAX;
    return TK_OK;
}

int tk_tracy_pass_learn(struct tk_tracy_pass *p, struct tk_err *err)
{
    int rc = begin(p, err);
    if (rc == TK_OK)
        rc = walk(p, err);
    if (rc == TK_OK && p->unlinks)
        tk_tracy_pass_link_symbols(p);
    if (rc == TK_OK)
        number_strings(p);
    return rc == TK_OK && p->failed ? tk_err_nomem(err, "an edit") : rc;
}

/* A section that goes is passed over by the walk itself. */
static bool learn_section(void *ctx, struct tk_tracy_walk *w)
{
    struct tk_tracy_pass *p = ctx;
    if (p->irregular || p->failed || tk_edit_tracy_drops_section(p->dropped, w->section->name))
        return false;
    p->in = &w->in;
    p->section = w->index;
    p->items = 0;
    const bool walked = change(p, w->index, reasons(p));
    w->items = p->items;
    return walked;
}

int tk_tracy_pass_survey(struct tk_tracy_pass *p, struct tk_tracy_survey *survey, struct tk_err *err)
{
    p->survey = survey;
    p->ahead = true;
    int rc = begin(p, err);
    if (rc == TK_OK)
        rc = tk_tracy_survey_with(survey, p->c, learn_section, p, err);
    p->ahead = false;
    p->in = NULL;
    if (rc == TK_OK && p->unlinks)
        tk_tracy_pass_link_symbols(p);
    if (rc == TK_OK)
        number_strings(p);
    return rc == TK_OK && (p->failed || p->tree.failed) ? tk_err_nomem(err, "an edit") : rc;
}

int tk_tracy_pass_write(struct tk_tracy_pass *p, struct tk_tracy_writer *out, struct tk_err *err)
{
    p->out = out;
    p->at = 0;
    tk_tracy_tree_rewind(&p->tree);
    tk_tracy_tree_rewind(&p->gpu_tree);
    const int rc = walk(p, err);
    p->written = rc == TK_OK;
    return rc;
}

void tk_tracy_pass_release(struct tk_tracy_pass *p)
{
    tk_vec_release(&p->counts);
    tk_vec_release(&p->roles);
    tk_vec_release(&p->strings);
    tk_vec_release(&p->pointers);
    tk_vec_release(&p->extras);
    tk_vec_release(&p->extra);
    tk_vec_release(&p->images);
    tk_vec_release(&p->texts);
    tk_map_release(&p->messages);
    for (unsigned i = 0; i < 2; i++) {
        free(p->zones_of[i]);
        tk_vec_release(&p->continued[i].v);
    }
    tk_tracy_zone_stack_release(&p->zones);
    tk_tracy_tree_release(&p->tree);
    tk_tracy_tree_release(&p->gpu_tree);
    tk_tracy_used_code_release(&p->used);
    *p = (struct tk_tracy_pass){0};
}
