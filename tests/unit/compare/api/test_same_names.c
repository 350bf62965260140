/* Counters and tags of the same names in data stored for a run. Expectations are worked out by hand. */
#include "api/memory_put.h"
#include "compare/baseline/baseline.h"

enum { FRAMES = 4, STEP = 100 };

/* Frames of 100 cycles, of which there is one block. */
static void put_frames(void)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        tk_uw_frame_begin(&capture->uw, &capture->lanes[1], START + 100 + (uint64_t)i * STEP, 0);
        tk_uw_frame_end(&capture->uw, &capture->lanes[1], START + 100 + (uint64_t)(i + 1) * STEP, 0);
    }
}

static const struct tk_base_run *run_of(struct tk_baseline **out)
{
    struct tk_trace *trace = NULL;
    captured_close(capture);
    ck_assert_int_eq(tk_open(&trace, capture->path, NULL, &capture->err), TK_OK);
    ck_assert_int_eq(tk_baseline_new(out, &capture->err), TK_OK);
    int rc = tk_baseline_add(*out, trace, NULL, &capture->err);
    ck_assert_msg(rc == TK_OK, "%d: %s", rc, capture->err.text[0]);
    tk_close(trace);
    return (*out)->runs.v[0];
}

/* The only series of a name; NULL: there is none. */
static const struct tk_series *find(const struct tk_base_run *run, const char *name)
{
    const struct tk_series *found = NULL;
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (s->name->n == strlen(name) && memcmp(s->name->p, name, s->name->n) == 0) {
            ck_assert_ptr_null(found);
            found = s;
        }
    }
    return found;
}

/* 1 and 5 of one, 9 of the other, in two frames. */
START_TEST(counters_of_one_name)
{
    struct tk_baseline *b;
    tk_uw_counter_spec(&capture->uw, 1, 0, 0, "Bots");
    tk_uw_counter_spec(&capture->uw, 2, 0, 0, "Bots");
    captured_send(capture);
    put_frames();
    tk_uw_counter_int(&capture->uw, &capture->lanes[1], START + 110, 1, 1);
    tk_uw_counter_int(&capture->uw, &capture->lanes[1], START + 120, 2, 9);
    tk_uw_counter_int(&capture->uw, &capture->lanes[1], START + 210, 1, 5);
    const struct tk_base_run *run = run_of(&b);
    const struct tk_series *s = find(run, "Bots");
    ck_assert(s->count == 3 && s->blocks[0] == 15 && s->hits[0] == 3 && s->low == 1 && s->high == 9);
    tk_baseline_free(b);
}
END_TEST

/* Tags that are called alike have their parents, and what nothing distinguishes is added up. */
START_TEST(tags_of_one_name)
{
    static const struct {
        const char *name;
        double bytes;
    } wanted[] = {{"Audio/Misc", 16}, {"UI/Misc", 32}, {"Net/Misc", 64}, {"Meshes", 128}, {"Unknown", 768}};
    struct tk_baseline *b;
    put(capture, 0, ev.tag, Q(4), Q(UINT32_MAX), "Audio");
    put(capture, 0, ev.tag, Q(5), Q(4), "Audio/Misc");
    put(capture, 0, ev.tag, Q(6), Q(UINT32_MAX), "UI");
    put(capture, 0, ev.tag, Q(7), Q(6), "Misc");
    put(capture, 0, ev.tag, Q(8), Q(UINT32_MAX), "Net/Misc");
    put(capture, 0, ev.tag, Q(9), Q(4), "Audio/Meshes");
    for (int32_t i = 0; i < 6; i++) {
        static const int32_t tags[] = {5, 7, 8, 9, -3, -4};
        enter(0, tags[i]);
        alloc(0, 4096 + (uint64_t)i * 4096, 16u << i);
        leave(0);
    }
    put_frames();
    const struct tk_base_run *run = run_of(&b);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct tk_series *s = find(run, wanted[i].name);
        ck_assert_msg(s != NULL, "%s", wanted[i].name);
        ck_assert_msg(s->high == wanted[i].bytes && s->last == wanted[i].bytes, "%s: %g", wanted[i].name,
                      s->high);
        ck_assert(s->count == 1 + (i == 4));
    }
    ck_assert_ptr_null(find(run, "Misc"));
    tk_baseline_free(b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counters_of_one_name, tags_of_one_name};
    return RUN_TESTS_AROUND("same names", tests, memory_begin, memory_end);
}
