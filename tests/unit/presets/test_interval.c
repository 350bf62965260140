/* Names of files that come from regions and counters: as Unreal Insights cleans them, and none that Windows
 * lacks. */
#include "presets/presets_in.h"
#include "run.h"

#include <string.h>

static void path_is(const char *pattern, const char *region, const char *wanted)
{
    struct tk_intern names = {0};
    struct tk_interval interval = {0};
    const struct tk_str text = {.p = region, .n = (uint32_t)strlen(region), .enc = TK_ENC_UTF8};
    interval.name = tk_interval_name(&names, &text);
    ck_assert_ptr_nonnull(interval.name);
    char *path = tk_interval_path(pattern, &interval, NULL, 0);
    ck_assert_str_eq(path, wanted);
    free(path);
    tk_intern_release(&names);
}

START_TEST(no_device_stream_or_lost_end)
{
    path_is("{region}.csv", "GPU:0", "GPU_0.csv");
    path_is("{region}.csv", "nul", "_nul.csv");
    path_is("out/{region}.csv", "Com1", "out/_Com1.csv");
    path_is("timers_{region}.csv", "CON", "timers_CON.csv");
    path_is("{region}", "Loading...", "Loading.._");
    path_is("{region}.csv", "Loading...", "Loading....csv");
    path_is("{region}.csv", "  a/b\\c?  ", "a_b_c_.csv");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {no_device_stream_or_lost_end};
    return RUN_TESTS("export preset interval", tests);
}
