/*
 * Surveys.
 */
#include "edit/tracy/edit_tracy.h"

#include <string.h>

/*
 * The table of topics.
 */

static const struct {
    char letter;
    const char *words[3], *sections[4];
} topics[TK_TRACY_TOPICS] = {
    [TK_TRACY_LOCKS] = {'l', {"locks", "lock"}, {"locks"}},
    [TK_TRACY_MESSAGES] = {'m', {"messages", "logs", "log"}, {"messages"}},
    [TK_TRACY_PLOTS] = {'p', {"plots", "counters", "counter"}, {"plots"}},
    [TK_TRACY_MEMORY] = {'M', {"memory", "allocations"}, {"memory"}},
    [TK_TRACY_IMAGES] = {'i', {"images", "screenshots"}, {"frame_images"}},
    [TK_TRACY_SWITCHES] = {'c', {"switches"}, {"context_switches", "cpu_switches", "processes", "cpu_use"}},
    [TK_TRACY_SAMPLES] = {'s', {"samples", "sample"}, {"hardware_samples"}},
    [TK_TRACY_CODE] = {'C', {"code"}, {"symbol_code"}},
    [TK_TRACY_SOURCES] = {'S', {"sources", "source"}, {"source_files"}},
    [TK_TRACY_CPU] = {0, {"cpu", "scopes", "zones"}, {"zones"}},
    [TK_TRACY_GPU] = {0, {"gpu"}, {"gpu"}},
    [TK_TRACY_FRAMES] = {0, {"frames", "frame"}, {"frames"}},
    [TK_TRACY_REGIONS] = {0, {"regions", "region"}, {"sections"}},
    [TK_TRACY_STACKS] = {0, {"callstacks"}, {"callstacks", "callstack_frames"}},
    [TK_TRACY_SYMBOLS] = {0, {"symbols"}, {"symbols", "code_symbols"}},
    [TK_TRACY_CRASH] = {0, {"crash"}, {"crash"}},
    [TK_TRACY_INFO] = {0, {"info", "session"}, {"app_info"}},
};

const char *tk_edit_tracy_topic_name(enum tk_edit_tracy_topic topic)
{
    return topic < TK_TRACY_TOPICS ? topics[topic].words[0] : "capture";
}

enum tk_edit_tracy_topic tk_edit_tracy_topic_of(const char *section)
{
    for (unsigned i = 0; i < TK_TRACY_TOPICS; i++)
        for (unsigned k = 0; k < 4 && topics[i].sections[k]; k++)
            if (strcmp(topics[i].sections[k], section) == 0)
                return (enum tk_edit_tracy_topic)i;
    return TK_TRACY_OTHERS;
}

/* What cannot be without what goes goes with it: samples are callstacks, code is that of symbols, and images
 * are those of frames. */
static uint32_t with_what_needs_it(uint32_t dropped)
{
    static const enum tk_edit_tracy_topic needs[][2] = {{TK_TRACY_SAMPLES, TK_TRACY_STACKS},
                                                        {TK_TRACY_CODE, TK_TRACY_SYMBOLS},
                                                        {TK_TRACY_IMAGES, TK_TRACY_FRAMES}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        dropped |= (dropped >> needs[i][1] & 1) << needs[i][0];
    return dropped;
}

static uint32_t by_word(const char *word)
{
    for (unsigned i = 0; i < TK_TRACY_TOPICS; i++)
        for (unsigned k = 0; k < 3 && topics[i].words[k]; k++)
            if (strcmp(topics[i].words[k], word) == 0)
                return UINT32_C(1) << i;
    return 0;
}

/* "lmp" as Tracy's update -s takes it; 0: another letter is in it. */
static uint32_t by_letters(const char *word)
{
    uint32_t found = 0;
    for (; *word; word++) {
        unsigned i = 0;
        while (i < TK_TRACY_TOPICS && topics[i].letter != *word)
            i++;
        if (i == TK_TRACY_TOPICS)
            return 0;
        found |= UINT32_C(1) << i;
    }
    return found;
}

static int read_words(uint32_t *found, const char *const *words, size_t n, struct tk_err *err)
{
    *found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t one = by_word(words[i]);
        if (!one)
            one = by_letters(words[i]);
        if (!one)
            return tk_err_set(
                err, TK_EMATCH,
                "'%.100s' is not a topic of a .tracy that can be kept or dropped: cpu, gpu, frames, "
                "regions, locks, messages, plots, memory, images, switches, samples, callstacks, "
                "symbols, code, sources, crash, info, or letters of lmpMicsCS",
                words[i]);
        *found |= one;
    }
    return TK_OK;
}

int tk_edit_tracy_topics_read(uint32_t *dropped, const char *const *keep, size_t n_keep,
                              const char *const *drop, size_t n_drop, struct tk_err *err)
{
    const uint32_t all = (UINT32_C(1) << TK_TRACY_TOPICS) - 1;
    uint32_t kept = all, gone = 0;
    int rc = n_keep ? read_words(&kept, keep, n_keep, err) : TK_OK;
    if (rc == TK_OK)
        rc = read_words(&gone, drop, n_drop, err);
    *dropped = with_what_needs_it((all & ~kept) | gone);
    return rc;
}

/*
 * Reading of payloads.
 */

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    const struct tk_tracy_payload_in *p = ctx;
    return tk_tracy_blocks_next(p->blocks, out, err);
}

int tk_tracy_payload_in_open(struct tk_tracy_payload_in *p, struct tk_tracy_capture *c, struct tk_err *err)
{
    p->blocks = NULL;
    tk_tracy_payload_init(&p->in, more, p);
    p->in.layout = &c->layout;
    return tk_tracy_blocks_open(&p->blocks, c->ctx, &c->box, err);
}

void tk_tracy_payload_in_close(struct tk_tracy_payload_in *p)
{
    tk_tracy_blocks_close(p->blocks);
    p->blocks = NULL;
}

enum { ZONE = 26 };

struct surveyor {
    struct tk_tracy_survey *s;
    bool (*instead)(void *ctx, struct tk_tracy_walk *w); /* NULL: nobody */
    void *ctx;
};

static int tell(void *ctx, const struct tk_tracy_walk *w, struct tk_err *err)
{
    struct tk_tracy_survey *s = ((struct surveyor *)ctx)->s;
    (void)err;
    if (w->index >= TK_TRACY_MOST_SECTIONS)
        return TK_OK;
    s->sections[w->index] = (struct tk_tracy_span){w->start, tk_tracy_at(&w->in), w->items};
    if (!w->faulted)
        s->whole = w->index + 1;
    return TK_OK;
}

static bool ask(void *ctx, struct tk_tracy_walk *w)
{
    const struct surveyor *g = ctx;
    return g->instead && g->instead(g->ctx, w);
}

static void skip_list(struct tk_tracy_payload *in, uint64_t size)
{
    const uint64_t n = tk_tracy_u64(in, "a list");
    if (n > UINT64_MAX / 64)
        tk_tracy_fail(in, tk_tracy_at(in), "a list that no payload can hold");
    else
        tk_tracy_skip(in, n * size, "a list");
}

/* A thread is as long as its numbers say (tracy-file 5.10). */
static void skip_thread(struct tk_tracy_payload *in, const struct tk_tracy_layout *layout)
{
    struct tk_tracy_thread v;
    if (tk_tracy_read_thread(in, &v) && v.zones > UINT64_MAX / 64)
        tk_tracy_fail(in, tk_tracy_at(in), "zones that no payload can hold");
    tk_tracy_skip(in, 4 + ZONE * (tk_tracy_ok(in) ? v.zones : 0), "zones");
    skip_list(in, tk_tracy_thread_message_size(layout));
    if (layout->switch_samples)
        skip_list(in, tk_tracy_sample_size(layout));
    skip_list(in, tk_tracy_sample_size(layout));
}

/* Of a section that breaks off, how many threads are whole. */
static int count_threads(struct tk_tracy_survey *s, struct tk_tracy_capture *c, struct tk_err *err)
{
    struct tk_tracy_payload_in p;
    int rc = tk_tracy_payload_in_open(&p, c, err);
    if (rc == TK_OK) {
        tk_tracy_skip(&p.in, s->sections[tk_tracy_threads_section].start + 16, "sections");
        const uint64_t n = tk_tracy_u64(&p.in, "threads");
        while (tk_tracy_ok(&p.in) && s->threads < n) {
            skip_thread(&p.in, &c->layout);
            s->threads += tk_tracy_ok(&p.in);
        }
        rc = p.in.rc;
        if (rc != TK_OK && err)
            *err = p.in.err;
    }
    tk_tracy_payload_in_close(&p);
    return rc;
}

static int survey(const struct surveyor *g, struct tk_tracy_capture *c, struct tk_health *health,
                  struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(STREAM)};
    struct tk_tracy_batch nothing = {0};
    struct tk_tracy_walk w;
    *g->s = (struct tk_tracy_survey){0};
    int rc = tk_tracy_walk_open(&w, c, &request, false, &nothing, health, err);
    w.tell = tell;
    w.instead = ask;
    w.tell_ctx = (void *)(uintptr_t)g;
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM; rc = tk_tracy_walk_next(&w, err))
        tk_tracy_batch_clear(&nothing);
    tk_tracy_walk_close(&w);
    tk_tracy_batch_release(&nothing);
    g->s->damaged = g->s->whole < tk_tracy_n_sections || tk_health_damaged(health) || c->truncated;
    return rc;
}

/* Threads get their numbers, too, by which it is known which there are. */
int tk_tracy_survey_run(struct tk_tracy_survey *s, struct tk_tracy_capture *c, struct tk_err *err)
{
    struct tk_health health = {.max_items = c->ctx->limits.health_items};
    int rc = survey(&(struct surveyor){.s = s}, c, &health, err);
    if (rc == TK_OK && s->whole == tk_tracy_threads_section)
        rc = count_threads(s, c, err);
    tk_health_merge(&c->ctx->health, &health);
    tk_health_release(&health);
    return rc;
}

int tk_tracy_survey_with(struct tk_tracy_survey *s, struct tk_tracy_capture *c,
                         bool (*instead)(void *ctx, struct tk_tracy_walk *w), void *ctx, struct tk_err *err)
{
    struct tk_health health = {.max_items = c->ctx->limits.health_items};
    const bool known = c->threads_known;
    const int rc = survey(&(struct surveyor){s, instead, ctx}, c, &health, err);
    if (s->damaged)
        c->threads_known = known;
    else
        tk_health_merge(&c->ctx->health, &health);
    tk_health_release(&health);
    return rc;
}
