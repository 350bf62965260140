/*
 * What the emitter must endure, a mode each: emit_stress MODE TARGET [NUMBER...]. Prints what it made and
 * what tke_get_info says, as JSON, for check_emit.py.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracekit_emit.h>
#include <unistd.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#endif

#define POS(F, S) F(S, u32, Turn) F(S, text, Place)
TKE_EVENT(Game, Turn, TKE_SYNC, POS);
TKE_COUNTER(value, "Value", TKE_PLAIN);

static const char *target, *second;
static long numbers[3];

static void start(uint64_t buffer, uint32_t flags)
{
    const struct tke_options options = {
        .size = sizeof options, .target = target, .buffer_bytes = buffer, .flags = flags};
    const int error = tke_start(&options);
    if (error) {
        printf("{\"start\": %d}\n", error);
        exit(0);
    }
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void finish(unsigned long long scopes, unsigned long long events, const char *more)
{
    struct tke_info info;
    const double begin = now(CLOCK_MONOTONIC);
    tke_stop();
    const double stop = now(CLOCK_MONOTONIC) - begin;
    tke_get_info(&info);
    printf("{\"made\": %llu, \"made_events\": %llu, \"scopes\": %llu, \"lost_scopes\": %llu, "
           "\"lost_events\": %llu, "
           "\"os_error\": %d, \"bytes\": %llu, \"cut_texts\": %llu, \"stop\": %.4f%s}\n",
           scopes, events, (unsigned long long)info.scopes, (unsigned long long)info.lost_scopes,
           (unsigned long long)info.lost_events, info.os_error, (unsigned long long)info.bytes,
           (unsigned long long)info.cut_texts, stop, more);
}

/* Runs a function in n threads. */
static void run(long n, void *(*function)(void *), void *of)
{
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, function, of))
            abort();
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void *tight(void *of)
{
    for (long i = 0, n = *(long *)of; i < n; i++) {
        TKE_SCOPE("Tight");
    }
    return NULL;
}

/* threads TARGET N SCOPES: SCOPES scopes by N threads together. */
static void mode_threads(void)
{
    long each = numbers[1] / numbers[0];
    start(512 << 20, 0);
    run(numbers[0], tight, &each);
    finish((unsigned long long)(each * numbers[0]), 0, "");
}

static void *turns(void *of)
{
    for (int i = 0; i < 20000; i++) {
        TKE_SCOPE("Turn");
        TKE_BEGIN("Step");
        {
            TKE_SCOPE_META("Load", "%s %d", "Name,N", "rock", i);
            TKE_SCOPE("Inner");
            TKE_SCOPE("Innermost");
        }
        TKE_END();
        {
            TKE_SCOPE("After");
            TKE_SCOPE("After that");
        }
        if (i % 50 == 0) {
            TKE_SCOPE("Rare");
            TKE_SEND(Game, Turn, .Turn = (uint32_t)i, .Place = "here");
        }
        TKE_LOG("LogTurn", TKE_INFO, "turn %d", i);
        tke_counter_set(&value, i);
        tke_frame_begin((int)(uintptr_t)of);
        tke_frame_end((int)(uintptr_t)of);
    }
    return NULL;
}

/* budget TARGET BYTES: 8 threads make more than a small buffer takes. */
static void mode_budget(void)
{
    start((uint64_t)numbers[0], 0);
    run(8, turns, NULL);
    finish(8 * (20000 * 7 + 400), 8 * (20000 * 4 + 400), "");
}

static _Atomic bool toggling;

static void *toggle(void *of)
{
    while (toggling) {
        tke_channel_set("cpu", false);
        tke_flush(20);
        tke_channel_set("cpu,log", true);
        usleep(300);
        tke_channel_set("log", false);
    }
    tke_channel_set("cpu,log", true);
    return of;
}

/* toggles TARGET BYTES: what race detectors watch. */
static void mode_toggles(void)
{
    pthread_t other;
    start((uint64_t)numbers[0], 0);
    toggling = true;
    pthread_create(&other, NULL, toggle, NULL);
    run(8, turns, NULL);
    toggling = false;
    pthread_join(other, NULL);
    finish(0, 0, "");
}

/* full TARGET SCOPES: a file that takes no more. The longest time of 1,000 scopes counts. */
static void mode_full(void)
{
    double longest = 0;
    char more[64];
    start(4 << 20, 0);
    for (long i = 0; i < numbers[0] / 1000; i++) {
        const double begin = now(CLOCK_THREAD_CPUTIME_ID);
        for (int j = 0; j < 1000; j++) {
            TKE_SCOPE("Full");
        }
        const double took = now(CLOCK_THREAD_CPUTIME_ID) - begin;
        longest = took > longest ? took : longest;
    }
    snprintf(more, sizeof more, ", \"longest\": %.6f", longest);
    finish((unsigned long long)numbers[0], 0, more);
}

/* slow TARGET MS: scopes for so long, to a peer that does not read; the longest pause counts. */
static void mode_slow(void)
{
    double longest = 0, begin, last;
    unsigned long long made = 0;
    char more[64];
    start(512 << 10, 0);
    for (begin = last = now(CLOCK_MONOTONIC); last < begin + (double)numbers[0] / 1000; made += 100) {
        for (int j = 0; j < 100; j++) {
            TKE_SCOPE("Slow");
        }
        const double t = now(CLOCK_MONOTONIC);
        longest = t - last > longest ? t - last : longest;
        last = t;
    }
    snprintf(more, sizeof more, ", \"longest\": %.6f", longest);
    finish(made, 0, more);
}

#ifndef _WIN32
static long resident(void)
{
    long pages = 0, skipped = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &skipped, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* fork TARGET CHILD: amid scopes; the child makes scopes that are of nobody, then a capture of its own. */
static void mode_fork(void)
{
    const char *child = second;
    start(0, 0);
    TKE_BEGIN("Outer");
    for (int i = 0; i < 1000; i++) {
        TKE_SCOPE("Before");
    }
    const pid_t pid = fork();
    if (!pid) {
        const long before = resident();
        for (int i = 0; i < 5000000; i++) {
            TKE_SCOPE("Nobody's");
        }
        const long grown = resident() - before;
        target = child;
        start(0, 0);
        for (int i = 0; i < 777; i++) {
            TKE_SCOPE("Child");
        }
        tke_stop();
        _exit(grown < 1 << 20 ? 0 : 1);
    }
    int status = 0;
    for (int i = 0; i < 1000; i++) {
        TKE_SCOPE("After");
    }
    TKE_END();
    waitpid(pid, &status, 0);
    char more[64];
    snprintf(more, sizeof more, ", \"child\": %d", status);
    finish(2001, 0, more);
}

#endif

static _Atomic int phase;

static void *through_restart(void *of)
{
    tke_thread_name("Through", NULL, 5);
    TKE_SCOPE("Whole");
    TKE_BEGIN("Manual");
    for (int i = 0; i < 10; i++) {
        TKE_SCOPE("First");
    }
    phase = 1;
    while (phase == 1)
        usleep(100);
    for (int i = 0; i < 20; i++) {
        TKE_BEGIN("Second");
        TKE_END();
    }
    TKE_END();
    return of;
}

/* frames TARGET MS: by a clock of whole nanoseconds, so that sums are the same in each viewer. */
static void mode_frames(void)
{
    const double end = now(CLOCK_MONOTONIC) + (double)numbers[0] / 1000;
    unsigned long long made = 0;
    start(0, TKE_CLOCK_OS);
    tke_thread_name("GameThread", NULL, -1);
    for (int i = 0; now(CLOCK_MONOTONIC) < end; i++, made += 3) {
        tke_frame_begin(0);
        {
            TKE_SCOPE("Tick");
            {
                TKE_SCOPE_META("Load", "%s %d", "Name,N", "rock", i);
                usleep(50);
            }
            TKE_SCOPE("Wait");
            usleep(500);
        }
        tke_frame_end(0);
    }
    finish(made, 0, "");
}

/* restart TARGET SECOND: a thread is inside scopes. */
static void mode_restart(void)
{
    pthread_t thread;
    start(0, 0);
    pthread_create(&thread, NULL, through_restart, NULL);
    while (!phase)
        usleep(100);
    tke_stop();
    target = second;
    start(0, 0);
    phase = 2;
    pthread_join(thread, NULL);
    finish(32, 0, "");
}

static void hundred(void)
{
    for (int i = 0; i < 100; i++) {
        TKE_SCOPE("Hundred");
    }
}

/* exit TARGET: without a stop. */
static void mode_exit(void)
{
    start(0, 0);
    hundred();
}

#ifdef _WIN32
/* leave TARGET: by a call of the system, without exit. */
static void mode_leave(void)
{
    start(0, 0);
    hundred();
    ExitProcess(0);
}
#else
/* abort TARGET FLAGS */
static void mode_abort(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    start(0, (uint32_t)numbers[0]);
    hundred();
    abort();
}

/* modules TARGET MODULE N: loads and unloads a traced module. */
static void mode_modules(void)
{
    start(0, 0);
    for (long i = 0; i < numbers[1]; i++) {
        void *module = dlopen(second, RTLD_NOW | RTLD_LOCAL);
        void (*ten)(void) = NULL;
        if (!module)
            abort();
        *(void **)&ten = dlsym(module, "ten_scopes");
        ten();
        dlclose(module);
    }
    finish((unsigned long long)numbers[1] * 10, 0, "");
}

#endif

static void *short_thread(void *of)
{
    TKE_SCOPE("Short");
    TKE_BEGIN("Open"); /* its end is that of the thread */
    return of;
}

static _Atomic bool amid;

static void *values_until(void *of)
{
    for (int64_t i = 0; amid; i++)
        tke_counter_set(&value, i);
    return of;
}

/* amid TARGET: three threads take serials while the session ends. */
static void mode_amid(void)
{
    pthread_t threads[3];
    amid = true;
    start(0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, values_until, NULL);
    usleep(3000);
    tke_stop();
    amid = false;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    finish(0, 0, "");
}

/* many TARGET N: threads one after another, more than there are tids. */
static void mode_many(void)
{
    start(0, 0);
    for (long i = 0; i < numbers[0]; i++)
        run(1, short_thread, NULL);
    finish((unsigned long long)numbers[0] * 2, 0, "");
}

static void *values(void *of)
{
    for (long i = 0, n = *(long *)of; i < n; i++)
        tke_counter_set(&value, i);
    return NULL;
}

/* wrap TARGET N: two threads, N values each; serials have 24 bits. */
static void mode_wrap(void)
{
    start(1u << 30, 0);
    run(2, values, &numbers[0]);
    finish(0, 2ull * (unsigned long long)numbers[0], "");
}

static void *for_ever(void *of)
{
    for (uint32_t i = 0;; i++) {
        TKE_SCOPE("Ever");
        TKE_SCOPE_META("Values", "%u", "N", i);
        tke_counter_set(&value, i);
        TKE_LOG("LogEver", TKE_INFO, "turn %u", i);
        usleep(50);
    }
    return of;
}

/* killed TARGET: four threads until a signal; says when tke_start has returned. */
static void mode_killed(void)
{
    start(0, 0);
    if (write(1, "started\n", 8) != 8)
        abort();
    run(4, for_ever, NULL);
}

#ifndef _WIN32
/* long TARGET SECONDS: 4 threads and 90 short ones a second; resident bytes after a fifteenth and at the end.
 */
static _Atomic bool over;
static void *until_over(void *of)
{
    while (!over) {
        TKE_SCOPE("Long");
        usleep(20);
    }
    return of;
}

static void mode_long(void)
{
    pthread_t threads[4];
    long early = 0;
    char more[96];
    start(0, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, until_over, NULL);
    const double begin = now(CLOCK_MONOTONIC);
    for (double t = begin; t < begin + (double)numbers[0]; t = now(CLOCK_MONOTONIC)) {
        if (!early && t > begin + (double)numbers[0] / 15)
            early = resident();
        run(1, short_thread, NULL);
        usleep(11000);
    }
    over = true;
    const long late = resident();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    snprintf(more, sizeof more, ", \"early\": %ld, \"late\": %ld", early, late);
    finish(0, 0, more);
}

#endif

/* off NUMBER: nanoseconds of processor time of a scope that is off, at best. */
static void mode_off(void)
{
    double best = 1;
    for (int turn = 0; turn < 12; turn++) {
        const double begin = now(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < 1000000; i++) {
            TKE_SCOPE("Off");
            __asm__ volatile("" ::: "memory");
        }
        const double took = now(CLOCK_THREAD_CPUTIME_ID) - begin;
        best = took < best ? took : best;
    }
    printf("{\"off\": %.2f}\n", best * 1e3);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
#ifdef _WIN32
        {"leave", mode_leave},
#else
        {"fork", mode_fork},       {"abort", mode_abort},     {"modules", mode_modules},
        {"long", mode_long},
#endif
        {"frames", mode_frames},   {"threads", mode_threads}, {"budget", mode_budget},
        {"toggles", mode_toggles}, {"full", mode_full},       {"slow", mode_slow},
        {"restart", mode_restart}, {"exit", mode_exit},       {"many", mode_many},
        {"wrap", mode_wrap},       {"amid", mode_amid},       {"killed", mode_killed},
        {"off", mode_off}};
    if (argc < 3)
        return 2;
    target = argv[2];
    for (int i = 3; i < argc && i < 6; i++)
        numbers[i - 3] = atol(argv[i]);
    second = argc > 3 ? argv[3] : "";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(argv[1], modes[i].name))
            return modes[i].run(), 0;
    return 2;
}
