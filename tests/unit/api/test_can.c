/* Which questions a capture can answer: by what the test wrote into it, and what would have recorded the
 * rest. */
#include "format/tracy/sample.h"
#include "memory_put.h"

#define NOTHING "frames|no|0\nCPU time by timer|no|0\nGPU time|no|0\nwhat threads wait for|no|0\n"

START_TEST(memory_without_call_stacks)
{
    memory_begin();
    alloc(0, 16, 8);
    alloc(0, 32, 8);
    release(0, 16);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "can", "question,answer,found"), NOTHING
                     "memory|yes|3\nmemory by call stack|partly|3\nloading|no|0\nnetwork|no|0\nsamples|no|0\n"
                     "functions of addresses|no|0\ncounters|no|0\nlog|no|0\nregions and bookmarks|no|0\n");
    const char *all = captured_table(capture, "can", "question,missing,how");
    ck_assert_ptr_nonnull(strstr(all, "memory||\nmemory by call stack|call stacks|Unreal records them with "
                                      "-trace=memory, which switches the channel 'callstack' on\n"));
    ck_assert_ptr_nonnull(
        strstr(all, "frames|frame marks|Unreal records them with the channel 'frame' on\n"));
    memory_end();
}
END_TEST

static struct captured *written(const struct tk_tw_trace *trace)
{
    struct captured *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    strcpy(c->path, "/tmp/tracekit-unit-XXXXXX");
    int fd = mkstemp(c->path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    const struct tk_tw_options options = {.path = c->path, .version = TK_TW_V(0, 14, 0)};
    ck_assert_int_eq(tk_tw_write(&options, trace), 0);
    return c;
}

START_TEST(a_capture_of_tracy)
{
    struct captured *c = written(&sample);
    const char *all = captured_table(c, "can", "question,answer,how");
    ck_assert_ptr_nonnull(strstr(all, "frames|yes|\n"));
    ck_assert_ptr_nonnull(strstr(all, "memory by call stack|yes|\n"));
    ck_assert_ptr_nonnull(strstr(all, "samples|yes|\n"));
    ck_assert_ptr_nonnull(strstr(all, "network|no|Tracy does not record a network; look at plots\n"));
    captured_free(c);
}
END_TEST

#define CRASH "time,system_id,thread,message,scopes"

/* The zone of the thread ends: none is open. Then it does not, and one is. Then there is no crash. */
START_TEST(a_crash)
{
    static const struct tk_tw_zone open[] = {{2, 0, 0, -50, -1}};
    struct tk_tw_thread threads[LENGTH(sample_threads)];
    struct tk_tw_trace trace = sample;
    struct captured *c = written(&sample);
    ck_assert_str_eq(captured_table(c, "crash", CRASH), "2999|200|Worker, \"one\"|SIGSEGV|\n");
    captured_free(c);
    memcpy(threads, sample_threads, sizeof threads);
    threads[1].zones = open;
    trace.threads = threads;
    c = written(&trace);
    ck_assert_str_eq(captured_table(c, "crash", CRASH), "2999|200|Worker, \"one\"|SIGSEGV|Game::Draw\n");
    captured_free(c);
    trace.crash_tid = 0;
    c = written(&trace);
    ck_assert_str_eq(captured_table(c, "crash", CRASH), "");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {memory_without_call_stacks, a_capture_of_tracy, a_crash};
    return RUN_TESTS("what a capture can answer", tests);
}
