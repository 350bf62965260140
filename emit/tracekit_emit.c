/*
 * tracekit_emit: the library behind tracekit_emit.h.
 *
 * A thread writes entries of scopes and whole records of events into two chains of blocks of its own, and
 * says by `committed` how far they may be read; a worker collects all chains each round and writes packets.
 * Neither waits for the other. Definitions go to chains under a lock, before what uses them is committed, and
 * the worker sends them before data that it had seen earlier: no prefix of a capture uses what it does not
 * define.
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* secure_getenv, pthread_getname_np */
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif
#undef TKE_LEVEL
#define TKE_BUILD
#include "tracekit_emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
/* after the sockets */
#include <bcrypt.h>
#include <io.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/random.h>
#include <sys/syscall.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define LOAD(p)         __atomic_load_n((p), __ATOMIC_RELAXED)
#define LOAD_ACQ(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define STORE(p, v)     __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define STORE_REL(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define ADD(p, v)       __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define CAS(p, old, v)  __atomic_compare_exchange_n((p), (old), (v), true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)
#define UNLIKELY(x)     __builtin_expect(!!(x), 0)
#define COLD            __attribute__((noinline, cold))
#if defined(__ELF__) && !defined(__ANDROID__)
#define THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define THREAD_LOCAL static _Thread_local
#endif

enum { PACKET = 4000, BLOCK = 3840 }; /* bytes of a packet without its header, of a block and of an event */
enum { FOR_ENDS = 512 };              /* bytes of a block that begins leave to ends */
enum { BEGIN = 20, END = 10 };        /* bytes of an entry at most */
enum { DEPTHS = 1024 };               /* of scopes by tke_begin; deeper ones are dropped */
enum { NAME = 96, NAMES = 50000, WORDS = 100000, SLOTS = 131072 };
enum {
    OUT_BYTES = 256 << 10,
    NOTES = 512,
    ARGS_BYTES = 3700
}; /* of a write; of the arguments of a log message */
enum { OWN_CHANNELS = 24, CHANNELS = 31 };
enum { WORKER = 2, FIRST_TID = 3, REUSED_TIDS = 0x3000, END_OF_TIDS = 0x3FF0 };
enum { BUDGET = 1, NO_MEMORY = 2, SINK = 3 }; /* reasons of Tracekit.Loss */

/* ---- the system ---- */

#ifdef _WIN32
typedef SRWLOCK mutex;
typedef CONDITION_VARIABLE condition;
#define MUTEX             SRWLOCK_INIT
#define CONDITION         CONDITION_VARIABLE_INIT
#define acquire(m)        AcquireSRWLockExclusive(m)
#define release(m)        ReleaseSRWLockExclusive(m)
#define wake(c)           WakeAllConditionVariable(c)
#define condition_init(c) ((void)(c))
static void wait_ms(condition *c, mutex *m, unsigned ms)
{
    SleepConditionVariableSRW(c, m, ms, 0);
}
static void sleep_ms(unsigned ms)
{
    Sleep(ms);
}
static uint32_t process_id(void)
{
    return GetCurrentProcessId();
}
static uint32_t system_thread(void)
{
    return GetCurrentThreadId();
}
static uint64_t os_ticks(void)
{
    LARGE_INTEGER t;
    QueryPerformanceCounter(&t);
    return (uint64_t)t.QuadPart;
}
static uint64_t os_frequency(void)
{
    LARGE_INTEGER f;
    QueryPerformanceFrequency(&f);
    return (uint64_t)f.QuadPart;
}
static void *map(size_t n)
{
    return VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
static void discard_pages(void *p, size_t n)
{
    VirtualAlloc(p, n, MEM_RESET, PAGE_READWRITE);
}
static void random_bytes(void *p, size_t n)
{
    BCryptGenRandom(NULL, p, (ULONG)n, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
}
#else
typedef pthread_mutex_t mutex;
typedef pthread_cond_t condition;
#define MUTEX      PTHREAD_MUTEX_INITIALIZER
#define CONDITION  PTHREAD_COND_INITIALIZER
#define acquire(m) pthread_mutex_lock(m)
#define release(m) pthread_mutex_unlock(m)
#define wake(c)    pthread_cond_broadcast(c)
#ifdef __APPLE__
#define condition_init(c) ((void)(c))
static void wait_ms(condition *c, mutex *m, unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    pthread_cond_timedwait_relative_np(c, m, &t);
}
#else
static void condition_init(condition *c)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}
static void wait_ms(condition *c, mutex *m, unsigned ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += (time_t)(ms / 1000) + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_cond_timedwait(c, m, &t);
}
#endif
static void sleep_ms(unsigned ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}, NULL);
}
static uint32_t process_id(void)
{
    return (uint32_t)getpid();
}
static uint32_t system_thread(void)
{
#if defined(__linux__)
    return (uint32_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
    uint64_t id = 0;
    pthread_threadid_np(NULL, &id);
    return (uint32_t)id;
#else
    return 0;
#endif
}
static uint64_t os_ticks(void)
{
#if defined(__aarch64__) && !defined(__APPLE__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}
static uint64_t os_frequency(void)
{
#if defined(__aarch64__) && !defined(__APPLE__)
    uint64_t f;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(f));
    return f;
#else
    return 1000000000u;
#endif
}
static void *map(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
static void discard_pages(void *p, size_t n)
{
    madvise(p, n, MADV_DONTNEED);
}
static void random_bytes(void *p, size_t n)
{
#ifdef __linux__
    if (getrandom(p, n, 0) == (ssize_t)n)
        return;
#endif
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    for (ssize_t r = 1; fd >= 0 && n && r > 0; p = (char *)p + r, n -= (size_t)r)
        r = read(fd, p, n);
    if (fd >= 0)
        close(fd);
}
#endif

static uint64_t milliseconds(void)
{
    return os_ticks() / (os_frequency() / 1000);
}

/* ---- state ---- */

struct block {
    struct block *next;
    uint32_t committed; /* bytes, and the records in them << 16 */
    uint32_t session;
    uint32_t idle; /* of a thread, and free */
    uint8_t data[BLOCK];
};

/* Blocks for all threads. Those that are free are numbers in a stack without lock. */
struct pool {
    struct block *blocks;
    uint32_t *below;                /* per block, the one below it in the stack + 1 */
    uint64_t top;                   /* its number + 1, and changes << 32 */
    uint32_t n, limit, fresh, used; /* blocks there are, allowed; never used ones from `fresh`; in use */
};

struct chain {
    uint8_t *at, *limit; /* behind limit begins (and events) look for another block */
    struct block *tail;  /* its thread's */
    struct block *head;  /* from here on the worker's */
    struct block *first; /* of definitions, for the next session */
    uint32_t sent;
    struct block *seen; /* what the worker saw of it this round */
    uint32_t seen_to;
};

struct thread {
    struct chain scopes, events;
    uint64_t last;    /* cycle of the newest entry */
    uint32_t session; /* that the chains are of */
    uint32_t owed;    /* ends that found no available */
    uint32_t synced;  /* serials of which the record is committed */
    uint64_t lost_scopes, lost_events;
    uint32_t ended;
    uint64_t end_cycle;
    uint32_t tid, system_id, named; /* named: changes of the name */
    /* of the worker */
    struct thread *next;
    uint32_t known_session, sent_name;
    bool gone, seen;
    uint64_t worker_last, reported_scopes, reported_events, open;
    char name[NAME], group[NAME];
    int hint;
    uint8_t recorded[DEPTHS]; /* of scopes by tke_begin */
    struct block own[2];
};

THREAD_LOCAL struct {
    struct thread *thread;
    uint32_t depth; /* of scopes by tke_begin */
    uint32_t named;
    int hint;
    char name[NAME], group[NAME];
} my;

uint32_t tke_channels_on; /* `wanted_on` while a session runs */
uint32_t tke_clock_tsc;
static uint32_t wanted_on;
static uint32_t session, serials[4], instances, pid;
static struct thread *threads;
static struct pool *pool;
static uint32_t pool_open; /* else no thread gets another block */
static uint64_t last_region, cut_texts, unjoined_scopes, unjoined_events;
static mutex lock = MUTEX; /* definitions, names, channels, requests to the worker */
static mutex api = MUTEX;  /* start and stop */
static condition changed = CONDITION;

static struct chain declarations, definitions; /* kept for the next start */
static uint32_t next_timer = 1, next_point = 1, next_category = 1, next_counter = 1, next_type, n_names,
                n_words;
static struct word **words;
static uint32_t next_tid = FIRST_TID, n_free_tids;
static uint16_t free_tids[END_OF_TIDS - REUSED_TIDS];
static char channel_names[CHANNELS][32] = {"Cpu", "Frame", "Counters", "Region", "Bookmark", "Log", "Events"};
enum { BUILT_IN = 7 };
static uint32_t n_channels = BUILT_IN;
static char wanted[512];

static struct {
    int state, error;
    bool socket, stop, done, started;
#ifdef _WIN32
    HANDLE thread;
    SOCKET peer;
#else
    pthread_t thread;
#endif
    int fd;
    uint32_t worker_synced; /* of threads that are gone */
    uint32_t flags, round_ms, stop_ms, rounds, reported_on, reported_channels, flush_wanted, flush_done,
        worker_id;
    uint64_t bytes, scopes, lost_scopes, lost_events; /* without those of threads that live */
    uint64_t start_cycle, frequency, round_cycle, stop_at, hold_until, warned;
    uint64_t sink_scopes, sink_events, reported_scopes,
        reported_events; /* lost by the sink; without a thread, and reported */
    char app[128], project[128], branch[128], build[128], command_line[1024];
    uint32_t changelist;
    uint8_t session_guid[16];
} s = {.fd = -1};

static struct {
    uint8_t *data;
    size_t n, n_notes;
    struct {
        size_t end;
        uint32_t scopes, events;
    } notes[NOTES];
} out;

/* ---- bytes ---- */

static uint8_t *put(uint8_t *p, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static const uint8_t *get_varint(const uint8_t *p, uint64_t *v)
{
    unsigned shift = 0;
    for (*v = 0; *p & 0x80; shift += 7)
        *v |= (uint64_t)(*p++ & 0x7F) << shift;
    *v |= (uint64_t)*p++ << shift;
    return p;
}

/* The next character of UTF-8; a byte that begins none stands for itself. */
static uint32_t character(const char **p, const char *end)
{
    const uint8_t *b = (const uint8_t *)*p;
    const size_t n = b[0] < 0xC2 ? 1 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : b[0] < 0xF5 ? 4 : 1;
    uint32_t c = n == 1 ? b[0] : b[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((size_t)(end - *p) <= i || (b[i] & 0xC0) != 0x80)
            return (*p)++, b[0];
        c = c << 6 | (b[i] & 0x3Fu);
    }
    *p += n;
    return c;
}

static uint8_t *put_wide(uint8_t *p, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        uint32_t c = character(&text, end);
        if (c >= 0x10000) {
            p = put(p, 0xD800 + ((c - 0x10000) >> 10), 2);
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        p = put(p, c, 2);
    }
    return p;
}

static bool is_ascii(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((uint8_t)text[i] >= 0x80)
            return false;
    return true;
}

/* The length of a text that is at most `most` bytes of whole characters. */
static size_t cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    ADD(&cut_texts, 1);
    while (most && ((uint8_t)text[most] & 0xC0) == 0x80)
        most--;
    return most;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t size)
{
    if (size)
        memcpy(p, data, size);
    return p + size;
}

/* Array data of field `field`: code 1 in important events, 2 in others, which have none where it is empty. */
static uint8_t *put_aux(uint8_t *p, unsigned code, unsigned field, const void *data, size_t size)
{
    return code == 2 && !size ? p
                              : put_bytes(put(p, code | field << 8 | (uint32_t)size << 13, 4), data, size);
}

static uint8_t *put_wide_aux(uint8_t *p, unsigned code, unsigned field, const char *text, size_t size)
{
    uint8_t *end = put_wide(p + 4, text, size);
    put(p, code | field << 8 | (uint32_t)(end - p - 4) << 13, 4);
    return code == 2 && !size ? p : end;
}

static uint8_t *put_text_aux(uint8_t *p, unsigned field, const char *text, size_t most)
{
    return put_aux(p, 1, field, text ? text : "", text ? cut(text, strlen(text), most) : 0);
}

static uint8_t *put_wide_text_aux(uint8_t *p, unsigned field, const char *text, size_t most)
{
    return put_wide_aux(p, 1, field, text ? text : "", text ? cut(text, strlen(text), most) : 0);
}

/* ---- definitions: chains that only grow, under the lock ---- */

/* What is behind the header of an important event, `size` bytes of which `record` has all. */
static bool append(struct chain *chain, uint8_t *record, const uint8_t *end)
{
    const size_t size = (size_t)(end - record);
    put(record + 2, size - 4, 2);
    if (!chain->tail || (size_t)(chain->at - chain->tail->data) + size > BLOCK) {
        struct block *b = calloc(1, sizeof *b);
        if (!b)
            return false;
        if (chain->tail) {
            STORE_REL(&chain->tail->next, b);
        } else {
            chain->first = b;
            STORE_REL(&chain->head, b); /* the worker looks without the lock */
        }
        chain->tail = b;
        chain->at = b->data;
    }
    memcpy(chain->at, record, size);
    chain->at += size;
    STORE_REL(&chain->tail->committed, (uint32_t)(chain->at - chain->tail->data));
    return true;
}

enum { IMPORTANT = 1, AUX = 2, NO_SYNC = 4 };
enum { NEW_TRACE = 16, THREAD_TIMING, THREAD_INFO, GROUP_BEGIN, GROUP_END, CHANNEL_ANNOUNCE, CHANNEL_TOGGLE };
enum { SESSION2 = 23, EVENT_SPEC, METADATA_SPEC, METADATA, EVENT_BATCH, END_THREAD, BEGIN_FRAME, END_FRAME };
enum { BOOKMARK_SPEC = 31, BOOKMARK, REGION_BEGIN, REGION_END, LOG_CATEGORY, LOG_SPEC, LOG_MESSAGE };
enum { COUNTER_SPEC = 38, SET_INT, SET_FLOAT, LOSS, FIRST_OWN };

/* In the order of their uids; fields with types in hexadecimal. */
static const struct {
    const char *logger, *name;
    uint8_t flags;
    const char *fields;
} types[] = {
    {"$Trace", "NewTrace", 5, "03StartCycle 03CycleFrequency 01Endian 00PointerSize"},
    {"$Trace", "ThreadTiming", 4, "03BaseTimestamp"},
    {"$Trace", "ThreadInfo", 7, "02ThreadId 02SystemId 12SortHint 88Name"},
    {"$Trace", "ThreadGroupBegin", 7, "88Name"},
    {"$Trace", "ThreadGroupEnd", 5, ""},
    {"Trace", "ChannelAnnounce", 7, "02Id 00IsEnabled 00ReadOnly 88Name"},
    {"Trace", "ChannelToggle", 5, "02Id 00IsEnabled"},
    {"Diagnostics", "Session2", 7,
     "88Platform 88AppName 89ProjectName 89CommandLine 89Branch 89BuildVersion 02Changelist "
     "00ConfigurationType "
     "00TargetType 82InstanceId"},
    {"CpuProfiler", "EventSpec", 7, "02Id 88Name 88File 02Line"},
    {"CpuProfiler", "MetadataSpec", 7, "02Id 88Name 89NameFormat 80FieldNames"},
    {"CpuProfiler", "Metadata", 6, "02Id 02SpecId 80Metadata"},
    {"CpuProfiler", "EventBatchV3", 6, "80Data"},
    {"CpuProfiler", "EndThread", 4, "03Cycle"},
    {"Misc", "BeginFrame", 0, "03Cycle 00FrameType"},
    {"Misc", "EndFrame", 0, "03Cycle 00FrameType"},
    {"Misc", "BookmarkSpec", 7, "03BookmarkPoint 12Line 89FormatString 88FileName"},
    {"Misc", "Bookmark", 2, "03Cycle 03BookmarkPoint 80FormatArgs 02CallstackId"},
    {"Misc", "RegionBeginWithId", 2, "03CycleAndId 89RegionName 89Category"},
    {"Misc", "RegionEndWithId", 0, "03Cycle 03RegionId"},
    {"Logging", "LogCategory", 7, "03CategoryPointer 00DefaultVerbosity 88Name"},
    {"Logging", "LogMessageSpec", 7,
     "03LogPoint 03CategoryPointer 12Line 00Verbosity 88FileName 89FormatString"},
    {"Logging", "LogMessage", 6, "03LogPoint 03Cycle 80FormatArgs"},
    {"Counters", "Spec", 7, "01Id 00Type 00DisplayHint 88Name"},
    {"Counters", "SetValueInt", 0, "03Cycle 13Value 01CounterId"},
    {"Counters", "SetValueFloat", 0, "03Cycle 43Value 01CounterId"},
    {"Tracekit", "Loss", 4, "03StartCycle 03EndCycle 02ThreadId 03Scopes 03Events 00Reason"},
};

struct declared {
    uint8_t record[BLOCK], *at, *names, *field;
    uint32_t offset, n;
};

static void declare_field(struct declared *d, unsigned type, const char *name, size_t size)
{
    const uint32_t bytes = type & 0x80 ? 0 : 1u << (type & 3);
    d->field = put(put(put(d->field, 0, 2), d->offset, 2), bytes, 2);
    *d->field++ = (uint8_t)type;
    *d->field++ = (uint8_t)size;
    d->names = put_bytes(d->names, name, size);
    d->offset += bytes;
}

static void declare_begin(struct declared *d, uint32_t uid, uint32_t n, unsigned flags, const char *logger,
                          const char *name)
{
    d->at = put(put(d->record, 0, 4), uid, 2);
    *d->at++ = (uint8_t)n, *d->at++ = (uint8_t)flags;
    *d->at++ = (uint8_t)strlen(logger), *d->at++ = (uint8_t)strlen(name);
    d->field = d->at;
    d->names = put_bytes(put_bytes(d->at + 8 * n, logger, strlen(logger)), name, strlen(name));
    d->offset = 0;
}

static bool declare_end(struct declared *d)
{
    if ((d->names - d->record) & 1)
        *d->names++ = 0;
    return append(&declarations, d->record, d->names);
}

static bool declare_built_in(void)
{
    static const char hex[] = "0123456789ABCDEF";
    struct declared d;
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint32_t n = *types[i].fields != 0;
        for (const char *p = types[i].fields; *p; p++)
            n += *p == ' ';
        declare_begin(&d, NEW_TRACE + i, n, types[i].flags, types[i].logger, types[i].name);
        for (const char *p = types[i].fields; *p; p += *p == ' ') {
            const unsigned type =
                (unsigned)(strchr(hex, p[0]) - hex) << 4 | (unsigned)(strchr(hex, p[1]) - hex);
            const size_t size = strcspn(p, " ");
            declare_field(&d, type, p + 2, size - 2);
            p += size;
        }
        if (!declare_end(&d))
            return false;
    }
    next_type = FIRST_OWN;
    return true;
}

/* ---- texts that have a number ---- */

struct word {
    uint32_t id, hash, size;
    char kind;
    char text[];
};

static uint32_t hash_of(char kind, const char *text, size_t size)
{
    uint64_t h = (uint64_t)(uint8_t)kind * 0x9E3779B97F4A7C15u + size, v;
    for (; size >= 8; text += 8, size -= 8) {
        memcpy(&v, text, 8);
        h = (h ^ v) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    v = 0;
    memcpy(&v, text, size);
    h = (h ^ v) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(h ^ h >> 32);
}

/* The slot of a text: its word, or where it belongs. */
static struct word **find(struct word **table, uint32_t hash, char kind, const char *text, size_t size)
{
    for (uint32_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
        const struct word *w = LOAD_ACQ(&table[i]);
        if (!w || (w->hash == hash && w->size == size && w->kind == kind && !memcmp(w->text, text, size)))
            return &table[i];
    }
}

/* Writes the definition of a new word; false: no memory. */
typedef bool definer(uint32_t id, const char *text, const void *of);

/* Under the lock. 0: no memory, or too many words. */
static uint32_t intern_locked(char kind, const char *text, size_t size, uint32_t *next, definer *define,
                              const void *of)
{
    const uint32_t hash = hash_of(kind, text, size);
    if (!words)
        STORE_REL(&words, (struct word **)calloc(SLOTS, sizeof *words));
    struct word **slot = words ? find(words, hash, kind, text, size) : NULL;
    if (!slot || *slot)
        return slot ? (*slot)->id : 0;
    struct word *w = n_words < WORDS ? malloc(sizeof *w + size + 1) : NULL;
    if (!w)
        return 0;
    *w = (struct word){*next, hash, (uint32_t)size, kind};
    memcpy(w->text, text, size);
    w->text[size] = 0;
    if (!define(w->id, w->text, of)) {
        free(w);
        return 0;
    }
    (*next)++, n_words++, n_names += kind == 'n';
    STORE_REL(slot, w);
    return w->id;
}

static bool define_timer(uint32_t id, const char *name, const void *of)
{
    const struct tke_site *site = of;
    uint8_t r[BLOCK], *p = put(put(r, EVENT_SPEC, 4), id, 4);
    p = put(p, site ? site->line : 0, 4);
    p = put_text_aux(put_text_aux(p, 1, name, 1000), 2, site ? site->file : "", 1000);
    *p++ = 3;
    return append(&definitions, r, p);
}

static bool define_category(uint32_t id, const char *name, const void *of)
{
    uint8_t r[BLOCK], *p = put(put(r, LOG_CATEGORY, 4), id, 8);
    (void)of;
    *p++ = TKE_INFO;
    p = put_text_aux(p, 2, name, 1000);
    *p++ = 3;
    return append(&definitions, r, p);
}

static bool define_log(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    const uint32_t category =
        intern_locked('c', site->name, strlen(site->name), &next_category, define_category, NULL);
    uint8_t r[BLOCK], *p = put(put(put(put(r, LOG_SPEC, 4), id, 8), category, 8), site->line, 4);
    (void)text;
    *p++ = (uint8_t)site->verbosity;
    p = put_wide_text_aux(put_text_aux(p, 4, site->file, 1000), 5, site->format, 1200);
    *p++ = 3;
    return category && append(&definitions, r, p);
}

static bool define_bookmark(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    uint8_t r[BLOCK], *p = put(put(put(r, BOOKMARK_SPEC, 4), id, 8), site->line, 4);
    (void)text;
    p = put_text_aux(put_wide_text_aux(p, 2, site->format, 1200), 3, site->file, 1000);
    *p++ = 3;
    return append(&definitions, r, p);
}

static bool define_meta(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    uint8_t r[BLOCK], names[512], *n = names, *p = put(put(r, METADATA_SPEC, 4), id, 4);
    (void)text;
    p = put_wide_text_aux(put_text_aux(p, 1, site->name, 1000), 2, site->format, 1000);
    for (const char *f = site->fields; *f; f += *f == ',') {
        const size_t size = strcspn(f, ","), most = size < 23 ? size : 23;
        if ((size_t)(n - names) + 24 > sizeof names)
            break;
        *n++ = (uint8_t)(0x60 + most);
        n = put_bytes(n, f, most);
        f += size;
    }
    p = put_aux(p, 1, 3, names, (size_t)(n - names));
    *p++ = 3;
    return append(&definitions, r, p);
}

static bool define_counter(uint32_t id, const char *name, const void *of)
{
    const struct tke_counter *counter = of;
    if (id > UINT16_MAX)
        return false;
    uint8_t r[BLOCK], *p = put(put(r, COUNTER_SPEC, 4), id, 2);
    *p++ = counter->type, *p++ = counter->hint;
    p = put_text_aux(p, 3, name, 1000);
    *p++ = 3;
    return append(&definitions, r, p);
}

static bool define_event(uint32_t id, const char *text, const void *of)
{
    const struct tke_event *event = of;
    struct declared d;
    uint32_t n = 0, flags = event->flags & NO_SYNC;
    size_t size = 32 + strlen(event->logger) + strlen(event->name);
    (void)text;
    for (const struct tke_field *f = event->fields; f->name; f++, n++) {
        flags |= f->type & 0x80 ? AUX : 0;
        size += 8 + strlen(f->name);
        if (strlen(f->name) > 255)
            return false;
    }
    if (id >= 0x4000 || n > 32 || size > BLOCK || strlen(event->logger) > 255 || strlen(event->name) > 255)
        return false;
    declare_begin(&d, id, n, flags, event->logger, event->name);
    for (const struct tke_field *f = event->fields; f->name; f++)
        declare_field(&d, f->type, f->name, strlen(f->name));
    return declare_end(&d);
}

/* The number of a place, defined when it first runs. 0: it could not be. */
static COLD uint32_t define_place(uint32_t *place, uint32_t *next, definer *define, const char *name,
                                  const void *of)
{
    acquire(&lock);
    uint32_t id = *place;
    if (!id && *next && define(*next, name, of)) {
        id = (*next)++;
        STORE_REL(place, id);
    }
    release(&lock);
    return id;
}

static inline uint32_t place_id(uint32_t *place, uint32_t *next, definer *define, const char *name,
                                const void *of)
{
    const uint32_t id = LOAD_ACQ(place);
    return UNLIKELY(!id) ? define_place(place, next, define, name, of) : id;
}

static uint32_t intern(char kind, const char *text, size_t size, uint32_t *next, definer *define,
                       const void *of)
{
    struct word **table = LOAD_ACQ(&words);
    size = cut(text, size, 1000);
    if (table) {
        const struct word *w = LOAD_ACQ(find(table, hash_of(kind, text, size), kind, text, size));
        if (w)
            return w->id;
    }
    acquire(&lock);
    if (kind == 'n' && n_names >= NAMES)
        text = "(too many names)", size = 16, kind = 'm';
    const uint32_t id = intern_locked(kind, text, size, next, define, of);
    release(&lock);
    return id;
}

uint32_t tke_name(const char *text, size_t size)
{
    return intern('n', text, size, &next_timer, define_timer, NULL);
}

/* ---- blocks ---- */

static void pool_give(struct pool *to, uint32_t i)
{
    uint64_t top = LOAD(&to->top);
    do
        STORE(&to->below[i], (uint32_t)top);
    while (!CAS(&to->top, &top, ((top >> 32) + 1) << 32 | (i + 1)));
    __atomic_fetch_sub(&to->used, 1, __ATOMIC_RELAXED);
}

static struct block *pool_pop(struct pool *from)
{
    uint64_t top = LOAD_ACQ(&from->top);
    while ((uint32_t)top) {
        const uint32_t i = (uint32_t)top - 1;
        if (CAS(&from->top, &top, ((top >> 32) + 1) << 32 | LOAD(&from->below[i])))
            return &from->blocks[i];
    }
    return NULL;
}

static struct block *pool_take(void)
{
    struct pool *from = LOAD_ACQ(&pool);
    if (!LOAD(&pool_open))
        return NULL;
    if (ADD(&from->used, 1) >= LOAD(&from->limit)) {
        __atomic_fetch_sub(&from->used, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    struct block *b = pool_pop(from);
    if (!b) {
        const uint32_t i = LOAD(&from->fresh) < from->n ? ADD(&from->fresh, 1) : from->n;
        b = i < from->n ? &from->blocks[i] : NULL;
    }
    if (!b)
        __atomic_fetch_sub(&from->used, 1, __ATOMIC_RELAXED);
    return b;
}

static bool pool_start(uint64_t bytes)
{
    const uint64_t n = bytes / sizeof(struct block);
    if (n > UINT32_MAX / 2)
        return false;
    if (!pool || n > pool->n) { /* threads may still write to blocks of the old one, so it stays */
        struct pool *p = calloc(1, sizeof *p);
        if (p) {
            p->below = calloc(n + 1, sizeof *p->below);
            p->blocks = map((size_t)(n + 1) * sizeof *p->blocks);
            p->n = (uint32_t)n;
        }
        if (!p || !p->below || !p->blocks) {
            if (p)
                free(p->below);
            free(p);
            return false;
        }
        STORE_REL(&pool, p);
    }
    STORE(&pool->limit, (uint32_t)n);
    STORE_REL(&pool_open, 1);
    return true;
}

/* Another block for a chain of a thread; NULL: the budget is used up. */
static COLD struct block *new_block(struct thread *t, struct chain *chain, uint32_t for_ends, uint32_t of)
{
    struct block *b = LOAD(&pool_open) && LOAD_ACQ(&t->own[0].idle)   ? &t->own[0]
                      : LOAD(&pool_open) && LOAD_ACQ(&t->own[1].idle) ? &t->own[1]
                                                                      : pool_take();
    if (!b)
        return NULL;
    STORE(&b->idle, 0);
    STORE(&b->next, NULL);
    STORE(&b->committed, 0);
    b->session = of;
    chain->at = b->data;
    chain->limit = b->data + BLOCK - for_ends;
    if (chain->tail)
        STORE_REL(&chain->tail->next, b);
    else
        STORE_REL(&chain->head, b);
    chain->tail = b;
    return b;
}

/* ---- threads ---- */

static void thread_ends(void *of)
{
    struct thread *t = of;
    my.thread = NULL;
    t->end_cycle = tke_now();
    STORE_REL(&t->ended, 1);
}

#ifdef _WIN32
static DWORD key = FLS_OUT_OF_INDEXES;
static bool worker_is_dead(void);

/*
 * ExitProcess ends all other threads before it calls this: then what is left goes out here. A lock that one
 * of them held is never given back.
 */
static void WINAPI fiber_ends(void *t)
{
    if (t && my.thread == t)
        thread_ends(t);
    if (LOAD(&s.state) == TKE_OFF || !worker_is_dead() || !TryAcquireSRWLockExclusive(&api))
        return;
    release(&api);
    if (!TryAcquireSRWLockExclusive(&lock))
        return;
    release(&lock);
    tke_stop();
}
static bool make_key(void)
{
    if (key == FLS_OUT_OF_INDEXES)
        key = FlsAlloc(fiber_ends);
    return key != FLS_OUT_OF_INDEXES;
}
static void set_key(void *t)
{
    FlsSetValue(key, t);
}
static void default_name(char *name)
{
    (void)name;
}
#else
static pthread_key_t key;
static bool make_key(void)
{
    static bool made;
    return made = made || !pthread_key_create(&key, thread_ends);
}
static void set_key(void *t)
{
    pthread_setspecific(key, t);
}
static void default_name(char *name)
{
#if defined(__GLIBC__) || defined(__APPLE__)
    pthread_getname_np(pthread_self(), name, NAME);
#else
    (void)name;
#endif
}
#endif

/* Under the lock. 0: there are as many threads as there can be tids. */
static uint32_t new_tid(void)
{
    if (n_free_tids)
        return free_tids[--n_free_tids];
    return next_tid < END_OF_TIDS ? next_tid++ : 0;
}

static void copy_name(struct thread *t)
{
    memcpy(t->name, my.name, NAME);
    memcpy(t->group, my.group, NAME);
    t->hint = my.hint;
}

static struct thread *new_thread(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    acquire(&lock);
    t->tid = new_tid();
    release(&lock);
    if (!t->tid) {
        free(t);
        return NULL;
    }
    t->own[0].idle = t->own[1].idle = 1;
    t->system_id = system_thread();
    if (!my.named)
        default_name(my.name);
    copy_name(t);
    t->named = 1;
    struct thread *head = LOAD(&threads);
    do
        STORE(&t->next, head);
    while (!CAS(&threads, &head, t));
    my.thread = t;
    set_key(t);
    return t;
}

/* Makes the thread write for the present session. NULL: there is no memory for it, or no block. */
static COLD struct thread *join_session(void)
{
    struct thread *t = my.thread ? my.thread : new_thread();
    const uint32_t now = LOAD_ACQ(&session);
    if (!t || t->session == now)
        return t;
    for (int i = 0; i < 2; i++) {
        struct chain *chain = i ? &t->events : &t->scopes;
        if ((!chain->tail || chain->tail->session != now) &&
            !new_block(t, chain, i ? 0 : FOR_ENDS + BEGIN, now))
            return NULL;
    }
    memset(t->recorded, 0, sizeof t->recorded);
    t->last = 0, t->owed = 0;
    STORE(&t->lost_scopes, 0);
    STORE(&t->lost_events, 0);
    STORE_REL(&t->synced, 0);
    STORE_REL(&t->session, now);
    return t;
}

static inline struct thread *self(void)
{
    struct thread *t = my.thread;
    return UNLIKELY(!t || t->session != LOAD(&session)) ? join_session() : t;
}

/* Without a thread there was no memory, or no block, for it to join. */
static COLD void lose_scope(struct thread *t)
{
    if (t)
        STORE(&t->lost_scopes, t->lost_scopes + 1);
    else
        ADD(&unjoined_scopes, 1);
}

static COLD void lose_event(struct thread *t)
{
    if (t)
        STORE(&t->lost_events, t->lost_events + 1);
    else
        ADD(&unjoined_events, 1);
}

/* ---- scopes ---- */

static inline void commit_scopes(struct thread *t, uint8_t *at)
{
    t->scopes.at = at;
    STORE_REL(&t->scopes.tail->committed, (uint32_t)(at - t->scopes.tail->data));
}

static inline uint64_t since_last(struct thread *t)
{
    const uint64_t now = tke_now(), delta = now > t->last ? now - t->last : 0;
    t->last += delta;
    return delta;
}

/* Another block, with the ends that are owed. */
static COLD uint8_t *next_scope_block(struct thread *t)
{
    if (!new_block(t, &t->scopes, FOR_ENDS + BEGIN, t->session))
        return NULL;
    uint8_t *at = t->scopes.at;
    for (; t->owed && at < t->scopes.limit; t->owed--)
        at = put_varint(at, since_last(t) << 2);
    commit_scopes(t, at);
    return t->owed ? NULL : at;
}

/* Code: a timer << 1, or an instance << 1 | 1. */
static inline bool open_scope(struct thread *t, uint64_t code)
{
    uint8_t *at = t->scopes.at;
    if (UNLIKELY(at > t->scopes.limit) && !(at = next_scope_block(t))) {
        lose_scope(t);
        return false;
    }
    at = put_varint(at, since_last(t) << 2 | 1);
    commit_scopes(t, put_varint(at, code));
    return true;
}

static inline void close_scope(struct thread *t)
{
    uint8_t *at = t->scopes.at;
    const uint64_t delta = since_last(t);
    if (UNLIKELY(at > t->scopes.limit + FOR_ENDS + BEGIN - END) && !(at = next_scope_block(t)))
        t->owed++;
    else
        commit_scopes(t, put_varint(at, delta << 2));
}

uint32_t tke_scope_begin_on(struct tke_site *site)
{
    struct thread *t = self();
    const uint32_t id = place_id(&site->id, &next_timer, define_timer, site->name, site);
    if (UNLIKELY(!t || !id)) {
        lose_scope(t);
        return 0;
    }
    return open_scope(t, (uint64_t)id << 1) ? t->session : 0;
}

void tke_scope_end(uint32_t begun)
{
    struct thread *t = my.thread;
    if (t && t->session == begun)
        close_scope(t);
}

static void begin(uint32_t name)
{
    struct thread *t = self();
    const uint32_t depth = my.depth++;
    bool recorded = false;
    if (!t || !name || depth >= DEPTHS)
        lose_scope(t);
    else
        recorded = open_scope(t, (uint64_t)name << 1);
    if (t && depth < DEPTHS)
        t->recorded[depth] = recorded;
}

static void begin_off(void)
{
    const uint32_t depth = my.depth++;
    if (my.thread && depth < DEPTHS)
        my.thread->recorded[depth] = 0;
}

void tke_begin(uint32_t name)
{
    if (tke_channel_on(TKE_CPU))
        begin(name);
    else
        begin_off();
}

void tke_begin_site(struct tke_site *site)
{
    if (tke_channel_on(TKE_CPU))
        begin(place_id(&site->id, &next_timer, define_timer, site->name, site));
    else
        begin_off();
}

void tke_end(void)
{
    struct thread *t = my.thread;
    if (!my.depth)
        return;
    const uint32_t depth = --my.depth;
    if (t && depth < DEPTHS && t->recorded[depth])
        close_scope(t);
}

/* ---- events ---- */

/* A record of at most `size` bytes, with its header; NULL: it is lost. */
static uint8_t *begin_event(struct thread *t, uint32_t uid, bool synced, size_t size)
{
    if (!t || ((size_t)(t->events.limit - t->events.at) < size + 5 &&
               (size + 5 > BLOCK || !new_block(t, &t->events, 0, t->session)))) {
        lose_event(t);
        return NULL;
    }
    uint8_t *p = put(t->events.at, uid << 1 | 1, 2);
    return synced ? put(p, ADD(&serials[t->session % 4], 1), 3) : p;
}

static void end_event(struct thread *t, uint8_t *end, bool synced)
{
    struct block *b = t->events.tail;
    const uint32_t records = (LOAD(&b->committed) >> 16) + 1;
    t->events.at = end;
    STORE_REL(&b->committed, (uint32_t)(end - b->data) | records << 16);
    if (synced)
        STORE_REL(&t->synced, t->synced + 1);
}

/* Events of fixed size: a cycle and a value. */
static void simple_event(uint32_t uid, uint64_t value, size_t size, uint32_t id, size_t id_size)
{
    struct thread *t = self();
    uint8_t *p = begin_event(t, uid, true, 8 + size + id_size);
    if (p)
        end_event(t, put(put(put(p, tke_now(), 8), value, size), id, id_size), true);
}

void tke_frame_begin(int type)
{
    if (tke_channel_on(TKE_FRAME))
        simple_event(BEGIN_FRAME, (uint64_t)(unsigned)type, 1, 0, 0);
}

void tke_frame_end(int type)
{
    if (tke_channel_on(TKE_FRAME))
        simple_event(END_FRAME, (uint64_t)(unsigned)type, 1, 0, 0);
}

static void counter_value(struct tke_counter *counter, uint32_t uid, uint64_t value)
{
    const uint32_t id = place_id(&counter->id, &next_counter, define_counter, counter->name, counter);
    if (id)
        simple_event(uid, value, 8, id, 2);
    else
        lose_event(self());
}

void tke_counter_set(struct tke_counter *counter, int64_t value)
{
    if (counter->type)
        tke_counter_set_real(counter, (double)value);
    else if (tke_channel_on(TKE_COUNTERS))
        counter_value(counter, SET_INT, (uint64_t)value);
}

void tke_counter_set_real(struct tke_counter *counter, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    if (!counter->type)
        tke_counter_set(counter, (int64_t)value);
    else if (tke_channel_on(TKE_COUNTERS))
        counter_value(counter, SET_FLOAT, bits);
}

uint64_t tke_region_begin(const char *name, size_t size, const char *category)
{
    if (!tke_channel_on(TKE_REGION))
        return 0;
    struct thread *t = self();
    size = cut(name, size, 1000);
    const size_t category_size = category ? cut(category, strlen(category), 500) : 0;
    uint8_t *p = begin_event(t, REGION_BEGIN, true, 17 + 2 * (size + category_size));
    if (!p)
        return 0;
    uint64_t last = LOAD(&last_region), id;
    do
        id = tke_now(), id = id > last ? id : last + 1;
    while (!CAS(&last_region, &last, id));
    p = put_wide_aux(put(p, id, 8), 2, 1, name, size);
    p = put_wide_aux(p, 2, 2, category ? category : "", category_size);
    *p++ = 6;
    end_event(t, p, true);
    return id;
}

void tke_region_end(uint64_t region)
{
    if (region && region >= LOAD(&s.start_cycle) && tke_channel_on(TKE_REGION))
        simple_event(REGION_END, region, 8, 0, 0);
}

/* Arguments as texts of the lengths that they have available for. */
static void cut_args(struct tke_arg *to, const struct tke_arg *args, size_t n, size_t available)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = args[i];
        if (args[i].kind != 2)
            continue;
        const char *text = args[i].as.text ? args[i].as.text : "";
        const size_t width = is_ascii(text, args[i].size) ? 1 : 2;
        to[i] = (struct tke_arg){.kind = width == 1 ? 2 : 4, .as.text = text};
        to[i].size = cut(text, args[i].size, available / width);
        available -= to[i].size * width;
    }
}

/* FormatArgs: a number, descriptors, values (events 0.7). */
static uint8_t *put_format_args(uint8_t *p, unsigned field, const struct tke_arg *args, size_t n)
{
    static const uint8_t descriptors[] = {0x48, 0x88, 0xC1, 0x48, 0xC2};
    uint8_t *begin = p;
    p += 4;
    *p++ = (uint8_t)n;
    for (size_t i = 0; i < n; i++)
        *p++ = descriptors[args[i].kind];
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind == 2)
            p = put(put_bytes(p, args[i].as.text, args[i].size), 0, 1);
        else if (args[i].kind == 4)
            p = put(put_wide(p, args[i].as.text, args[i].size), 0, 2);
        else
            p = put_bytes(p, &args[i].as, 8);
    }
    put(begin, 2 | field << 8 | (uint32_t)(p - begin - 4) << 13, 4);
    return p;
}

static void formatted(uint32_t uid, uint32_t point, const struct tke_arg *args, size_t n)
{
    struct thread *t = self();
    struct tke_arg own[8];
    const bool is_log = uid == LOG_MESSAGE;
    size_t size = 32;
    n = n > 8 ? 8 : n;
    cut_args(own, args, n, ARGS_BYTES - 11 * n);
    for (size_t i = 0; i < n; i++)
        size += 11 + (own[i].kind == 4 ? 2 : 1) * own[i].size;
    uint8_t *p = point ? begin_event(t, uid, !is_log, size) : NULL;
    if (!p) {
        if (!point)
            lose_event(t);
        return;
    }
    const uint64_t now = tke_now();
    p = is_log ? put(put(p, point, 8), now, 8) : put(put(put(p, now, 8), point, 8), 0, 4);
    p = put_format_args(p, 2, own, n);
    *p++ = 6;
    end_event(t, p, !is_log);
}

void tke_log_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    formatted(LOG_MESSAGE, place_id(&site->id, &next_point, define_log, "", site), args, n);
}

void tke_bookmark_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    formatted(BOOKMARK, place_id(&site->id, &next_point, define_bookmark, "", site), args, n);
}

void tke_log_text(const char *category, int verbosity, const char *text, size_t size)
{
    if (!tke_channel_on(TKE_LOGS))
        return;
    const struct tke_site site = {0, 0, category, "", "%s", "", (uint32_t)verbosity};
    const struct tke_arg arg = {.kind = 2, .size = size, .as.text = text};
    formatted(LOG_MESSAGE,
              intern((char)(verbosity & 7), category, strlen(category), &next_point, define_log, &site), &arg,
              1);
}

void tke_bookmark_text(const char *text, size_t size)
{
    if (!tke_channel_on(TKE_MARK))
        return;
    static const struct tke_site site = {0, 0, "", "", "%s", "", 0};
    const struct tke_arg arg = {.kind = 2, .size = size, .as.text = text};
    formatted(BOOKMARK, intern('b', "", 0, &next_point, define_bookmark, &site), &arg, 1);
}

static uint8_t *put_cbor(uint8_t *p, unsigned major, uint64_t v)
{
    const unsigned size = v < 24 ? 0 : v < 0x100 ? 1 : v < 0x10000 ? 2 : v <= UINT32_MAX ? 4 : 8;
    *p++ = (uint8_t)(major << 5 | (size == 0 ? v : size == 1 ? 24 : size == 2 ? 25 : size == 4 ? 26 : 27));
    for (unsigned i = size; i--;)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_cbor_arg(uint8_t *p, const struct tke_arg *arg)
{
    uint64_t bits;
    memcpy(&bits, &arg->as, 8);
    if (arg->kind == 2 || arg->kind == 4)
        return put_bytes(put_cbor(p, 3, arg->size), arg->as.text, arg->size);
    if (arg->kind == 0 && arg->as.integer < 0)
        return put_cbor(p, 1, ~bits);
    if (arg->kind != 1)
        return put_cbor(p, 0, bits);
    *p++ = 0xFB;
    for (int i = 56; i >= 0; i -= 8)
        *p++ = (uint8_t)(bits >> i);
    return p;
}

/* The values go out before the scope: no prefix of a capture has a scope without them. */
uint32_t tke_scope_begin_meta_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    struct thread *t = self();
    const uint32_t id = place_id(&site->id, &next_timer, define_meta, "", site);
    struct tke_arg own[8];
    size_t size = 16;
    n = n > 8 ? 8 : n;
    cut_args(own, args, n, ARGS_BYTES - 11 * n);
    for (size_t i = 0; i < n; i++)
        size += 11 + own[i].size;
    uint8_t *p = NULL;
    if (t && id && (t->scopes.at <= t->scopes.limit || next_scope_block(t)))
        p = begin_event(t, METADATA, false, size);
    if (!p) {
        lose_scope(t);
        return 0;
    }
    const uint32_t instance = ADD(&instances, 1) + 1;
    uint8_t *begin = p = put(put(p, instance, 4), id, 4);
    p += 4;
    for (size_t i = 0; i < n; i++)
        p = put_cbor_arg(p, &own[i]);
    put(begin, 2 | 2 << 8 | (uint32_t)(p - begin - 4) << 13, 4);
    *p++ = 6;
    end_event(t, p, false);
    return open_scope(t, (uint64_t)instance << 1 | 1) ? t->session : 0;
}

/* The array data of a field of an own event: text with its size in the record. */
static size_t field_data(const struct tke_field *f, const uint8_t *values, size_t most, const void **data)
{
    struct tke_bytes bytes = {NULL, 0};
    if (f->type == tke_c_bytes) {
        memcpy(&bytes, values + f->offset, sizeof bytes);
        if (bytes.size > most)
            ADD(&cut_texts, 1), bytes.size = most;
    } else {
        memcpy(&bytes.data, values + f->offset, sizeof bytes.data);
        bytes.size =
            bytes.data ? cut(bytes.data, strlen(bytes.data), f->type == tke_c_wide ? most / 2 : most) : 0;
    }
    *data = bytes.data;
    return bytes.size;
}

void tke_send_on(struct tke_event *event, const void *of)
{
    const uint8_t *values = of;
    struct thread *t = self();
    const uint32_t uid = place_id(&event->id, &next_type, define_event, "", event);
    struct {
        const void *data;
        size_t size;
    } aux[32];
    size_t fixed = 1, available = BLOCK - 5 - 33 * 8 - 32 * 4, n = 0;
    for (const struct tke_field *f = event->fields; uid && f->name; f++, n++) {
        fixed += f->type & 0x80 ? 4 : 1u << (f->type & 3);
        aux[n].size = f->type & 0x80 ? field_data(f, values, available, &aux[n].data) : 0;
        available -= aux[n].size *= f->type == tke_c_wide ? 2 : 1;
        fixed += aux[n].size;
    }
    const bool synced = !(event->flags & NO_SYNC);
    uint8_t *p = uid ? begin_event(t, uid, synced, fixed) : NULL;
    if (!p) {
        if (!uid)
            lose_event(t);
        return;
    }
    bool has_aux = false;
    for (const struct tke_field *f = event->fields; f->name; f++)
        if (f->type & 0x80)
            has_aux = true;
        else
            p = put_bytes(p, values + f->offset, (size_t)1 << (f->type & 3));
    for (unsigned i = 0; i < n; i++) {
        if (event->fields[i].type == tke_c_wide)
            p = put_wide_aux(p, 2, i, aux[i].data, aux[i].size / 2);
        else if (event->fields[i].type & 0x80)
            p = put_aux(p, 2, i, aux[i].data, aux[i].size);
    }
    if (has_aux)
        *p++ = 6;
    end_event(t, p, synced);
}

/* ---- channels ---- */

static char lower(char c)
{
    return (char)(c | 0x20);
}

/* FNV-1a of the name in lower case, without the suffix Channel and one s (wire 6). */
static uint32_t channel_hash(const char *name, size_t size)
{
    uint32_t h = 0x811C9DC5;
    if (size > 7 && !memcmp(name + size - 7, "Channel", 7))
        size -= 7;
    if (size && lower(name[size - 1]) == 's')
        size--;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)lower(name[i])) * 0x01000193;
    return h;
}

/* Is a channel on by a list such as "default,-log,net"? Without a list, and with `default`, built-in ones
 * are. */
static bool is_wanted(const char *list, const char *name, bool built_in)
{
    bool on = built_in && (!*list || *list == '-');
    const uint32_t hash = channel_hash(name, strlen(name));
    for (const char *p = list; *p; p += *p == ',') {
        const bool off = *p == '-';
        p += off;
        const size_t size = strcspn(p, ",");
        if (channel_hash(p, size) == hash)
            on = !off;
        else if (size == 7 && !memcmp(p, "default", 7) && built_in)
            on = !off;
        p += size;
    }
    return on;
}

/* Under the lock. */
static void set_channels(uint32_t on)
{
    STORE(&wanted_on, on);
    STORE_REL(&tke_channels_on, LOAD(&s.state) != TKE_OFF && !s.stop ? on : 0);
}

uint32_t tke_channel(const char *name)
{
    const size_t size = strlen(name);
    const uint32_t hash = channel_hash(name, size);
    uint32_t i, bit = 0;
    acquire(&lock);
    for (i = 0; i < n_channels && channel_hash(channel_names[i], strlen(channel_names[i])) != hash;)
        i++;
    if (i == n_channels && i < BUILT_IN + OWN_CHANNELS && size < sizeof *channel_names) {
        memcpy(channel_names[i], name, size + 1);
        n_channels++;
        if (is_wanted(wanted, name, false))
            set_channels(wanted_on | 1u << i);
    }
    if (i < n_channels)
        bit = 1u << i;
    release(&lock);
    return bit;
}

int tke_channel_set(const char *names, bool on)
{
    int found = 0;
    acquire(&lock);
    for (const char *p = names; *p; p += *p == ',') {
        const size_t size = strcspn(p, ",");
        for (uint32_t i = 0; i < n_channels; i++) {
            if (channel_hash(channel_names[i], strlen(channel_names[i])) != channel_hash(p, size))
                continue;
            found++;
            set_channels(on ? wanted_on | 1u << i : wanted_on & ~(1u << i));
        }
        p += size;
    }
    release(&lock);
    return found;
}

void tke_thread_name(const char *name, const char *group, int sort_hint)
{
    acquire(&lock);
    memset(my.name, 0, NAME);
    memset(my.group, 0, NAME);
    memcpy(my.name, name, cut(name, strlen(name), NAME - 1));
    if (group)
        memcpy(my.group, group, cut(group, strlen(group), NAME - 1));
    my.hint = sort_hint;
    my.named = 1;
    if (my.thread) {
        copy_name(my.thread);
        STORE(&my.thread->named, my.thread->named + 1);
    }
    release(&lock);
    if (tke_channels_on)
        self();
}

/* ---- the sink ---- */

/* Writes what it can without waiting for more than the end of tke_stop; the number of bytes. */
static size_t sink_write(const uint8_t *data, size_t size)
{
    size_t done = 0;
    while (done < size && !s.error) {
#ifdef _WIN32
        int r = s.socket ? send(s.peer, (const char *)data + done, (int)(size - done), 0)
                         : _write(s.fd, data + done, (unsigned)(size - done));
        const int error = s.socket ? WSAGetLastError() : errno;
        const bool full = s.socket && error == WSAEWOULDBLOCK;
#else
        ssize_t r;
#ifdef MSG_NOSIGNAL
        const int flags = MSG_NOSIGNAL;
#else
        const int flags = 0;
#endif
        r = s.socket ? send(s.fd, data + done, size - done, flags) : write(s.fd, data + done, size - done);
        const int error = errno;
        const bool full = error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
#endif
        if (r >= 0) {
            done += (size_t)r;
            continue;
        }
        const uint64_t stop_at = LOAD(&s.stop_at);
        if (!full)
            STORE(&s.error, error);
        else if (stop_at && milliseconds() >= stop_at)
            STORE(&s.error, ETIMEDOUT);
#ifdef _WIN32
        else
            Sleep(5);
#else
        else
            poll(&(struct pollfd){.fd = s.fd, .events = POLLOUT}, 1, 20);
#endif
    }
    return done;
}

static void sink_cut(uint64_t bytes)
{
#ifdef _WIN32
    if (!s.socket && !_chsize_s(s.fd, (long long)bytes))
        _lseeki64(s.fd, (long long)bytes, SEEK_SET);
#else
    if (!s.socket && !ftruncate(s.fd, (off_t)bytes))
        lseek(s.fd, (off_t)bytes, SEEK_SET);
#endif
}

static void sink_close(void)
{
#ifdef _WIN32
    if (s.socket)
        closesocket(s.peer);
    else if (s.fd >= 0)
        _close(s.fd);
#else
    if (s.fd >= 0)
        close(s.fd);
#endif
    s.fd = -1;
}

static void account(uint32_t scopes, uint32_t events, bool written)
{
    acquire(&lock);
    s.scopes += written ? scopes : 0;
    s.lost_scopes += written ? 0 : scopes;
    s.lost_events += written ? 0 : events;
    if (!written)
        s.sink_scopes += scopes, s.sink_events += events;
    release(&lock);
}

/* One write. Of a file that takes no more, whole packets stay. */
static void out_flush(void)
{
    const bool was_broken = s.error != 0;
    const size_t done = was_broken ? 0 : sink_write(out.data, out.n);
    size_t whole = 0;
    for (size_t i = 0; i < out.n_notes; i++) {
        const bool written = out.notes[i].end <= done;
        whole = written ? out.notes[i].end : whole;
        account(out.notes[i].scopes, out.notes[i].events, written);
    }
    STORE(&s.bytes, s.bytes + whole);
    out.n = out.n_notes = 0;
    if (s.error && !was_broken) {
        sink_cut(s.bytes);
        STORE(&s.state, TKE_BROKEN);
        STORE(&pool_open, 0);
    }
}

static void put_packet(uint32_t tid, const void *data, size_t size, uint32_t scopes, uint32_t events)
{
    if (out.n + size + 4 > OUT_BYTES || out.n_notes == NOTES)
        out_flush();
    put_bytes(put(put(out.data + out.n, size + 4, 2), tid, 2), data, size);
    out.n += size + 4;
    out.notes[out.n_notes].end = out.n;
    out.notes[out.n_notes].scopes = scopes;
    out.notes[out.n_notes++].events = events;
}

/* ---- rounds of the worker ---- */

static void see(struct chain *chain)
{
    struct block *b = LOAD_ACQ(&chain->head), *next;
    while (b && (next = LOAD_ACQ(&b->next)))
        b = next;
    chain->seen = b;
    chain->seen_to = b ? LOAD_ACQ(&b->committed) : 0;
}

/* The blocks of a chain that were seen, one after another, with what is new in them. */
static bool next_slice(struct chain *chain, const uint8_t **data, uint32_t *size, uint32_t *records)
{
    struct block *b = chain->head;
    const uint32_t to = b == chain->seen ? chain->seen_to : LOAD_ACQ(&b->committed);
    *data = b->data + (chain->sent & 0xFFFF);
    *size = (to & 0xFFFF) - (chain->sent & 0xFFFF);
    *records = (to >> 16) - (chain->sent >> 16);
    chain->sent = to;
    return *size != 0;
}

/* To its thread or to the pool; blocks of a pool that a larger one replaced are left. */
static void free_block(const struct thread *t, struct block *b)
{
    const uintptr_t at = (uintptr_t)b, blocks = (uintptr_t)pool->blocks;
    if (b == &t->own[0] || b == &t->own[1])
        STORE_REL(&b->idle, 1);
    else if (at >= blocks && at < blocks + pool->n * sizeof *b)
        pool_give(pool, (uint32_t)((at - blocks) / sizeof *b));
}

/* Frees the first block when its thread has left it; false: it was the last one that was seen. */
static bool next_block(struct chain *chain, const struct thread *t)
{
    struct block *b = chain->head;
    if (b == chain->seen)
        return false;
    chain->head = LOAD_ACQ(&b->next);
    chain->sent = 0;
    if (t)
        free_block(t, b);
    return true;
}

static void send_definitions(struct chain *chain, uint32_t tid)
{
    const uint8_t *data;
    uint32_t size, records;
    see(chain);
    if (chain->seen)
        do
            if (next_slice(chain, &data, &size, &records))
                put_packet(tid, data, size, 0, 0);
        while (next_block(chain, NULL));
}

/* What follows a header of an important event, in `r`. */
static void put_important(uint8_t *r, const uint8_t *end)
{
    put(r + 2, (uint64_t)(end - r - 4), 2);
    put_packet(1, r, (size_t)(end - r), 0, 0);
}

static void send_text_event(uint32_t uid, uint8_t *r, uint8_t *p, unsigned field, const char *text)
{
    put(r, uid, 2);
    p = put_aux(p, 1, field, text, strlen(text) + 1);
    *p++ = 3;
    put_important(r, p);
}

static void send_thread_info(uint32_t tid, uint32_t system_id, int hint, const char *name, const char *group)
{
    uint8_t r[512];
    if (*group)
        send_text_event(GROUP_BEGIN, r, r + 4, 0, group);
    send_text_event(THREAD_INFO, r, put(put(put(r + 4, tid, 4), system_id, 4), (uint32_t)hint, 4), 3, name);
    if (*group)
        put_important(r, put(r, GROUP_END, 4));
}

static void send_channels(void)
{
    const uint32_t on = LOAD(&wanted_on);
    uint8_t r[64];
    acquire(&lock);
    const uint32_t n = n_channels;
    release(&lock);
    for (uint32_t i = 0; i < n; i++) {
        if (i < s.reported_channels && !((on ^ s.reported_on) >> i & 1))
            continue;
        uint8_t *p =
            put(put(put(r, CHANNEL_TOGGLE, 4), channel_hash(channel_names[i], strlen(channel_names[i])), 4),
                on >> i & 1, 1);
        put_important(r, p);
    }
    for (uint32_t i = s.reported_channels; i < n; i++) {
        uint8_t *p =
            put(put(r, CHANNEL_ANNOUNCE, 4), channel_hash(channel_names[i], strlen(channel_names[i])), 4);
        p = put_text_aux(put(p, on >> i & 1, 2), 3, channel_names[i], 31);
        *p++ = 3;
        put_important(r, p);
    }
    s.reported_on = on, s.reported_channels = n;
}

/* The entries of a slice as one event, its first one absolute. */
static void send_scopes(struct thread *t, const uint8_t *data, uint32_t size)
{
    uint8_t r[PACKET], *p = put(r, EVENT_BATCH << 1 | 1, 2) + 4;
    const uint8_t *at = data, *end = data + size, *rest = NULL;
    uint32_t begins = 0;
    while (at < end) {
        uint64_t v, id;
        at = get_varint(at, &v);
        t->worker_last += v >> 2;
        if (!rest)
            rest = at, p = put_varint(p, t->worker_last << 2 | (v & 3));
        if (v & 1)
            at = get_varint(at, &id), begins++, t->open++;
        else
            t->open -= t->open != 0;
    }
    p = put_bytes(p, rest, (size_t)(end - rest));
    put(r + 2, 2 | (uint32_t)(p - r - 6) << 13, 4);
    *p++ = 6;
    put_packet(t->tid, r, (size_t)(p - r), begins, 0);
}

/* Blocks of an earlier session are of no use; false: the thread writes for none or another one. */
static bool of_session(struct thread *t)
{
    if (LOAD_ACQ(&t->session) != s.worker_id)
        return false;
    for (int i = 0; i < 2 && t->known_session != s.worker_id; i++) {
        struct chain *chain = i ? &t->events : &t->scopes;
        chain->seen = NULL;
        while (chain->head->session != s.worker_id && next_block(chain, t))
            ;
    }
    return true;
}

static void send_thread_start(struct thread *t)
{
    char name[NAME], group[NAME], number[NAME];
    const uint32_t named = LOAD(&t->named);
    const bool first = t->known_session != s.worker_id;
    if (!first && t->sent_name == named)
        return;
    acquire(&lock);
    memcpy(name, t->name, NAME);
    memcpy(group, t->group, NAME);
    const int hint = t->hint;
    release(&lock);
    snprintf(number, sizeof number, "Thread %u", t->tid);
    send_thread_info(t->tid, t->system_id, hint, *name ? name : number, group);
    if (first) {
        uint8_t r[16];
        put_packet(t->tid, r,
                   (size_t)(put(put(r, THREAD_TIMING << 1 | 1, 2), s.round_cycle - s.start_cycle, 8) - r), 0,
                   0);
        t->worker_last = t->reported_scopes = t->reported_events = t->open = 0;
    }
    t->known_session = s.worker_id, t->sent_name = named;
}

static void send_thread(struct thread *t)
{
    const uint8_t *data;
    uint32_t size, records;
    do
        if (next_slice(&t->events, &data, &size, &records))
            put_packet(t->tid, data, size, 0, records);
    while (next_block(&t->events, t));
    do
        if (next_slice(&t->scopes, &data, &size, &records))
            send_scopes(t, data, size);
    while (next_block(&t->scopes, t));
}

/* Threads end their scopes themselves, but where a tid is given again the next one would be inside of them.
 */
static void send_thread_end(struct thread *t)
{
    uint8_t r[PACKET], *p = put(r, EVENT_BATCH << 1 | 1, 2) + 4;
    if (t->tid < REUSED_TIDS) {
        put_packet(t->tid, r, (size_t)(put(put(r, END_THREAD << 1 | 1, 2), t->end_cycle, 8) - r), 0, 0);
        return;
    }
    if (!t->open)
        return;
    p = put_varint(p, t->end_cycle << 2);
    while (--t->open && p - r < PACKET - 8)
        *p++ = 0;
    put(r + 2, 2 | (uint32_t)(p - r - 6) << 13, 4);
    *p++ = 6;
    put_packet(t->tid, r, (size_t)(p - r), 0, 0);
}

static uint8_t *put_loss(uint8_t *p, uint32_t tid, uint64_t scopes, uint64_t events, unsigned reason)
{
    p = put(put(put(p, LOSS << 1 | 1, 2), s.round_cycle, 8), tke_now(), 8);
    return put(put(put(put(p, tid, 4), scopes, 8), events, 8), reason, 1);
}

static void warn(uint64_t scopes, uint64_t events)
{
    static struct tke_site site = {0,  0,          "LogTracekit", "", "dropped %llu scopes and %llu events",
                                   "", TKE_WARNING};
    const uint32_t point = place_id(&site.id, &next_point, define_log, "", &site);
    const struct tke_arg args[] = {tke_arg_unsigned(scopes), tke_arg_unsigned(events)};
    uint8_t r[64], *p = put(put(put(r, LOG_MESSAGE << 1 | 1, 2), point, 8), tke_now(), 8);
    if (!point || milliseconds() - s.warned < 1000)
        return;
    send_definitions(&definitions, 1);
    s.warned = milliseconds();
    p = put_format_args(p, 2, args, 2);
    *p++ = 6;
    put_packet(WORKER, r, (size_t)(p - r), 0, 0);
}

/* What a thread dropped since the last round. While the sink is broken, it waits for the end. */
static void send_loss(uint32_t tid, uint64_t scopes, uint64_t *reported_scopes, uint64_t events,
                      uint64_t *reported_events, unsigned reason)
{
    uint8_t r[64];
    if (s.error || (scopes == *reported_scopes && events == *reported_events))
        return;
    put_packet(WORKER, r,
               (size_t)(put_loss(r, tid, scopes - *reported_scopes, events - *reported_events, reason) - r),
               0, 0);
    warn(scopes - *reported_scopes, events - *reported_events);
    *reported_scopes = scopes, *reported_events = events;
}

/* Takes a thread that ended out of the list; the first one stays, as new ones are put before it. */
static bool remove_thread(struct thread *before, struct thread *t)
{
    if (!before)
        return false;
    acquire(&lock);
    STORE(&before->next, LOAD(&t->next));
    if (t->known_session == s.worker_id) {
        s.lost_scopes += t->lost_scopes, s.lost_events += t->lost_events, s.worker_synced += t->synced;
        if (s.error)
            s.sink_scopes += t->lost_scopes - t->reported_scopes,
                s.sink_events += t->lost_events - t->reported_events;
    }
    if (t->tid >= REUSED_TIDS)
        free_tids[n_free_tids++] = (uint16_t)t->tid;
    release(&lock);
    for (int i = 0; i < 2; i++)
        for (struct block *b = i ? t->events.head : t->scopes.head, *next; b; b = next) {
            next = b->next;
            free_block(t, b);
        }
    free(t);
    return true;
}

static void send_threads(struct thread *first)
{
    for (struct thread *t = first, *before = NULL, *next; t; t = next) {
        next = LOAD(&t->next);
        if (t->seen) { /* seen this round, in this session */
            send_thread_start(t);
            send_thread(t);
            if (t->gone && t->end_cycle)
                send_thread_end(t), t->end_cycle = 0;
            send_loss(t->tid, LOAD(&t->lost_scopes), &t->reported_scopes, LOAD(&t->lost_events),
                      &t->reported_events, BUDGET);
        }
        if (!t->gone || !remove_thread(before, t))
            before = t;
    }
}

static void send_new_trace(void)
{
    uint8_t r[PACKET], *p = put(put(put(r, NEW_TRACE, 4), s.start_cycle, 8), s.frequency, 8);
    put_important(r, put(put(p, 0x524D, 2), sizeof(void *), 1));
    p = put(r, SESSION2, 4);
    p = put(p, s.changelist, 4);
    p = put(p, 0x0500, 2);
#if defined(_WIN32)
    p = put_text_aux(p, 0, "Windows", 16);
#elif defined(__APPLE__)
    p = put_text_aux(p, 0, "Mac", 16);
#elif defined(__linux__)
    p = put_text_aux(p, 0, "Linux", 16);
#else
    p = put_text_aux(p, 0, "Unix", 16);
#endif
    p = put_wide_text_aux(put_text_aux(p, 1, s.app, 127), 2, s.project, 127);
    p = put_wide_text_aux(put_wide_text_aux(p, 3, s.command_line, 1000), 4, s.branch, 127);
    p = put_aux(put_wide_text_aux(p, 5, s.build, 127), 1, 9, s.session_guid, 16);
    *p++ = 3;
    put_important(r, p);
}

static void send_head(void)
{
    acquire(&lock); /* else a first definition that comes now would be forgotten */
    declarations.sent = definitions.sent = 0;
    STORE_REL(&declarations.head, declarations.first);
    STORE_REL(&definitions.head, definitions.first);
    release(&lock);
    send_definitions(&declarations, 0);
    send_new_trace();
    send_channels();
    send_thread_info(WORKER, 0, INT32_MAX, "Trace", "");
}

static void one_round(bool last)
{
    static const uint8_t sync[] = {4, 0, 0xFF, 0x3F};
    struct thread *first = LOAD_ACQ(&threads);
    const uint64_t cycle = tke_now();
    for (struct thread *t = first; t; t = LOAD(&t->next)) {
        t->gone = LOAD_ACQ(&t->ended);
        t->seen = of_session(t);
        if (t->seen) {
            see(&t->scopes);
            see(&t->events);
        }
    }
    if (!s.rounds)
        send_head();
    send_channels();
    send_definitions(&declarations, 0);
    send_definitions(&definitions, 1);
    send_threads(first);
    send_loss(0, LOAD(&unjoined_scopes), &s.reported_scopes, LOAD(&unjoined_events), &s.reported_events,
              NO_MEMORY);
    for (; s.rounds < 3; s.rounds++) {
        if (out.n + 4 > OUT_BYTES || out.n_notes == NOTES)
            out_flush();
        memcpy(out.data + out.n, sync, 4);
        out.n += 4, out.notes[out.n_notes].end = out.n;
        out.notes[out.n_notes].scopes = out.notes[out.n_notes].events = 0, out.n_notes++;
        if (!last) {
            s.rounds++;
            break;
        }
    }
    out_flush();
    s.round_cycle = cycle;
}

/* ---- the clock ---- */

static struct {
    uint64_t cycle, ticks;
} clock_base; /* once per process: the longer ago, the more exact the frequency */

static void clock_pair(uint64_t *cycle, uint64_t *ticks)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        const uint64_t before = tke_now(), now = os_ticks(), after = tke_now();
        if (after - before < best)
            best = after - before, *cycle = before + best / 2, *ticks = now;
    }
}

uint64_t tke_now_os(void)
{
    return os_ticks();
}

/* Is the time stamp counter constant, and does the system use it? */
static bool has_tsc(void)
{
#ifdef __x86_64__
    unsigned a, b, c, d = 0;
    bool used = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#ifdef __linux__
    char name[16] = "";
    FILE *file =
        used ? fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re") : NULL;
    used = file && fgets(name, sizeof name, file) && !strcmp(name, "tsc\n");
    if (file)
        fclose(file);
#endif
    return used;
#else
    return false;
#endif
}

static void clock_start(void)
{
    if (!clock_base.ticks) {
        tke_clock_tsc = !(s.flags & TKE_CLOCK_OS) && has_tsc();
        clock_pair(&clock_base.cycle, &clock_base.ticks);
    }
    s.hold_until = tke_clock_tsc ? clock_base.ticks / (os_frequency() / 1000) + 50 : 0;
    STORE(&s.start_cycle, tke_now());
}

static void clock_measure(void)
{
    uint64_t cycle = 0, ticks = 0;
    s.frequency = os_frequency();
    if (!tke_clock_tsc)
        return;
    do
        clock_pair(&cycle, &ticks);
    while (ticks - clock_base.ticks < s.frequency / 10000);
    s.frequency = (uint64_t)((double)(cycle - clock_base.cycle) * (double)s.frequency /
                             (double)(ticks - clock_base.ticks));
}

/* ---- the worker ---- */

static bool crashing(void);
static void crash_saved(void);

/* Until all serials that were taken are in records, for 50 ms at most: else the end had a gap. */
static void wait_for_serials(void)
{
    for (int i = 0; i < 50; i++) {
        uint32_t synced = s.worker_synced;
        for (struct thread *t = LOAD_ACQ(&threads); t; t = LOAD(&t->next))
            synced += LOAD_ACQ(&t->session) == s.worker_id ? LOAD_ACQ(&t->synced) : 0;
        if (synced == LOAD(&serials[s.worker_id % 4]))
            return;
        sleep_ms(1);
    }
}

/* What was lost since the file took no more, if it takes that now. */
static void write_last_loss(void)
{
    uint64_t scopes = s.sink_scopes + LOAD(&unjoined_scopes) - s.reported_scopes;
    uint64_t events = s.sink_events + LOAD(&unjoined_events) - s.reported_events;
    for (struct thread *t = threads; t; t = LOAD(&t->next))
        if (t->known_session == s.worker_id)
            scopes += LOAD(&t->lost_scopes) - t->reported_scopes,
                events += LOAD(&t->lost_events) - t->reported_events;
    uint8_t r[64];
    const size_t size = (size_t)(put_loss(r + 4, 0, scopes, events, SINK) - r);
    put(put(r, size, 2), WORKER, 2);
    const int error = s.error;
    STORE(&s.error, 0);
    if (sink_write(r, size) == size)
        s.bytes += size;
    else
        sink_cut(s.bytes);
    STORE(&s.error, error);
}

static void last_round(void)
{
    wait_for_serials();
    if (!s.frequency)
        clock_measure();
    one_round(true);
    if (s.error && !s.socket)
        write_last_loss();
}

static void work(void)
{
    bool stop = false;
    while (!stop) {
        acquire(&lock);
        if (!s.stop && s.flush_wanted == s.flush_done)
            wait_ms(&changed, &lock, s.round_ms);
        stop = s.stop;
        const uint32_t flush = s.flush_wanted;
        const bool immediate = stop || flush != s.flush_done || crashing();
        release(&lock);
        if (stop)
            break;
        if (!s.frequency && !immediate && milliseconds() < s.hold_until)
            continue;
        if (!s.frequency)
            clock_measure();
        one_round(false);
        acquire(&lock);
        s.flush_done = flush;
        wake(&changed);
        release(&lock);
        crash_saved();
    }
    last_round();
    acquire(&lock);
    s.done = true;
    wake(&changed);
    release(&lock);
}

#ifdef _WIN32
static DWORD WINAPI worker(void *of)
{
    (void)of;
    work();
    return 0;
}
static int worker_start(void)
{
    s.thread = CreateThread(NULL, 0, worker, NULL, 0, NULL);
    return s.thread ? 0 : EAGAIN;
}
static void worker_join(bool done)
{
    if (done)
        WaitForSingleObject(s.thread, 1000);
    CloseHandle(s.thread);
}
/* When a process ends, the worker is gone before those who are notified. */
static bool worker_is_dead(void)
{
    return WaitForSingleObject(s.thread, 0) == WAIT_OBJECT_0 && !s.done;
}
#else
static void *worker(void *of)
{
    work();
    return of;
}
static int worker_start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&s.thread, NULL, worker, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
static void worker_join(bool done)
{
    if (done)
        pthread_join(s.thread, NULL);
    else
        pthread_detach(s.thread);
}
static bool worker_is_dead(void)
{
    return false;
}
#endif

/* ---- crashes ---- */

static uint32_t crash_wanted, crash_done;

static bool crashing(void)
{
    return LOAD(&crash_wanted) != 0;
}

static void crash_saved(void)
{
    if (crashing())
        STORE_REL(&crash_done, 1);
}

#ifdef _WIN32
static LPTOP_LEVEL_EXCEPTION_FILTER old_filter;

static LONG WINAPI on_crash(EXCEPTION_POINTERS *what)
{
    STORE(&crash_wanted, 1);
    for (int i = 0; i < 200 && LOAD(&s.state) == TKE_RUNNING && !LOAD(&crash_done); i++)
        Sleep(1);
    return old_filter ? old_filter(what) : EXCEPTION_CONTINUE_SEARCH;
}

static void crash_start(void)
{
    old_filter = SetUnhandledExceptionFilter(on_crash);
}
#else
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction old_actions[sizeof crashes / sizeof *crashes];

/* Only waits, then gives the signal to whom it was before. */
static void on_crash(int number)
{
    const int error = errno;
    STORE(&crash_wanted, 1);
    const bool worker_itself = pthread_equal(pthread_self(), s.thread);
    for (int i = 0; i < 200 && LOAD(&s.state) == TKE_RUNNING && !worker_itself && !LOAD_ACQ(&crash_done); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i] == number)
            sigaction(number, &old_actions[i], NULL);
    errno = error;
    raise(number);
}

static void crash_start(void)
{
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_NODEFER | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        sigdelset(&action.sa_mask, crashes[i]);
        sigaction(crashes[i], &action, &old_actions[i]);
    }
}
#endif

/* ---- start and stop ---- */

#ifndef _WIN32
static void before_fork(void)
{
    acquire(&lock);
}

static void after_fork(void)
{
    release(&lock);
}

/* The child has none of the threads. It is off, and may start a capture of its own. */
static void in_child(void)
{
    release(&lock);
    api = (mutex)MUTEX;
    condition_init(&changed);
    STORE(&tke_channels_on, 0);
    sink_close();
    STORE(&s.state, TKE_OFF);
    s.frequency = 0;
    memset(s.session_guid, 0, sizeof s.session_guid);
    session++;
    threads = NULL;
    my.thread = NULL;
    set_key(NULL);
    pid = process_id();
    if (pool)
        pool->top = pool->fresh = pool->used = 0;
}
#endif

/* The library stays when a module that brought it is closed: threads return to it when they end. */
static void pin_module(void)
{
#if defined(_WIN32)
    HMODULE module;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       (const char *)&tke_channels_on, &module);
#elif defined(RTLD_NODELETE) && (defined(__APPLE__) || (defined(__GLIBC__) && __GLIBC_MINOR__ >= 34))
    Dl_info info;
    if (dladdr(&tke_channels_on, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

static void at_exit(void)
{
    if (!(s.flags & TKE_NO_ATEXIT))
        tke_stop();
}

static void start_once(void)
{
    if (s.started)
        return;
    s.started = true;
    pid = process_id();
    condition_init(&changed);
    atexit(at_exit);
    pin_module();
#ifdef _WIN32
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
#else
    pthread_atfork(before_fork, after_fork, in_child);
#endif
}

static void new_guid(uint8_t *guid)
{
    random_bytes(guid, 16);
    guid[6] = (uint8_t)((guid[6] & 0x0F) | 0x40);
    guid[8] = (uint8_t)((guid[8] & 0x3F) | 0x80);
}

#ifdef _WIN32
static int open_file(const char *path, bool overwrite)
{
    wchar_t wide[1024];
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 1024))
        return ENOENT;
    s.fd = _wopen(wide, _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | (overwrite ? _O_TRUNC : _O_EXCL),
                  _S_IREAD | _S_IWRITE);
    return s.fd < 0 ? errno : 0;
}
static int connect_to(const struct addrinfo *to)
{
    u_long on = 1;
    s.peer = socket(to->ai_family, SOCK_STREAM, 0);
    if (s.peer == INVALID_SOCKET)
        return WSAGetLastError();
    ioctlsocket(s.peer, FIONBIO, &on);
    int error = connect(s.peer, to->ai_addr, (int)to->ai_addrlen) ? WSAGetLastError() : 0,
        size = sizeof error;
    if (error == WSAEWOULDBLOCK) {
        WSAPOLLFD wait = {.fd = s.peer, .events = POLLOUT};
        error = WSAPoll(&wait, 1, 2000) == 1 ? 0 : WSAETIMEDOUT;
        if (!error)
            getsockopt(s.peer, SOL_SOCKET, SO_ERROR, (char *)&error, &size);
    }
    if (error)
        closesocket(s.peer);
    return error;
}
#else
static int open_file(const char *path, bool overwrite)
{
    s.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (overwrite ? O_TRUNC : O_EXCL), 0644);
    return s.fd < 0 ? errno : 0;
}
static int connect_to(const struct addrinfo *to)
{
    s.fd = socket(to->ai_family, SOCK_STREAM, 0);
    if (s.fd < 0)
        return errno;
    fcntl(s.fd, F_SETFD, FD_CLOEXEC);
    fcntl(s.fd, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    setsockopt(s.fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    int error = connect(s.fd, to->ai_addr, to->ai_addrlen) ? errno : 0;
    socklen_t size = sizeof error;
    if (error == EINPROGRESS) {
        error = poll(&(struct pollfd){.fd = s.fd, .events = POLLOUT}, 1, 2000) == 1 ? 0 : ETIMEDOUT;
        if (!error)
            getsockopt(s.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error)
        sink_close();
    return error;
}
#endif

/* Of "host", "host:port", "[address]:port". */
static int open_peer(const char *target)
{
    char host[256], port[16] = "1981";
    const bool bracket = *target == '[';
    const size_t size = strcspn(target += bracket, bracket ? "]" : ":");
    const char *rest = target + size + (bracket && target[size]);
    if (size >= sizeof host || strlen(rest) > sizeof port)
        return EINVAL;
    memcpy(host, target, size);
    host[size] = 0;
    if (*rest == ':')
        memcpy(port, rest + 1, strlen(rest));
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(host, port, &hints, &found))
        return EHOSTUNREACH;
    int error = EHOSTUNREACH;
    for (struct addrinfo *a = found; a && error; a = a->ai_next)
        error = connect_to(a);
    freeaddrinfo(found);
    s.socket = !error;
    return error;
}

static void program_name(char *to, size_t size)
{
    char path[1024] = "";
#if defined(_WIN32)
    GetModuleFileNameA(NULL, path, sizeof path - 1);
#elif defined(__linux__)
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        *path = 0;
#elif defined(__APPLE__) || defined(__FreeBSD__)
    snprintf(path, sizeof path, "%s", getprogname());
#endif
    const char *name = path;
    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    snprintf(to, size, "%s", *name ? name : "program");
}

static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* The first command line that the system says, unless the program gives one. */
static void default_command_line(void)
{
#ifdef __linux__
    FILE *file = *s.command_line ? NULL : fopen("/proc/self/cmdline", "re");
    if (!file)
        return;
    const size_t n = fread(s.command_line, 1, sizeof s.command_line - 1, file);
    fclose(file);
    for (size_t i = 0; i + 1 < n; i++)
        if (!s.command_line[i])
            s.command_line[i] = ' ';
#endif
}

static uint32_t wanted_channels(void)
{
    uint32_t on = 0;
    for (uint32_t i = 0; i < n_channels; i++)
        on |= is_wanted(wanted, channel_names[i], i < BUILT_IN) ? 1u << i : 0;
    return on;
}

static int write_header(void)
{
    uint8_t header[48] = {'2', 'C', 'R', 'T', 40, 0, 2, 0, 0xFF, 0xFF, 16, 1}, none[16] = {0};
    if (!memcmp(s.session_guid, none, 16))
        new_guid(s.session_guid);
    memcpy(header + 12, s.session_guid, 16);
    header[28] = 16, header[29] = 2, header[46] = 4, header[47] = 7;
    new_guid(header + 30);
    s.stop_at = milliseconds() + 2000;
    s.bytes = sink_write(header, sizeof header);
    s.stop_at = 0;
    return s.error;
}

static void set_options(const struct tke_options *o)
{
    s.flags = o->flags;
    s.round_ms = o->round_ms ? o->round_ms : 10;
    s.stop_ms = o->stop_ms ? o->stop_ms : 1000;
    s.changelist = o->changelist;
    copy_text(s.app, sizeof s.app, o->app);
    if (!o->app)
        program_name(s.app, sizeof s.app);
    copy_text(s.project, sizeof s.project, o->project);
    copy_text(s.branch, sizeof s.branch, o->branch);
    copy_text(s.build, sizeof s.build, o->build);
    copy_text(s.command_line, sizeof s.command_line, o->command_line);
    default_command_line();
    copy_text(wanted, sizeof wanted, o->channels);
}

static int start(const struct tke_options *o, const char *target, bool overwrite)
{
    start_once();
    set_options(o);
    acquire(&lock); /* others may look at the figures of the session before */
    STORE(&s.error, 0);
    s.socket = s.stop = s.done = false;
    out.n = out.n_notes = 0;
    s.rounds = s.reported_on = s.reported_channels = 0;
    STORE(&s.bytes, 0);
    s.scopes = s.lost_scopes = s.lost_events = s.sink_scopes = s.sink_events = s.frequency = 0;
    s.worker_synced = 0;
    s.reported_scopes = s.reported_events = s.warned = 0;
    STORE(&cut_texts, 0);
    STORE(&unjoined_scopes, 0);
    STORE(&unjoined_events, 0);
    release(&lock);
    if (!out.data && !(out.data = malloc(OUT_BYTES)))
        return ENOMEM;
    if (!make_key() || !pool_start(o->buffer_bytes ? o->buffer_bytes : 64u << 20))
        return ENOMEM;
    acquire(&lock);
    const bool declared = next_type || declare_built_in();
    release(&lock);
    int error = !declared                       ? ENOMEM
                : !strncmp(target, "tcp://", 6) ? open_peer(target + 6)
                                                : open_file(target, overwrite);
    if (error)
        return error;
    clock_start();
    error = write_header();
    if (!error) {
        s.round_cycle = s.start_cycle;
        acquire(&lock);
        STORE(&wanted_on, wanted_channels());
        release(&lock);
        s.worker_id = session + 1;
        serials[s.worker_id % 4] = 0;
        STORE_REL(&session, s.worker_id);
        STORE(&s.state, TKE_RUNNING);
        error = worker_start();
    }
    if (error) {
        STORE(&s.state, TKE_OFF);
        sink_close();
        return error;
    }
    acquire(&lock);
    set_channels(wanted_on);
    release(&lock);
    if (s.flags & TKE_CRASH_FLUSH)
        crash_start();
    return 0;
}

static const char *environment(const char *name)
{
#if defined(__GLIBC__)
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

/* %p process, %n program, %t time. */
static void fill_in(char *to, size_t size, const char *from, size_t length)
{
    char piece[64];
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < size; i++) {
        const char which = from[i] == '%' && i + 1 < length ? from[++i] : 0;
        const time_t now = time(NULL);
        if (which == 'p')
            snprintf(piece, sizeof piece, "%u", (unsigned)process_id());
        else if (which == 'n')
            program_name(piece, sizeof piece);
        else if (which == 't')
            strftime(piece, sizeof piece, "%Y%m%d_%H%M%S", localtime(&now));
        else
            snprintf(piece, sizeof piece, "%c", from[i]);
        for (const char *p = piece; *p && n + 1 < size; p++)
            to[n++] = *p;
    }
    to[n] = 0;
}

static uint64_t bytes_of(const char *text)
{
    char *end;
    const uint64_t n = strtoull(text, &end, 10);
    return lower(*end) == 'k' ? n << 10 : lower(*end) == 'm' ? n << 20 : lower(*end) == 'g' ? n << 30 : n;
}

/* "target;channels=...;buffer=64M;overwrite" */
static int start_by(const char *text, const struct tke_options *given)
{
    char target[1024], channels[512];
    struct tke_options o = *given;
    bool overwrite = false;
    fill_in(target, sizeof target, text, strcspn(text, ";"));
    for (const char *p = text + strcspn(text, ";"); *p;) {
        const size_t size = strcspn(++p, ";");
        if (size == 9 && !memcmp(p, "overwrite", 9))
            overwrite = true;
        else if (size > 9 && size < sizeof channels && !memcmp(p, "channels=", 9)) {
            memcpy(channels, p + 9, size - 9);
            channels[size - 9] = 0;
            o.channels = channels;
        } else if (size > 7 && !memcmp(p, "buffer=", 7) && bytes_of(p + 7))
            o.buffer_bytes = bytes_of(p + 7);
        else if (size)
            return EINVAL;
        p += size;
    }
    return start(&o, target, overwrite);
}

static int start_locked(const struct tke_options *options)
{
    struct tke_options o = {0};
    const char *by = environment("TRACEKIT_EMIT");
    if (options && options->size > sizeof o)
        return EINVAL;
    if (options)
        memcpy(&o, options, options->size ? options->size : sizeof o);
    if (LOAD(&s.state) != TKE_OFF && pid == process_id())
        return o.target ? EBUSY : 0;
    if (o.target)
        return start(&o, o.target, true);
    return by && *by ? start_by(by, &o) : 0;
}

int tke_start(const struct tke_options *options)
{
    acquire(&api);
    const int error = start_locked(options);
    if (error && LOAD(&s.state) == TKE_OFF)
        STORE(&s.error, error);
    release(&api);
    return error;
}

void tke_stop(void)
{
    acquire(&api);
    if (LOAD(&s.state) == TKE_OFF || pid != process_id()) {
        release(&api);
        return;
    }
    const uint64_t end = milliseconds() + s.stop_ms;
    acquire(&lock);
    STORE(&tke_channels_on, 0);
    STORE(&s.stop_at, end);
    s.stop = true;
    wake(&changed);
    while (!s.done && milliseconds() < end + 200 && !worker_is_dead())
        wait_ms(&changed, &lock, 10);
    bool done = s.done;
    release(&lock);
    if (worker_is_dead())
        last_round(), done = true;
    worker_join(done);
    if (done) {
        sink_close();
        STORE(&pool_open, 0);
        const uint32_t used =
            LOAD(&pool->fresh); /* a late thread may count on; takers that found none counted too */
        discard_pages(pool->blocks, (used < pool->n ? used : pool->n) * sizeof *pool->blocks);
        STORE(&s.state, TKE_OFF);
    }
    release(&api);
}

int tke_flush(unsigned timeout_ms)
{
    const uint64_t end = milliseconds() + timeout_ms;
    acquire(&lock);
    const uint32_t ticket = LOAD(&s.state) != TKE_OFF ? ++s.flush_wanted : s.flush_done;
    wake(&changed);
    while ((int32_t)(ticket - s.flush_done) > 0 && !s.done && LOAD(&s.state) != TKE_OFF &&
           milliseconds() < end)
        wait_ms(&changed, &lock, 10);
    const int error = LOAD(&s.error) ? LOAD(&s.error) : (int32_t)(ticket - s.flush_done) > 0 ? ETIMEDOUT : 0;
    release(&lock);
    return error;
}

void tke_get_info(struct tke_info *info)
{
    acquire(&lock);
    *info = (struct tke_info){.state = LOAD(&s.state),
                              .os_error = LOAD(&s.error),
                              .bytes = LOAD(&s.bytes),
                              .scopes = s.scopes,
                              .lost_scopes = s.lost_scopes + LOAD(&unjoined_scopes),
                              .lost_events = s.lost_events + LOAD(&unjoined_events),
                              .cut_texts = LOAD(&cut_texts)};
    for (struct thread *t = LOAD_ACQ(&threads); t; t = LOAD(&t->next))
        if (LOAD_ACQ(&t->session) == s.worker_id) {
            info->lost_scopes += LOAD(&t->lost_scopes);
            info->lost_events += LOAD(&t->lost_events);
        }
    release(&lock);
}

uint32_t tke_version(void)
{
    return TKE_VERSION;
}

#ifndef TKE_NO_AUTOSTART
__attribute__((constructor)) static void autostart(void)
{
    const char *by = environment("TRACEKIT_EMIT");
    const int error = by && *by ? tke_start(NULL) : 0;
    if (error)
        fprintf(stderr, "tracekit_emit: cannot write to TRACEKIT_EMIT=%s: %s\n", by, strerror(error));
}
#endif
