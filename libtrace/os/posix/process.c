/*
 * The process: its number, limits and environment.
 */
#include "os/posix/posix.h"

#include "os/process.h"

#include "os/clock.h"
#include "os/thread.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

/*
 * SIGINT and its kin, and SIGPIPE.
 */

void tk_os_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, as on a full disk */
}

/* Without a lock, as a handler may change it; other threads than the one that handles the signal read it. */
static struct tk_atomic stopped, stops, most_stops;

static void note_stop(int sig)
{
    if (tk_atomic_get(&stops) >= tk_atomic_get(&most_stops))
        tk_os_stop(sig);
    tk_atomic_add(&stops, 1);
    tk_atomic_claim(&stopped, (size_t)sig);
}

static void note_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, action = {.sa_handler = note_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void tk_os_note_stop(void)
{
    tk_atomic_claim(&most_stops, 1);
    note_signals();
}

void tk_os_note_stops(void)
{
    tk_atomic_set(&most_stops, 2);
    note_signals();
}

unsigned tk_os_stops(void)
{
    return (unsigned)tk_atomic_get(&stops);
}

int tk_os_stopped(void)
{
    return (int)tk_atomic_get(&stopped);
}

void tk_os_stop(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}

uint64_t tk_os_process_id(void)
{
    return (uint64_t)getpid();
}

/* FNV-1a */
static uint32_t hash_of_name(const char *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT32_C(0x01000193);
    return hash;
}

uint32_t tk_os_host(void)
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) ? 0 : hash_of_name(name);
}

unsigned tk_os_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

bool tk_os_limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) ||
        (limit.rlim_max != RLIM_INFINITY && bytes >= (uint64_t)limit.rlim_max))
        return false;
    limit.rlim_cur = bytes ? (rlim_t)bytes : 1; /* Linux takes 0 for no limit */
    return bytes != UINT64_MAX && setrlimit(RLIMIT_DATA, &limit) == 0;
}

uint64_t tk_os_raise_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur != limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        limit.rlim_cur = limit.rlim_max;
    return limit.rlim_cur == RLIM_INFINITY ? 0 : (uint64_t)limit.rlim_cur;
}

void tk_os_environment_default(const char *name, const char *value)
{
    setenv(name, value, 0);
}

/*
 * The clocks.
 */

double tk_os_seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int64_t tk_os_now(void)
{
    return (int64_t)time(NULL);
}

struct tk_os_date tk_os_local_date(int64_t seconds)
{
    const time_t when = (time_t)seconds;
    struct tm t;
    if (!localtime_r(&when, &t))
        return (struct tk_os_date){0};
    return (struct tk_os_date){t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
}

/*
 * Random bits from the system.
 */

#ifdef __APPLE__
#include <sys/random.h>
#endif

bool tk_random(uint64_t *out)
{
    return getentropy(out, sizeof *out) == 0;
}

/*
 * Free memory of the GNU C library; others keep little.
 */

#ifdef MADV_HUGEPAGE
enum { LARGE_PAGE = 2 << 20 };

void *tk_os_heap_table(size_t n)
{
    void *p = NULL;
    if (n < LARGE_PAGE)
        return malloc(n);
    if (posix_memalign(&p, LARGE_PAGE, n) != 0)
        return NULL;
    (void)madvise(p, n - n % LARGE_PAGE, MADV_HUGEPAGE);
    return p;
}
#else
void *tk_os_heap_table(size_t n)
{
    return malloc(n);
}
#endif

#ifdef __GLIBC__
#include <malloc.h>

enum { LARGE = 64 << 10 };

/* The library would move the border between small and large up to 32 MiB as large pieces are freed, and keep
 * those. */
void tk_os_heap_return(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 8 * LARGE);
}

void tk_os_heap_share(void)
{
    mallopt(M_ARENA_MAX, 1);
    tk_os_heap_return();
}

void tk_os_heap_trim(void)
{
    malloc_trim(0);
}
#else
void tk_os_heap_return(void)
{
}

void tk_os_heap_share(void)
{
}

void tk_os_heap_trim(void)
{
}
#endif
