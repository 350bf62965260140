/*
 * What a scope costs, and two readings of the clock: nanoseconds of processor time of a thread, each the
 * best of several turns, taken in turns in one run. emit_cost TARGET [TURNS]; prints JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tracekit_emit.h>
#include <unistd.h>

#define HIT(F, S) F(S, u32, Target) F(S, f64, X) F(S, f32, Damage)
TKE_EVENT(Combat, Hit, TKE_SYNC, HIT);
TKE_COUNTER(value, "Value", TKE_PLAIN);

enum { TIMES = 100000 };

static volatile uint64_t sink;
static const char *const names[] = {"render", "simulate", "stream", "animate"};

static void two_clocks(int i)
{
    (void)i;
    sink = tke_now();
    sink = tke_now();
}

static void scope(int i)
{
    (void)i;
    TKE_SCOPE("Scope");
}

static void nested(int i)
{
    (void)i;
    TKE_SCOPE("Outer");
    TKE_SCOPE("Inner");
}

static void begin_end(int i)
{
    static uint32_t name;
    (void)i;
    if (!name)
        name = tke_name("begin", 5);
    tke_begin(name);
    tke_end();
}

static void dynamic(int i)
{
    tke_begin(tke_name(names[i & 3], 6));
    tke_end();
}

static void meta(int i)
{
    TKE_SCOPE_META("Load", "%s (%d)", "Asset,Size", names[i & 3], i);
}

static void log3(int i)
{
    TKE_LOG("LogNet", TKE_INFO, "lost %d of %s in %f", i, names[i & 3], 1.5);
}

static void event(int i)
{
    TKE_SEND(Combat, Hit, .Target = (uint32_t)i, .X = 2.0, .Damage = 0.5f);
}

static void counter(int i)
{
    tke_counter_set(&value, i);
}

static void off(int i)
{
    (void)i;
    TKE_SCOPE_ON(TKE_CPU << 31, "Off");
}

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define LOOP(name)                                                                                           \
    {                                                                                                        \
#name, name##_loop, 0                                                                                \
    }
#define LOOP_OF(name)                                                                                        \
    static void name##_loop(void)                                                                            \
    {                                                                                                        \
        for (int i = 0; i < TIMES; i++) {                                                                    \
            name(i);                                                                                         \
            __asm__ volatile("" ::: "memory");                                                               \
        }                                                                                                    \
    }
static void empty(int i)
{
    (void)i;
}
LOOP_OF(empty)
LOOP_OF(two_clocks)
LOOP_OF(scope)
LOOP_OF(nested)
LOOP_OF(begin_end)
LOOP_OF(dynamic)
LOOP_OF(meta)
LOOP_OF(log3)
LOOP_OF(event)
LOOP_OF(counter)
LOOP_OF(off)

static struct {
    const char *name;
    void (*loop)(void);
    double best;
} loops[] = {LOOP(empty), LOOP(two_clocks), LOOP(scope), LOOP(nested),  LOOP(begin_end), LOOP(dynamic),
             LOOP(meta),  LOOP(log3),       LOOP(event), LOOP(counter), LOOP(off)};
enum { LOOPS = sizeof loops / sizeof *loops };

int main(int argc, char **argv)
{
    const struct tke_options options = {
        .size = sizeof options, .target = argc > 1 ? argv[1] : "/dev/null", .buffer_bytes = 256 << 20};
    if (tke_start(&options))
        return 1;
    for (int turn = 0; turn < (argc > 2 ? atoi(argv[2]) : 15); turn++) {
        for (size_t i = 0; i < LOOPS; i++) {
            const double begin = thread_time();
            loops[i].loop();
            const double took = (thread_time() - begin) / TIMES;
            if (!loops[i].best || took < loops[i].best)
                loops[i].best = took;
            tke_flush(1000);
        }
    }
    tke_stop();
    struct tke_info info;
    tke_get_info(&info);
    printf("{");
    for (size_t i = 0; i < LOOPS; i++)
        printf("\"%s\": %.2f, ", loops[i].name, loops[i].best - (i ? loops[0].best : 0));
    printf("\"lost\": %llu}\n", (unsigned long long)(info.lost_scopes + info.lost_events));
    return 0;
}
