/*
 * A small capture with something of everything that the writer knows, and what must come out of it.
 */
#ifndef TK_TESTS_UNIT_TRACY_SAMPLE_H
#define TK_TESTS_UNIT_TRACY_SAMPLE_H

#include "tracy_writer.h"

enum {
    S_UPDATE,
    S_UPDATE_FUNCTION,
    S_FILE,
    S_DRAW_FUNCTION,
    S_DYNAMIC,
    S_MAIN,
    S_WORKER,
    S_FIBER,
    S_AUDIO,
    S_LOADING,
    S_HELLO,
    S_BAD,
    S_ZONE_TEXT,
    S_OWN_NAME,
    S_LOCK,
    S_PLOT,
    S_POOL,
    S_GPU,
    S_CRASH,
    S_APP,
    S_COUNT
};

static const char *const sample_strings[S_COUNT] = {
    [S_UPDATE] = "update",
    [S_UPDATE_FUNCTION] = "Game::Update",
    [S_FILE] = "src/game.cpp",
    [S_DRAW_FUNCTION] = "Game::Draw",
    [S_DYNAMIC] = "script",
    [S_MAIN] = "Main thread",
    [S_WORKER] = "Worker, \"one\"",
    [S_FIBER] = "fiber 7",
    [S_AUDIO] = "Audio",
    [S_LOADING] = "loading",
    [S_HELLO] = "hello",
    [S_BAD] = "something \xff went wrong",
    [S_ZONE_TEXT] = "first\nsecond",
    [S_OWN_NAME] = "update, renamed",
    [S_LOCK] = "queue lock",
    [S_PLOT] = "load",
    [S_POOL] = "textures",
    [S_GPU] = "queue 0",
    [S_CRASH] = "SIGSEGV",
    [S_APP] = "build 17",
};

#define FIBER_TID  ((UINT64_C(1) << 32) + 7)
#define MAIN_TID   100
#define WORKER_TID 200
#define LATE_TID   300 /* not in the table of threads */

static const struct tk_tw_location sample_locations[] = {
    {S_UPDATE, S_UPDATE_FUNCTION, S_FILE, 10, 0xff0000},
    {-1, S_DRAW_FUNCTION, S_FILE, 20, 0},
};
static const struct tk_tw_location sample_dynamics[] = {{S_DYNAMIC, -1, -1, 5, 0}};

static const struct tk_tw_frame main_frames[] = {{0, 0, -1}, {1000, 0, -1}, {2500, 0, 0}};
static const struct tk_tw_frame audio_frames[] = {{500, 0, -1}, {900, 0, -1}};
static const struct tk_tw_frame loading_frames[] = {{100, 300, -1}, {400, -1, -1}};

/* The main set does not come first. */
static const struct tk_tw_frame_set sample_sets[] = {
    {S_AUDIO, true, audio_frames, 2}, {-1, true, main_frames, 3}, {S_LOADING, false, loading_frames, 2}};

static const struct tk_tw_section sample_sections[] = {
    {0, -5, 100, S_HELLO}, {0, 200, 300, S_BAD}, {3, 1, 2, -1}};
static const struct tk_tw_category sample_categories[] = {{3, S_LOADING}};

static const uint64_t lock_threads[] = {MAIN_TID, WORKER_TID};
static const struct tk_tw_lock_event lock_events[] = {{1010, 1, 0, 0}, {1015, 1, 0, 1}, {1020, 2, 1, 2}};
static const struct tk_tw_lock sample_locks[] = {{4, S_LOCK, 1, 1, 1000, -1, lock_threads, 2, lock_events, 3},
                                                 {5, -1, 2, 0, 0, 0, lock_threads, 1, NULL, 0}};

static const struct tk_tw_message sample_messages[] = {{1100, S_HELLO, 0xffffffff, 0, 0, 2, 0},
                                                       {1200, S_BAD, 0xffff0000, 3, 1, 4, 2},
                                                       {1300, S_HELLO, 0, 0, 0, 5, 0}};

static const struct tk_tw_extra sample_extras[] = {{3, S_ZONE_TEXT, -1, 0}, {0, -1, S_OWN_NAME, 0x00ff00}};

static const struct tk_tw_zone main_zones[] = {
    {1, 0, 1, 1000, 2000}, {2, 1, 0, 1100, 1500}, {-1, 2, 0, 1200, 1200},
    {2, 1, 2, 1600, 1700}, {1, 0, 0, 2500, -1},   {2, 1, 0, 2600, -1},
};
static const struct tk_tw_zone worker_zones[] = {{2, 0, 0, -50, 3000}};
static const struct tk_tw_zone fiber_zones[] = {{-1, 0, 0, 10, 20}, {1, 0, 0, 30, 50}};
static const struct tk_tw_sample samples[] = {{1, 2}, {5, 3}};

static const struct tk_tw_thread sample_threads[] = {
    {MAIN_TID, S_MAIN, false, false, main_zones, 6, samples, NULL, 2, 0},
    {WORKER_TID, S_WORKER, false, false, worker_zones, 1, NULL, samples, 0, 1},
    {LATE_TID, S_LOADING, false, true, NULL, 0, NULL, NULL, 0, 0},
    {FIBER_TID, S_FIBER, true, false, fiber_zones, 2, NULL, NULL, 0, 0},
};

static const struct tk_tw_gpu_zone gpu_zones[] = {{1, 0, 1, 1, 11, 1000, 1010, 5000, 6000},
                                                  {2, 1, 0, 1, 12, 1002, 1004, 5100, 5200},
                                                  {1, 0, 0, 2, 13, 1500, 1510, 7000, -1}};
static const struct tk_tw_gpu sample_gpus[] = {{0, S_GPU, 2, 1.5f, gpu_zones, 3}};

static const struct tk_tw_point plot_points[] = {{10, 1.5}, {20, -2.0}, {15, 4.0}};
static const struct tk_tw_plot sample_plots[] = {{S_PLOT, 0, 2, plot_points, 3}};

static const struct tk_tw_memory pool_events[] = {{0x1000, 64, 100, 250, 0, 1}, {0x2000, 32, 120, -1, 2, 2}};
static const struct tk_tw_pool sample_pools[] = {{-1, NULL, 0}, {S_POOL, pool_events, 2}};
static const int sample_app_info[] = {S_APP, S_HELLO};

/* What stands behind memory. Frame 0x4000..01 is an index, not an address; 0x9000 is not known. */
#define CODE_INDEX (UINT64_C(1) << 62 | 1)

static const struct tk_tw_external sample_externals[] = {{900, S_AUDIO, S_LOADING}, {901, -1, -1}};
static const uint64_t stack_1[] = {0x1010, 0x2020}, stack_2[] = {CODE_INDEX, 0x9000, 0x2020};
static const struct tk_tw_callstack sample_callstacks[] = {{stack_1, 2}, {stack_2, 3}, {NULL, 0}};
static const struct tk_tw_place places_1[] = {{S_UPDATE_FUNCTION, S_FILE, 11, 0x1000},
                                              {S_DRAW_FUNCTION, S_FILE, 21, 0x1008}};
static const struct tk_tw_place places_2[] = {{S_DRAW_FUNCTION, -1, 0, 0x2000}};
static const struct tk_tw_code_frame sample_code_frames[] = {
    {0x1010, S_APP, places_1, 2}, {0x2020, S_APP, places_2, 1}, {CODE_INDEX, -1, places_2, 1}};
static const uint8_t pixels_1[] = {0, 1, 2, 3, 4, 5, 6, 7}, pixels_2[16] = {9, 8, 7};
static const struct tk_tw_image sample_images[] = {{4, 4, false, pixels_1}, {8, 4, true, pixels_2}};
static const struct tk_tw_switch main_switches[] = {{900, 1000, 1400, 0, 5, 103, 0, 1},
                                                    {1450, 1500, 2100, 1, -2, 104, 0, 0}};
static const struct tk_tw_switch fiber_switches[] = {{10, 10, 20, 0, 99, 0, WORKER_TID, 0},
                                                     {30, 30, -1, 0, 99, 0, MAIN_TID, 0}};
static const struct tk_tw_switches sample_switches[] = {{MAIN_TID, main_switches, 2},
                                                        {FIBER_TID, fiber_switches, 2}};
static const struct tk_tw_cpu_switch cpu_2[] = {{50, 60, 0}, {70, 90, 1}};
static const struct tk_tw_cpu sample_cpus[] = {{NULL, 0}, {NULL, 0}, {cpu_2, 2}};
static const struct tk_tw_process sample_processes[] = {{MAIN_TID, 4711}, {900, 12}};
static const struct tk_tw_cpu_use sample_cpu_use[] = {{MAIN_TID, 1000, 2, 1}, {900, 10, 1, 0}};
static const struct tk_tw_symbol sample_symbols[] = {
    {0x1000, S_UPDATE_FUNCTION, S_FILE, 10, S_APP, -1, 0, false, 64},
    {0x1008, S_DRAW_FUNCTION, S_FILE, 20, S_APP, S_FILE, 12, true, 8}};
static const struct tk_tw_code sample_code[] = {{0x1000, "\x90\x90\xc3", 3}};
static const struct tk_tw_code_symbol sample_code_symbols[] = {{0x1010, 0x1000}, {0x1012, 0x1008}};
static const int64_t overflows[] = {1100, 1050, 1200};
static const struct tk_tw_hw_sample sample_hw_samples[] = {
    {0x1010, {{overflows, 3}, {NULL, 0}, {NULL, 0}, {overflows, 1}, {NULL, 0}, {overflows + 1, 1}}}};
static const struct tk_tw_source sample_sources[] = {{"src/game.cpp", "int main;\n"}, {"empty.h", ""}};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const struct tk_tw_trace sample = {
    .capture_name = "sample @ noon",
    .program = "sample",
    .host = "OS: none\nRAM: 1 MB",
    .pid = 4711,
    .capture_time = 1700000000,
    .last_time = 3000,
    .crash_tid = WORKER_TID,
    .crash_time = 2999,
    .crash_message = S_CRASH,
    .strings = sample_strings,
    .n_strings = S_COUNT,
    .locations = sample_locations,
    .n_locations = LENGTH(sample_locations),
    .dynamics = sample_dynamics,
    .n_dynamics = LENGTH(sample_dynamics),
    .frame_sets = sample_sets,
    .n_frame_sets = LENGTH(sample_sets),
    .sections = sample_sections,
    .n_sections = LENGTH(sample_sections),
    .categories = sample_categories,
    .n_categories = LENGTH(sample_categories),
    .locks = sample_locks,
    .n_locks = LENGTH(sample_locks),
    .messages = sample_messages,
    .n_messages = LENGTH(sample_messages),
    .extras = sample_extras,
    .n_extras = LENGTH(sample_extras),
    .threads = sample_threads,
    .n_threads = LENGTH(sample_threads),
    .gpus = sample_gpus,
    .n_gpus = LENGTH(sample_gpus),
    .plots = sample_plots,
    .n_plots = LENGTH(sample_plots),
    .pools = sample_pools,
    .n_pools = LENGTH(sample_pools),
    .app_info = sample_app_info,
    .n_app_info = LENGTH(sample_app_info),
    .externals = sample_externals,
    .n_externals = LENGTH(sample_externals),
    .callstacks = sample_callstacks,
    .n_callstacks = LENGTH(sample_callstacks),
    .code_frames = sample_code_frames,
    .n_code_frames = LENGTH(sample_code_frames),
    .images = sample_images,
    .n_images = LENGTH(sample_images),
    .switches = sample_switches,
    .n_switches = LENGTH(sample_switches),
    .cpus = sample_cpus,
    .n_cpus = LENGTH(sample_cpus),
    .processes = sample_processes,
    .n_processes = LENGTH(sample_processes),
    .cpu_use = sample_cpu_use,
    .n_cpu_use = LENGTH(sample_cpu_use),
    .symbols = sample_symbols,
    .n_symbols = LENGTH(sample_symbols),
    .code = sample_code,
    .n_code = LENGTH(sample_code),
    .code_symbols = sample_code_symbols,
    .n_code_symbols = LENGTH(sample_code_symbols),
    .hw_samples = sample_hw_samples,
    .n_hw_samples = LENGTH(sample_hw_samples),
    .sources = sample_sources,
    .n_sources = LENGTH(sample_sources),
};

/* A version of each layout that there is. */
static const uint32_t sample_versions[] = {
    TK_TW_V(0, 7, 0),  TK_TW_V(0, 7, 2),  TK_TW_V(0, 7, 3),  TK_TW_V(0, 7, 5),  TK_TW_V(0, 7, 6),
    TK_TW_V(0, 7, 8),  TK_TW_V(0, 7, 9),  TK_TW_V(0, 7, 10), TK_TW_V(0, 7, 11), TK_TW_V(0, 7, 12),
    TK_TW_V(0, 7, 14), TK_TW_V(0, 7, 15), TK_TW_V(0, 8, 2),  TK_TW_V(0, 8, 3),  TK_TW_V(0, 8, 5),
    TK_TW_V(0, 9, 1),  TK_TW_V(0, 9, 2),  TK_TW_V(0, 10, 0), TK_TW_V(0, 11, 1), TK_TW_V(0, 11, 2),
    TK_TW_V(0, 11, 3), TK_TW_V(0, 12, 2), TK_TW_V(0, 12, 3), TK_TW_V(0, 12, 4), TK_TW_V(0, 13, 1),
    TK_TW_V(0, 13, 2), TK_TW_V(0, 13, 4), TK_TW_V(0, 13, 5), TK_TW_V(0, 14, 0), TK_TW_V(0, 14, 1),
};

#endif
