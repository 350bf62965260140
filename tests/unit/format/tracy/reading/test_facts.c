/*
 * What is read of a capture with something of everything, in every layout, against its description
 * (sample.h).
 */
#include "format/tracy/dump.h"
#include "format/tracy/sample.h"

static uint32_t version;

static bool since(uint32_t major, uint32_t minor, uint32_t patch)
{
    return version >= TK_TW_V(major, minor, patch);
}

static char wanted[16384];

static void want(const char *fmt, ...)
{
    size_t n = strlen(wanted);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(wanted + n, sizeof wanted - n, fmt, ap);
    va_end(ap);
}

/* Reads what is requested of the capture and compares. */
static void check(struct opened *o, uint64_t facts, unsigned what, const char *title)
{
    struct lines l = {0};
    char name[64];
    snprintf(name, sizeof name, "%s of version %x", title, (unsigned)version);
    dump_reading(&l, o, facts, what);
    dump_compare(&l, wanted, name);
    wanted[0] = '\0';
}

static void write_sample(struct tk_uw_bytes *memory, const struct tk_tw_options *form)
{
    struct tk_tw_options options = *form;
    options.memory = memory;
    options.version = version;
    ck_assert_int_eq(tk_tw_write(&options, &sample), 0);
}

static void want_definitions(void)
{
    want("clock 0 1000000000 1700000000\n"
         "TimerResolution = 7\nLastTime = 3000\nFrameOffset = 0\nProcessId = 4711\nSamplingPeriod = 0\n"
         "CpuManufacturer = GenuineIntel\nCpuArchitecture = x64\nCpuId = 906ea\n");
    want("OnDemand = no\nCaptureName = sample @ noon\nProgramName = sample\nCaptureTime = 1700000000\n");
    if (since(0, 7, 6))
        want("ExecutableTime = 1700000000\n");
    want("HostInfo = OS: none\nRAM: 1 MB\nCpuPackages = 1\nCpuDies = 1\nCpuCores = 2\nCpuThreads = 3\n"
         "CrashThread = 200\nCrashTime = 2999\nCrashCallstack = -\n"
         "TracyVersion = %u.%u.%u\nCrashMessage = SIGSEGV\n",
         (unsigned)(version >> 16), (unsigned)(version >> 8 & 255), (unsigned)(version & 255));
    /* thread 3 is the fiber: the thread that is not in the table comes behind those that are */
    want("thread 1 Main thread | - | named system 100\n"
         "thread 2 Worker, \"one\" | - | named system 200\n"
         "thread 3 fiber 7 | - | named system 4294967303\n"
         "timer 0 5 update | src/game.cpp | 10\n"
         "timer 1 5 Game::Draw | src/game.cpp | 20\n"
         "timer 2 5 script | - | 5\n");
}

/* Numbers of threads and what a fiber is are known when the zones were walked. */
static void want_late_threads(void)
{
    want("thread 4 loading | - | named system 300\n");
    if (since(0, 7, 11))
        want("thread 3 fiber 7 | Fiber | named - 0\n");
}

static void want_scopes(void)
{
    static const struct {
        int64_t time;
        int timer; /* -1: an end */
    } main_thread[] = {{1000, 0}, {1100, 1},  {1200, 2},  {1200, -1}, {1500, -1},
                       {1600, 1}, {1700, -1}, {2000, -1}, {2500, 0},  {2600, 1}};
    for (size_t i = 0; i < LENGTH(main_thread); i++) {
        want("lane 0 thread 1 @%" PRId64, main_thread[i].time);
        if (main_thread[i].timer < 0)
            want(" ends\n");
        else
            want(" begins %d\n", main_thread[i].timer);
    }
    want("lane 1 thread 2 @-50 begins 1\nlane 1 thread 2 @3000 ends\n"
         "lane 2 thread 3 @10 begins 2\nlane 2 thread 3 @20 ends\n"
         "lane 2 thread 3 @30 begins 0\nlane 2 thread 3 @50 ends\n");
}

/* The main set is type 0, though it comes second. Of its three frames a mark began the last. */
static void want_frames(void)
{
    want("frame 1 begins 500 Audio\nframe 1 ends 900 Audio\nframe 1 begins 900 Audio\n"
         "frame 0 begins 2500 Frame\n"
         "frame 2 begins 100 loading\nframe 2 ends 300 loading\nframe 2 begins 400 loading\n");
}

static void want_logs(void)
{
    bool severity = since(0, 13, 2);
    want("log @1100 1 5 - hello\n");
    want("log @1200 4 %s something \xff went wrong\n", severity ? "2 Tracy" : "5 -");
    want("log @1300 1 %d - hello\n", severity ? 1 : 5);
}

static const struct tk_tw_options forms[] = {
    {.container = TK_TW_TLZ, .codec = TK_TW_LZ4, .streams = 1},
    {.container = TK_TW_TZST, .codec = TK_TW_ZSTD, .level = 3, .streams = 1},
    {.container = TK_TW_MANY, .codec = TK_TW_LZ4HC, .level = 9, .streams = 2},
    {.container = TK_TW_MANY, .codec = TK_TW_LZ4, .streams = 255},
    {.container = TK_TW_MANY, .codec = TK_TW_ZSTD, .level = -5, .streams = 4},
};

START_TEST(facts)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    version = sample_versions[_i];
    write_sample(&memory, &forms[(size_t)_i % LENGTH(forms)]);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1 + (unsigned)_i % 3), TK_OK);
    ck_assert(!o.capture->ops->empty(o.capture));
    want_scopes();
    check(&o, TK_FACT_MASK(SCOPES), DUMP_EVENTS, "scopes");
    want_definitions();
    want_late_threads();
    check(&o, 0, DUMP_DEFINITIONS, "definitions");
    want_frames();
    check(&o, TK_FACT_MASK(FRAME), DUMP_EVENTS, "frames");
    want_logs();
    check(&o, TK_FACT_MASK(LOG), DUMP_EVENTS, "logs");
    want_frames();
    want_scopes();
    want_logs();
    struct lines l = {0}, w = {0};
    dump_reading(&l, &o, TK_FACT_MASK(LOG) | TK_FACT_MASK(FRAME) | TK_FACT_MASK(SCOPES), DUMP_EVENTS);
    lines_put(&w, wanted, strlen(wanted));
    lines_compare(&l, &w, NULL, "all together");
    wanted[0] = '\0';
    ck_assert_uint_eq(o.ctx.health.n_items, 0);
    ck_assert_uint_eq(opened_ledger(&o), memory.size);
    lines_release(&l);
    lines_release(&w);
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* ---- records ---- */

static void want_front_records(void)
{
    want(
        "Tracy.Frame @500 - | Audio | 0 | 500 | - | -\nTracy.Frame @900 - | Audio | 1 | 900 | - | -\n"
        "Tracy.Frame @0 - | Frame | 0 | 0 | - | -\nTracy.Frame @1000 - | Frame | 1 | 1000 | - | -\n"
        "Tracy.Frame @2500 - | Frame | 2 | 2500 | - | 0\n"
        "Tracy.Frame @100 - | loading | 0 | 100 | 300 | -\nTracy.Frame @400 - | loading | 1 | 400 | - | -\n");
    if (since(0, 13, 4))
        want("Tracy.Section @-5 - | 0 | -5 | 100 | hello | -\n"
             "Tracy.Section @200 - | 0 | 200 | 300 | something \xff went wrong | -\n"
             "Tracy.Section @1 - | %s\n",
             since(0, 13, 5) ? "3 | 1 | 2 | - | loading" : "0 | 1 | 2 | - | -");
    want("Tracy.Lock @1000 - | 4 | queue lock | yes | yes | 1000 | - | 2\n"
         "Tracy.LockEvent @1010 1 | 4 | wait | 1 | Game::Update | src/game.cpp | 10\n"
         "Tracy.LockEvent @1015 1 | 4 | obtain | 1 | Game::Update | src/game.cpp | 10\n"
         "Tracy.LockEvent @1020 2 | 4 | release | 2 | Game::Draw | src/game.cpp | 20\n"
         "Tracy.Lock @0 - | 5 | Game::Draw | no | yes | 0 | 0 | 1\n");
}

static void want_zone_records(void)
{
    const char *colour = since(0, 7, 5) ? "ff00" : "0";
    want("Tracy.ZoneBegin @1000 1 | update | src/game.cpp | 10 | Game::Update | first\nsecond | - | ff0000 | "
         "3 | 2\n"
         "Tracy.ZoneBegin @1100 1 | Game::Draw | src/game.cpp | 20 | Game::Draw | - | - | 0 | - | 1\n"
         "Tracy.ZoneBegin @1200 1 | script | - | 5 | - | - | - | 0 | - | 0\n"
         "Tracy.ZoneEnd @1200 1 | 2\nTracy.ZoneEnd @1500 1 | 1\n"
         "Tracy.ZoneBegin @1600 1 | Game::Draw | src/game.cpp | 20 | Game::Draw | - | update, renamed | %s | "
         "- | 0\n"
         "Tracy.ZoneEnd @1700 1 | 1\nTracy.ZoneEnd @2000 1 | 0\n"
         "Tracy.ZoneBegin @2500 1 | update | src/game.cpp | 10 | Game::Update | - | - | ff0000 | - | 1\n"
         "Tracy.ZoneBegin @2600 1 | Game::Draw | src/game.cpp | 20 | Game::Draw | - | - | 0 | - | 0\n"
         "Tracy.Sample @1 1 | 2\nTracy.Sample @5 1 | 3\n"
         "Tracy.ZoneBegin @-50 2 | Game::Draw | src/game.cpp | 20 | Game::Draw | - | - | 0 | - | 0\n"
         "Tracy.ZoneEnd @3000 2 | 0\n",
         colour);
    if (since(0, 7, 14))
        want("Tracy.SwitchSample @1 2 | 2\n");
    want("Tracy.ZoneBegin @10 3 | script | - | 5 | - | - | - | 0 | - | 0\nTracy.ZoneEnd @20 3 | 0\n"
         "Tracy.ZoneBegin @30 3 | update | src/game.cpp | 10 | Game::Update | - | - | ff0000 | - | 0\n"
         "Tracy.ZoneEnd @50 3 | 0\n");
}

static void want_messages(void)
{
    bool severity = since(0, 13, 2);
    want("Tracy.Message @1100 1 | hello | 2 | 0 | ffffffff | -\n"
         "Tracy.Message @1200 4 | something \xff went wrong | %s | ffff0000 | 3\n"
         "Tracy.Message @1300 1 | hello | %s | 0 | -\n",
         severity ? "4 | 1" : "2 | 0", severity ? "5 | 0" : "2 | 0");
}

static void want_gpu(void)
{
    bool query = since(0, 12, 4);
    want("Tracy.GpuContext - | 0 | %s | Vulkan | no | 1.5 | 3 | 0\n", since(0, 7, 6) ? "queue 0" : "-");
    want("Tracy.GpuZoneBegin @5000 1 | 0 | update | src/game.cpp | 10 | 1000 | 5000 | 1 | 1 | 1\n"
         "Tracy.GpuZoneBegin @5100 1 | 0 | Game::Draw | src/game.cpp | 20 | 1002 | 5100 | 1 | - | 0\n");
    want("Tracy.GpuZoneEnd @5200 - | 0 | 1004 | 5200 | %s | 1\n", query ? "12" : "-");
    want("Tracy.GpuZoneEnd @6000 - | 0 | 1010 | 6000 | %s | 0\n", query ? "11" : "-");
    want("Tracy.GpuZoneBegin @7000 2 | 0 | update | src/game.cpp | 10 | 1500 | 7000 | 2 | - | 0\n");
    want("Tracy.GpuZoneEnd @1510 - | 0 | 1510 | - | %s | 0\n", query ? "13" : "-");
}

static void want_callstacks(void)
{
    want("Tracy.Callstack - | 1 | 2 | [1010 2020]\n"
         "Tracy.Callstack - | 2 | 3 | [4000000000000001 9000 2020]\n"
         "Tracy.Callstack - | 3 | 0 | []\n"
         "Tracy.CallstackFrame - | 1010 | 0 | Game::Update | src/game.cpp | 11 | 1000 | build 17\n"
         "Tracy.CallstackFrame - | 1010 | 1 | Game::Draw | src/game.cpp | 21 | 1008 | build 17\n"
         "Tracy.CallstackFrame - | 2020 | 0 | Game::Draw | - | 0 | 2000 | build 17\n"
         "Tracy.CallstackFrame - | 4000000000000001 | 0 | Game::Draw | - | 0 | 2000 | -\n");
}

/* Of a fiber, the thread that it runs on; where a thread was woken. */
static void want_cores(void)
{
    bool other = since(0, 7, 12), woken = since(0, 11, 3);
    want("Tracy.ContextSwitch @1000 1 | 900 | 1000 | 1400 | 0 | 5 | 103 | - | %s\n", woken ? "1" : "-");
    want("Tracy.ContextSwitch @1500 1 | 1450 | 1500 | 2100 | 1 | -2 | 104 | - | %s\n", woken ? "0" : "-");
    want("Tracy.FiberSwitch @10 3 | 10 | 10 | 20 | 0 | 99 | 0 | %s | %s\n", other ? "200" : "-",
         woken ? "0" : "-");
    want("Tracy.FiberSwitch @30 3 | 30 | 30 | - | 0 | 99 | 0 | %s | %s\n", other ? "100" : "-",
         woken ? "0" : "-");
    want("Tracy.CpuSwitch @50 - | 2 | 50 | 60 | 900 | Audio | loading\n"
         "Tracy.CpuSwitch @70 - | 2 | 70 | 90 | 901 | - | -\n"
         "Tracy.ThreadProcess - | 100 | 4711\nTracy.ThreadProcess - | 900 | 12\n"
         "Tracy.ThreadCpu - | 100 | 1000 | 2 | 1\nTracy.ThreadCpu - | 900 | 10 | 1 | 0\n");
}

static void want_symbols(void)
{
    want("Tracy.Symbol - | 1000 | Game::Update | src/game.cpp | 10 | build 17 | - | 0 | no | 64\n"
         "Tracy.Symbol - | 1008 | Game::Draw | src/game.cpp | 20 | build 17 | src/game.cpp | 12 | yes | 8\n"
         "Tracy.SymbolCode - | 1000 | 3\n");
    if (!since(0, 7, 9))
        return;
    want("Tracy.CodeSymbol - | 1010 | 1000\nTracy.CodeSymbol - | 1012 | 1008\n"
         "Tracy.HardwareSample @1100 - | 1010 | cycles\nTracy.HardwareSample @1050 - | 1010 | cycles\n"
         "Tracy.HardwareSample @1200 - | 1010 | cycles\n"
         "Tracy.HardwareSample @1100 - | 1010 | cache misses\n"
         "Tracy.HardwareSample @1050 - | 1010 | branch misses\n");
}

static void want_rest(void)
{
    want("Tracy.Plot - | 0 | load | user | percent | no | yes | 0 | -2 | 4 | %s | 3\n",
         since(0, 7, 10) ? "3.5" : "0");
    want("Tracy.PlotPoint @10 - | 0 | load | 1.5\nTracy.PlotPoint @20 - | 0 | load | -2\n"
         "Tracy.PlotPoint @15 - | 0 | load | 4\n");
    if (since(0, 7, 3))
        want("Tracy.MemoryPool - | 0 | - | 0 | 0 | 0 | ffffffffffffffff | 0\n"
             "Tracy.MemoryEvent @100 1 | 1 | textures | 1000 | 64 | 250 | 1 | - | -\n"
             "Tracy.MemoryEvent @120 2 | 1 | textures | 2000 | 32 | - | - | 2 | -\n"
             "Tracy.MemoryPool - | 1 | textures | 2 | 1 | 2020 | 1000 | 32\n");
    else
        want("Tracy.MemoryPool - | 0 | - | 0 | 0 | 0 | ffffffffffffffff | 0\n");
    want_callstacks();
    want("Tracy.AppInfo - | build 17\nTracy.AppInfo - | hello\n"
         "Tracy.FrameImage - | 0 | 4 | 4 | no | 8\nTracy.FrameImage - | 1 | 8 | 4 | yes | 16\n");
    want_cores();
    want_symbols();
    want("Tracy.SourceFile - | src/game.cpp | 10\nTracy.SourceFile - | empty.h | 0\n");
}

START_TEST(records)
{
    static const char *const patterns[] = {"Tracy.Plot*", "Tracy.ZoneEnd"};
    struct tk_uw_bytes memory = {0};
    struct opened o;
    version = sample_versions[_i];
    write_sample(&memory, &forms[(size_t)_i % LENGTH(forms)]);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 2), TK_OK);
    want_front_records();
    want_zone_records();
    want_messages();
    want_gpu();
    want_rest();
    check(&o, TK_FACT_MASK(RECORD), DUMP_EVENTS, "records");
    o.request.events = patterns;
    o.request.n_events = 2;
    want("Tracy.ZoneEnd @1200 1 | 2\nTracy.ZoneEnd @1500 1 | 1\nTracy.ZoneEnd @1700 1 | 1\nTracy.ZoneEnd "
         "@2000 1 | 0\n"
         "Tracy.ZoneEnd @3000 2 | 0\nTracy.ZoneEnd @20 3 | 0\nTracy.ZoneEnd @50 3 | 0\n");
    want("Tracy.Plot - | 0 | load | user | percent | no | yes | 0 | -2 | 4 | %s | 3\n",
         since(0, 7, 10) ? "3.5" : "0");
    want("Tracy.PlotPoint @10 - | 0 | load | 1.5\nTracy.PlotPoint @20 - | 0 | load | -2\n"
         "Tracy.PlotPoint @15 - | 0 | load | 4\n");
    check(&o, TK_FACT_MASK(RECORD), DUMP_EVENTS, "some records");
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* Sizes are those of tracy-file 4 and 5 for 0.14. */
START_TEST(counts)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    version = TK_TW_V(0, 14, 0);
    write_sample(&memory, &forms[4]);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1), TK_OK);
    want("stream 1 %d 10\n", 33 + 4 + 6 * 26 + 8 + 2 * 8 + 8 + 8 + 2 * 11 - 4);
    want("stream 2 %d 2\nstream 4 %d 1\nstream 3 %d 2\n", 33 + 26 + 8 + 8 + 11 + 8, 33 + 8 + 8 + 8 + 8,
         33 + 52 + 24);
    want("Tracy.Frame 7 100\nTracy.Section 3 45\nTracy.Lock 2 %d\nTracy.LockEvent 3 36\n", 2 * 35 + 8 * 3);
    want("Tracy.Message 3 102\nTracy.ZoneBegin 9 162\nTracy.ZoneEnd 9 72\nTracy.SwitchSample 1 "
         "11\nTracy.Sample 2 22\n");
    want("Tracy.GpuContext 1 41\nTracy.GpuZoneBegin 3 93\nTracy.GpuZoneEnd 3 54\nTracy.Plot 1 48\n");
    want("Tracy.PlotPoint 3 48\nTracy.MemoryPool 2 128\nTracy.MemoryEvent 2 84\nTracy.Callstack 3 "
         "46\nTracy.CallstackFrame 4 108\n"
         "Tracy.AppInfo 2 18\nTracy.FrameImage 2 34\nTracy.ContextSwitch 2 72\nTracy.FiberSwitch 2 "
         "72\nTracy.CpuSwitch 2 36\n"
         "Tracy.ThreadProcess 2 32\nTracy.ThreadCpu 2 48\nTracy.Symbol 2 64\nTracy.SymbolCode 1 15\n"
         "Tracy.CodeSymbol 2 32\nTracy.HardwareSample 5 40\nTracy.SourceFile 2 45\n");
    check(&o, TK_FACT_MASK(STREAM) | TK_FACT_MASK(RECORD_COUNT), DUMP_EVENTS, "counts");
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

static bool only_worker(void *ctx, uint32_t thread)
{
    ++*(unsigned *)ctx;
    return thread == 2;
}

START_TEST(one_thread)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    unsigned requested = 0;
    version = TK_TW_V(0, 14, 0);
    write_sample(&memory, &forms[0]);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1), TK_OK);
    o.request.want_thread = only_worker;
    o.request.want_ctx = &requested;
    want("lane 0 thread 2 @-50 begins 1\nlane 0 thread 2 @3000 ends\n");
    check(&o, TK_FACT_MASK(SCOPES), DUMP_EVENTS, "one thread");
    ck_assert_uint_eq(requested, 4);
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* Only the end: the header states it. */
START_TEST(ends)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    version = TK_TW_V(0, 9, 1);
    write_sample(&memory, &forms[1]);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1), TK_OK);
    o.request.ends = true;
    want("Tracy.End @3000 -\n");
    check(&o, TK_FACT_MASK(SCOPES), DUMP_EVENTS, "ends");
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* Zones of locations that are none or do not exist have timers of their own, reported before they are used.
 */
START_TEST(odd_locations)
{
    static const struct tk_tw_zone zones[] = {
        {0, 0, 0, 1, 2}, {32767, 0, 0, 3, 4}, {30000, 0, 0, 5, 6}, {-2, 0, 0, 7, 8}};
    static const struct tk_tw_thread threads[] = {{5, -1, false, false, zones, 4, NULL, NULL, 0, 0}};
    struct tk_tw_trace trace = {.locations = sample_locations,
                                .n_locations = 1,
                                .strings = sample_strings,
                                .n_strings = S_COUNT,
                                .dynamics = sample_dynamics,
                                .n_dynamics = 1,
                                .threads = threads,
                                .n_threads = 1};
    struct tk_uw_bytes memory = {0};
    struct tk_tw_options options = {.memory = &memory, .version = TK_TW_V(0, 14, 0), .container = TK_TW_MANY};
    struct opened o;
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1), TK_OK);
    want("timer 2 5 ??? | - | 0\ntimer 3 5 <unknown> | - | 0\n"
         "lane 0 thread 1 @1 begins 2\nlane 0 thread 1 @2 ends\nlane 0 thread 1 @3 begins 2\nlane 0 thread 1 "
         "@4 ends\n"
         "lane 0 thread 1 @5 begins 3\nlane 0 thread 1 @6 ends\nlane 0 thread 1 @7 begins 3\nlane 0 thread 1 "
         "@8 ends\n");
    struct lines l = {0}, w = {0};
    dump_reading(&l, &o, TK_FACT_MASK(SCOPES), DUMP_DEFINITIONS | DUMP_EVENTS);
    lines_put(&l, "", 1);
    const char *tail = strstr(l.text.v, "timer 2 ");
    ck_assert_ptr_nonnull(tail);
    ck_assert_str_eq(tail, wanted);
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_PAYLOAD_DAMAGED], 2);
    lines_release(&l);
    lines_release(&w);
    wanted[0] = '\0';
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

int main(void)
{
    const TTest *const each[] = {facts, records};
    const TTest *const once[] = {counts, one_thread, ends, odd_locations};
    int first = RUN_TESTS_EACH("tracy facts", each, LENGTH(sample_versions));
    int second = RUN_TESTS("tracy facts once", once);
    return first == EXIT_SUCCESS ? second : first;
}
