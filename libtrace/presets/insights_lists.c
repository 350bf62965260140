/*
 * The lists of threads and of timers of the preset `insights`. insights_run.c calls it for these two tables.
 */
#include "base/err.h"
#include "presets/insights.h"

static struct tk_str text_lists(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

static void put_thread(struct tk_page *page, uint64_t id, struct tk_str name, const struct tk_str *group)
{
    tk_page_u64(page, id);
    tk_page_text(page, name);
    tk_page_text(page, group ? *group : text_lists(""));
    tk_page_end(page);
}

/* Lines that are always there, then queues, then threads. */
int tk_insights_threads(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Name", "Group"};
    static const struct {
        uint64_t id;
        const char *name, *group;
    } fixed[] = {
        {0x47505531, "GPU1", "GPU"}, {0x47505532, "GPU2", "GPU"}, {0x56525345, "VerseSampling", "Verse"}};
    static const struct tk_call_taker nobody;
    const struct tk_str gpu = text_lists("GPU");
    struct tk_calls calls = {.taker = &nobody};
    struct tk_page page;
    int rc = tk_calls_read(&calls, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 3);
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
            const struct tk_str group = text_lists(fixed[i].group);
            put_thread(&page, fixed[i].id, text_lists(fixed[i].name), &group);
        }
        for (size_t i = 0; i < calls.queues.n; i++)
            if (calls.queues.v[i].key <= UINT32_MAX)
                put_thread(&page, calls.queues.v[i].key + 65536, *calls.queues.v[i].name, &gpu);
        for (size_t i = 0; i < x->threads.n; i++)
            put_thread(&page, x->threads.v[i].id, *x->threads.v[i].name, x->threads.v[i].group);
        rc = tk_page_commit(&page, err);
    }
    tk_calls_release(&calls);
    return rc;
}

int tk_insights_timers(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Type", "Name", "File", "Line"};
    static const struct tk_call_taker nobody;
    struct tk_calls calls = {.taker = &nobody};
    struct tk_page page;
    int rc = tk_calls_read(&calls, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 5);
        for (size_t i = 0; i < calls.timers.n; i++) {
            const struct tk_call_timer *timer = &calls.timers.v[i];
            const bool gpu = timer->kind == TK_TIMER_GPU || timer->kind == TK_TIMER_GPU_WORK ||
                             timer->kind == TK_TIMER_GPU_WAIT;
            if (!timer->name)
                continue;
            tk_page_u64(&page, i);
            tk_page_c(&page, gpu ? "GPU" : "CPU");
            tk_page_text(&page, *timer->name);
            tk_page_text(&page, timer->file ? *timer->file : text_lists(""));
            tk_page_u64(&page, timer->file ? timer->line : 0);
            tk_page_end(&page);
        }
        rc = tk_page_commit(&page, err);
    }
    tk_calls_release(&calls);
    return rc;
}
