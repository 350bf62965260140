/* Threads, what they wait for, and what is done once. */
#include "os/posix/posix.h"

#include "os/thread.h"
#include "run.h"

#include <signal.h>
#include <unistd.h>

enum { THREADS = 8, TURNS = 2000 };

static struct shared {
    struct tk_os_monitor lock;
    unsigned turn, passed;
} shared;

struct player {
    struct tk_os_thread thread;
    unsigned number;
};

/* Each waits for its turn and passes it on: the sum is right when nobody goes without one. */
static void play(void *ctx)
{
    const struct player *p = ctx;
    tk_os_monitor_lock(&shared.lock);
    for (int i = 0; i < TURNS; i++) {
        while (shared.turn % THREADS != p->number)
            tk_os_monitor_wait(&shared.lock);
        shared.turn++;
        shared.passed += shared.turn % THREADS == (p->number + 1) % THREADS;
        tk_os_monitor_tell(&shared.lock);
    }
    tk_os_monitor_unlock(&shared.lock);
}

START_TEST(threads_take_turns)
{
    struct player players[THREADS];
    ck_assert(tk_os_monitor_init(&shared.lock));
    for (unsigned i = 0; i < THREADS; i++) {
        players[i].number = i;
        ck_assert(tk_os_thread_start(&players[i].thread, play, &players[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        tk_os_thread_join(&players[i].thread);
    ck_assert_uint_eq(shared.turn, THREADS * TURNS);
    ck_assert_uint_eq(shared.passed, THREADS * TURNS);
    tk_os_monitor_destroy(&shared.lock);
}
END_TEST

static struct tk_os_once once;
static struct tk_atomic begun, done;

static void count_once(void)
{
    tk_atomic_add(&begun, 1);
    usleep(20000);
    tk_atomic_add(&done, 1);
}

static void ask_once(void *ctx)
{
    (void)ctx;
    tk_os_once(&once, count_once);
    tk_atomic_add(&begun, tk_atomic_get(&done) == 1 ? 0 : 100); /* it must be over now */
}

START_TEST(what_is_done_once)
{
    struct tk_os_thread threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert(tk_os_thread_start(&threads[i], ask_once, NULL));
    for (int i = 0; i < THREADS; i++)
        tk_os_thread_join(&threads[i]);
    ck_assert_uint_eq(tk_atomic_get(&begun), 1);
    ck_assert_uint_eq(tk_atomic_get(&done), 1);
}
END_TEST

static void see_mask(void *ctx)
{
    pthread_sigmask(SIG_SETMASK, NULL, ctx);
}

/* Signals that are about the process are for the threads of the program; faults are for who makes them. */
START_TEST(threads_take_no_signals)
{
    struct tk_os_thread thread;
    sigset_t mask, here;
    ck_assert(tk_os_thread_start(&thread, see_mask, &mask));
    tk_os_thread_join(&thread);
    pthread_sigmask(SIG_SETMASK, NULL, &here);
    ck_assert(sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGHUP));
    ck_assert(!sigismember(&mask, SIGBUS) && !sigismember(&mask, SIGSEGV));
    ck_assert(!sigismember(&here, SIGINT));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads_take_turns, what_is_done_once, threads_take_no_signals};
    return RUN_TESTS("os-posix-thread", tests);
}
