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
#define PLATFORM            "Windows"
#define PEER                s.peer
#define MUTEX               SRWLOCK_INIT
#define CONDITION           CONDITION_VARIABLE_INIT
#define acquire(m)          AcquireSRWLockExclusive(m)
#define release(m)          ReleaseSRWLockExclusive(m)
#define wake(c)             WakeAllConditionVariable(c)
#define condition_init(c)   ((void)(c))
#define wait_ms(c, m, ms)   SleepConditionVariableSRW(c, m, ms, 0)
#define sleep_ms(ms)        Sleep(ms)
#define process_id()        ((uint32_t)GetCurrentProcessId())
#define system_thread()     ((uint32_t)GetCurrentThreadId())
#define map(n)              VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
#define discard_pages(p, n) VirtualAlloc(p, n, MEM_RESET, PAGE_READWRITE)
#define random_bytes(p, n)  BCryptGenRandom(NULL, p, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG)
#define default_name(name)  ((void)(name))
#define socket_error()      WSAGetLastError()
#define is_full(error)      ((error) == WSAEWOULDBLOCK)
#define CONNECTING          WSAEWOULDBLOCK
#define LATE                WSAETIMEDOUT
#define poll                WSAPoll
#define close_socket        closesocket
#define close_file          _close
#define write_socket(p, n)  send(s.peer, (const char *)(p), (int)(n), 0)
#define write_file(p, n)    _write(s.fd, p, (unsigned)(n))
#define cut_file(bytes)                                                                                      \
    (_chsize_s(s.fd, (long long)(bytes)) ? -1 : _lseeki64(s.fd, (long long)(bytes), SEEK_SET))
#define prepare_socket(socket) ioctlsocket(socket, FIONBIO, &(u_long){1})
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
#else
typedef pthread_mutex_t mutex;
typedef pthread_cond_t condition;
typedef int SOCKET;
#define INVALID_SOCKET      (-1)
#define PEER                s.fd
#define MUTEX               PTHREAD_MUTEX_INITIALIZER
#define CONDITION           PTHREAD_COND_INITIALIZER
#define acquire(m)          pthread_mutex_lock(m)
#define release(m)          pthread_mutex_unlock(m)
#define wake(c)             pthread_cond_broadcast(c)
#define duration(ms)        (&(struct timespec){.tv_sec = (ms) / 1000, .tv_nsec = (long)((ms) % 1000) * 1000000})
#define sleep_ms(ms)        nanosleep(duration(ms), NULL)
#define process_id()        ((uint32_t)getpid())
#define discard_pages(p, n) madvise(p, n, MADV_DONTNEED)
#define socket_error()      errno
#define is_full(error)      ((error) == EAGAIN || (error) == EWOULDBLOCK || (error) == EINTR)
#define CONNECTING          EINPROGRESS
#define LATE                ETIMEDOUT
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#define close_socket       close
#define close_file         close
#define write_socket(p, n) send(s.fd, p, n, MSG_NOSIGNAL)
#define write_file(p, n)   write(s.fd, p, n)
#define cut_file(bytes)    (ftruncate(s.fd, (off_t)(bytes)) ? -1 : lseek(s.fd, (off_t)(bytes), SEEK_SET))
#if defined(__linux__)
#define PLATFORM        "Linux"
#define system_thread() ((uint32_t)syscall(SYS_gettid))
#elif defined(__APPLE__)
#define PLATFORM "Mac"
static uint32_t system_thread(void)
{
    uint64_t id = 0;
    pthread_threadid_np(NULL, &id);
    return (uint32_t)id;
}
#else
#define PLATFORM        "Unix"
#define system_thread() 0
#endif
#if defined(__GLIBC__) || defined(__APPLE__)
#define default_name(name) pthread_getname_np(pthread_self(), name, NAME)
#else
#define default_name(name) ((void)(name))
#endif
#ifdef __APPLE__
#define condition_init(c) ((void)(c))
#define wait_ms(c, m, ms) pthread_cond_timedwait_relative_np(c, m, duration(ms))
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
#if defined(__aarch64__) && !defined(__APPLE__)
static uint64_t os_ticks(void)
{
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
}
static uint64_t os_frequency(void)
{
    uint64_t f;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(f));
    return f;
}
#else
#define os_frequency() UINT64_C(1000000000)
static uint64_t os_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * os_frequency() + (uint64_t)t.tv_nsec;
}
#endif
static void *map(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
static void random_bytes(uint8_t *p, size_t n)
{
#ifdef __linux__
    if (getrandom(p, n, 0) == (ssize_t)n)
        return;
#endif
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    for (ssize_t r = 1; fd >= 0 && n && r > 0; p += r, n -= (size_t)r)
        r = read(fd, p, n);
    if (fd >= 0)
        close(fd);
}
static void prepare_socket(int socket)
{
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    fcntl(socket, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
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
    uint64_t top;                   /* its number + 1, and changes << 32 */
    uint32_t n, limit, fresh, used; /* blocks there are, allowed; never used ones from `fresh`; in use */
    uint32_t below[];               /* per block, the one below it in the stack + 1 */
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

enum { SCOPES, EVENTS }; /* chains of a thread */

struct lost {
    uint64_t scopes, events;
};

struct label {
    char name[NAME], group[NAME];
    int hint;
};

struct thread {
    struct chain chain[2];
    uint64_t last;    /* cycle of the newest entry */
    uint32_t session; /* that the chains are of */
    uint32_t owed;    /* ends that found no space */
    uint32_t synced;  /* serials of which the record is committed */
    struct lost lost;
    uint32_t ended;
    uint64_t end_cycle;
    uint32_t tid, system_id, named; /* named: changes of the name */
    /* of the worker */
    struct thread *next;
    uint32_t known_session, sent_name;
    bool gone, seen;
    uint64_t worker_last, open;
    struct lost reported;
    struct label label;
    uint8_t recorded[DEPTHS]; /* of scopes by tke_begin */
    struct block own[2];
};

THREAD_LOCAL struct {
    struct thread *thread;
    uint32_t depth; /* of scopes by tke_begin */
    bool named;
    struct label label;
} my;

uint32_t tke_channels_on; /* `wanted_on` while a session runs */
uint32_t tke_clock_tsc;
static uint32_t wanted_on;
static uint32_t session, serials[4], instances, pid;
static struct thread *threads;
static struct pool *pool;
static uint32_t pool_open; /* else no thread gets another block */
static uint64_t last_region, cut_texts;
static struct lost unjoined; /* of threads for which there was no memory */
static mutex lock = MUTEX;   /* definitions, names, channels, requests to the worker */
static mutex api = MUTEX;    /* start and stop */
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

static struct state {
    /* of one session */
    int error;
    bool socket, stop, done;
    uint32_t worker_synced; /* of threads that are gone */
    uint32_t rounds, reported_on, reported_channels;
    uint64_t bytes, scopes, frequency, warned;
    struct lost lost, sink,
        reported; /* of threads that are gone; by the sink; without a thread, and reported */
    /* of all */
    int state, fd;
    bool started;
#ifdef _WIN32
    HANDLE thread;
    SOCKET peer;
#else
    pthread_t thread;
#endif
    uint32_t flags, round_ms, stop_ms, flush_wanted, flush_done, worker_id;
    uint64_t start_cycle, round_cycle, stop_at, hold_until;
    char app[128], project[128], branch[128], build[128], command_line[1024];
    uint32_t changelist;
    uint8_t session_guid[16];
} s = {.fd = -1};

static struct {
    uint8_t *data;
    size_t n, n_notes;
    struct note {
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

static uint8_t *put_wide_aux(uint8_t *p, unsigned code, unsigned field, const void *text, size_t size)
{
    uint8_t *end = put_wide(p + 4, text, size);
    put(p, code | field << 8 | (uint32_t)(end - p - 4) << 13, 4);
    return code == 2 && !size ? p : end;
}

/* ---- definitions: chains that only grow, under the lock ---- */

static bool append(struct chain *chain, const uint8_t *record, size_t size)
{
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

/* The next field of such a list, behind its type; NULL: there is none. */
static const char *next_field(const char **list, unsigned *type, size_t *size)
{
    static const char hex[] = "0123456789ABCDEF";
    const char *p = *list + (**list == ' ');
    if (!*p)
        return NULL;
    *type = (unsigned)(strchr(hex, p[0]) - hex) << 4 | (unsigned)(strchr(hex, p[1]) - hex);
    *size = strcspn(p, " ") - 2;
    *list = p + 2 + *size;
    return p + 2;
}

/* A value of a field: a number, a text up to its NUL (NULL: none), or so many bytes. */
struct value {
    uint64_t n;
    const void *p;
};
enum { TEXT = -1, TEXT_MOST = 1000 };
#define N(number)                                                                                            \
    {                                                                                                        \
        .n = (uint64_t)(number)                                                                              \
    }
#define T(text)                                                                                              \
    {                                                                                                        \
        (uint64_t) TEXT, text                                                                                \
    }
#define B(bytes, size)                                                                                       \
    {                                                                                                        \
        size, bytes                                                                                          \
    }

static uint8_t *put_array(uint8_t *p, unsigned code, unsigned type, unsigned field, struct value v)
{
    if (v.n == (uint64_t)TEXT)
        v.n = v.p ? cut(v.p, strlen(v.p), TEXT_MOST) : 0;
    return (type == 0x89 ? put_wide_aux : put_aux)(p, code, field, v.p, v.n);
}

/* A record of an event without a serial: its values in the order of its declaration. Its size. */
static size_t make_record(uint8_t *r, uint32_t uid, const struct value *v)
{
    const unsigned flags = types[uid - NEW_TRACE].flags, important = flags & IMPORTANT;
    uint8_t *p = important ? put(r, uid, 4) : put(r, uid << 1 | 1, 2);
    for (unsigned arrays = 0; arrays < 2; arrays++) {
        unsigned type, i = 0;
        size_t size;
        for (const char *list = types[uid - NEW_TRACE].fields; next_field(&list, &type, &size); i++)
            if (!arrays && !(type & 0x80))
                p = put(p, v[i].n, (size_t)1 << (type & 3));
            else if (arrays && type & 0x80)
                p = put_array(p, important ? 1 : 2, type, i, v[i]);
    }
    if (flags & AUX)
        *p++ = important ? 3 : 6;
    if (important)
        put(r + 2, (uint64_t)(p - r - 4), 2);
    return (size_t)(p - r);
}

#define put_definition(uid, ...) define_values(uid, (const struct value[]){__VA_ARGS__})

static bool define_values(uint32_t uid, const struct value *values)
{
    uint8_t r[BLOCK];
    return append(&definitions, r, make_record(r, uid, values));
}

struct declared {
    uint8_t record[BLOCK], *names, *field;
    uint32_t offset;
};

static void declare_field(struct declared *d, unsigned type, const char *name, size_t size)
{
    const uint32_t bytes = type & 0x80 ? 0 : 1u << (type & 3);
    d->field = put(put(put(d->field, 0, 2), d->offset, 2), bytes, 2);
    d->field = put(put(d->field, type, 1), size, 1);
    d->names = put_bytes(d->names, name, size);
    d->offset += bytes;
}

static void declare_begin(struct declared *d, uint32_t uid, uint32_t n, unsigned flags, const char *logger,
                          const char *name)
{
    uint8_t *p = put(put(put(put(d->record, 0, 4), uid, 2), n, 1), flags, 1);
    d->field = put(put(p, strlen(logger), 1), strlen(name), 1);
    d->names = put_bytes(put_bytes(d->field + 8 * n, logger, strlen(logger)), name, strlen(name));
    d->offset = 0;
}

static bool declare_end(struct declared *d)
{
    if ((d->names - d->record) & 1)
        *d->names++ = 0;
    put(d->record + 2, (uint64_t)(d->names - d->record - 4), 2);
    return append(&declarations, d->record, (size_t)(d->names - d->record));
}

static bool declare_built_in(void)
{
    struct declared d;
    const char *list, *name;
    unsigned type;
    size_t size;
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint32_t n = 0;
        for (list = types[i].fields; next_field(&list, &type, &size); n++)
            ;
        declare_begin(&d, NEW_TRACE + i, n, types[i].flags, types[i].logger, types[i].name);
        for (list = types[i].fields; (name = next_field(&list, &type, &size));)
            declare_field(&d, type, name, size);
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
    return put_definition(EVENT_SPEC, N(id), T(name), T(site ? site->file : ""), N(site ? site->line : 0));
}

static bool define_category(uint32_t id, const char *name, const void *of)
{
    (void)of;
    return put_definition(LOG_CATEGORY, N(id), N(TKE_INFO), T(name));
}

static bool define_log(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    const uint32_t category =
        intern_locked('c', site->name, strlen(site->name), &next_category, define_category, NULL);
    (void)text;
    return category && put_definition(LOG_SPEC, N(id), N(category), N(site->line), N(site->verbosity),
                                      T(site->file), T(site->format));
}

static bool define_bookmark(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    (void)text;
    return put_definition(BOOKMARK_SPEC, N(id), N(site->line), T(site->format), T(site->file));
}

/* The names of fields are texts of CBOR. */
static bool define_meta(uint32_t id, const char *text, const void *of)
{
    const struct tke_site *site = of;
    uint8_t names[512], *n = names;
    (void)text;
    for (const char *f = site->fields; *f && (size_t)(n - names) + 24 <= sizeof names; f += *f == ',') {
        const size_t size = strcspn(f, ","), most = size < 23 ? size : 23;
        n = put_bytes(put(n, 0x60 + most, 1), f, most);
        f += size;
    }
    return put_definition(METADATA_SPEC, N(id), T(site->name), T(site->format),
                          B(names, (size_t)(n - names)));
}

static bool define_counter(uint32_t id, const char *name, const void *of)
{
    const struct tke_counter *counter = of;
    return id <= UINT16_MAX &&
           put_definition(COUNTER_SPEC, N(id), N(counter->type), N(counter->hint), T(name));
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
    ADD(&to->used, -1);
}

static struct block *pool_pop(struct pool *from)
{
    uint64_t top = LOAD_ACQ(&from->top);
    while ((uint32_t)top) {
        const uint32_t i = (uint32_t)top - 1;
        if (CAS(&from->top, &top, ((top >> 32) + 1) << 32 | LOAD(&from->below[i])))
            return &from->blocks[i];
    }
    const uint32_t i = LOAD(&from->fresh) < from->n ? ADD(&from->fresh, 1) : from->n;
    return i < from->n ? &from->blocks[i] : NULL;
}

static struct block *pool_take(void)
{
    struct pool *from = LOAD_ACQ(&pool);
    if (!LOAD(&pool_open))
        return NULL;
    struct block *b = ADD(&from->used, 1) < LOAD(&from->limit) ? pool_pop(from) : NULL;
    if (!b)
        ADD(&from->used, -1);
    return b;
}

static bool pool_start(uint64_t bytes)
{
    const uint64_t n = bytes / sizeof(struct block);
    if (n > UINT32_MAX / 2)
        return false;
    if (!pool || n > pool->n) { /* threads may still write to blocks of the old one, so it stays */
        struct pool *p = calloc(1, sizeof *p + (size_t)(n + 1) * sizeof *p->below);
        if (!p || !(p->blocks = map((size_t)(n + 1) * sizeof *p->blocks))) {
            free(p);
            return false;
        }
        p->n = (uint32_t)n;
        STORE_REL(&pool, p);
    }
    STORE(&pool->limit, (uint32_t)n);
    STORE_REL(&pool_open, 1);
    return true;
}

/* Another block for a chain of a thread; NULL: the budget is used up. */
static COLD struct block *new_block(struct thread *t, unsigned which, uint32_t of)
{
    struct chain *chain = &t->chain[which];
    struct block *b = NULL;
    for (int i = 0; i < 2 && !b && LOAD(&pool_open); i++)
        b = LOAD_ACQ(&t->own[i].idle) ? &t->own[i] : NULL;
    if (!b && !(b = pool_take()))
        return NULL;
    STORE(&b->idle, 0);
    STORE(&b->next, NULL);
    STORE(&b->committed, 0);
    b->session = of;
    chain->at = b->data;
    chain->limit = b->data + BLOCK - (which == SCOPES ? FOR_ENDS + BEGIN : 0);
    STORE_REL(chain->tail ? &chain->tail->next : &chain->head, b);
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
    key = key == FLS_OUT_OF_INDEXES ? FlsAlloc(fiber_ends) : key;
    return key != FLS_OUT_OF_INDEXES;
}
#define set_key(t) FlsSetValue(key, t)
#else
#define set_key(t)       pthread_setspecific(key, t)
#define worker_is_dead() false
static pthread_key_t key;
static bool make_key(void)
{
    static bool made;
    return made = made || !pthread_key_create(&key, thread_ends);
}
#endif

/* Under the lock. 0: there are as many threads as there can be tids. */
static uint32_t new_tid(void)
{
    if (n_free_tids)
        return free_tids[--n_free_tids];
    return next_tid < END_OF_TIDS ? next_tid++ : 0;
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
    t->own[0].idle = t->own[1].idle = t->named = 1;
    t->system_id = system_thread();
    if (!my.named)
        default_name(my.label.name);
    t->label = my.label;
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
    for (unsigned i = 0; i < 2; i++)
        if ((!t->chain[i].tail || t->chain[i].tail->session != now) && !new_block(t, i, now))
            return NULL;
    memset(t->recorded, 0, sizeof t->recorded);
    t->last = 0, t->owed = 0;
    STORE(&t->lost.scopes, 0);
    STORE(&t->lost.events, 0);
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
static COLD bool lose(struct thread *t, unsigned which)
{
    struct lost *lost = t ? &t->lost : &unjoined;
    ADD(which == SCOPES ? &lost->scopes : &lost->events, 1);
    return false;
}

/* ---- scopes ---- */

static inline void commit_scopes(struct thread *t, uint8_t *at)
{
    t->chain[SCOPES].at = at;
    STORE_REL(&t->chain[SCOPES].tail->committed, (uint32_t)(at - t->chain[SCOPES].tail->data));
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
    if (!new_block(t, SCOPES, t->session))
        return NULL;
    uint8_t *at = t->chain[SCOPES].at;
    for (; t->owed && at < t->chain[SCOPES].limit; t->owed--)
        at = put_varint(at, since_last(t) << 2);
    commit_scopes(t, at);
    return t->owed ? NULL : at;
}

/* Code: a timer << 1, or an instance << 1 | 1. */
static inline bool open_scope(struct thread *t, uint64_t code)
{
    uint8_t *at = t->chain[SCOPES].at;
    if (UNLIKELY(at > t->chain[SCOPES].limit) && !(at = next_scope_block(t)))
        return lose(t, SCOPES);
    at = put_varint(at, since_last(t) << 2 | 1);
    commit_scopes(t, put_varint(at, code));
    return true;
}

static inline void close_scope(struct thread *t)
{
    uint8_t *at = t->chain[SCOPES].at;
    const uint64_t delta = since_last(t);
    if (UNLIKELY(at > t->chain[SCOPES].limit + FOR_ENDS + BEGIN - END) && !(at = next_scope_block(t)))
        t->owed++;
    else
        commit_scopes(t, put_varint(at, delta << 2));
}

uint32_t tke_scope_begin_on(struct tke_site *site)
{
    struct thread *t = self();
    const uint32_t id = place_id(&site->id, &next_timer, define_timer, site->name, site);
    if (UNLIKELY(!t || !id))
        return lose(t, SCOPES);
    return open_scope(t, (uint64_t)id << 1) ? t->session : 0;
}

void tke_scope_end(uint32_t begun)
{
    struct thread *t = my.thread;
    if (t && t->session == begun)
        close_scope(t);
}

static void begin(bool on, uint32_t name)
{
    struct thread *t = on ? self() : my.thread;
    const uint32_t depth = my.depth++;
    bool recorded = false;
    if (on)
        recorded = t && name && depth < DEPTHS ? open_scope(t, (uint64_t)name << 1) : lose(t, SCOPES);
    if (t && depth < DEPTHS)
        t->recorded[depth] = recorded;
}

void tke_begin(uint32_t name)
{
    begin(tke_channel_on(TKE_CPU), name);
}

void tke_begin_site(struct tke_site *site)
{
    const bool on = tke_channel_on(TKE_CPU);
    begin(on, on ? place_id(&site->id, &next_timer, define_timer, site->name, site) : 0);
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
    if (!t || ((size_t)(t->chain[EVENTS].limit - t->chain[EVENTS].at) < size + 5 &&
               (size + 5 > BLOCK || !new_block(t, EVENTS, t->session)))) {
        lose(t, EVENTS);
        return NULL;
    }
    uint8_t *p = put(t->chain[EVENTS].at, uid << 1 | 1, 2);
    return synced ? put(p, ADD(&serials[t->session % 4], 1), 3) : p;
}

static void end_event(struct thread *t, uint8_t *end, bool synced)
{
    struct block *b = t->chain[EVENTS].tail;
    const uint32_t records = (LOAD(&b->committed) >> 16) + 1;
    t->chain[EVENTS].at = end;
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
        simple_event(BEGIN_FRAME, (unsigned)type, 1, 0, 0);
}

void tke_frame_end(int type)
{
    if (tke_channel_on(TKE_FRAME))
        simple_event(END_FRAME, (unsigned)type, 1, 0, 0);
}

static void counter_value(struct tke_counter *counter, uint32_t uid, const void *value)
{
    const uint32_t id = place_id(&counter->id, &next_counter, define_counter, counter->name, counter);
    uint64_t bits;
    memcpy(&bits, value, 8);
    if (id)
        simple_event(uid, bits, 8, id, 2);
    else
        lose(self(), EVENTS);
}

void tke_counter_set(struct tke_counter *counter, int64_t value)
{
    if (counter->type)
        tke_counter_set_real(counter, (double)value);
    else if (tke_channel_on(TKE_COUNTERS))
        counter_value(counter, SET_INT, &value);
}

void tke_counter_set_real(struct tke_counter *counter, double value)
{
    if (!counter->type)
        tke_counter_set(counter, (int64_t)value);
    else if (tke_channel_on(TKE_COUNTERS))
        counter_value(counter, SET_FLOAT, &value);
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

/* Arguments whose texts are as long as there is space for. The bytes that they take at most. */
static size_t cut_args(struct tke_arg *to, const struct tke_arg *args, size_t n)
{
    const size_t numbers = 11 * n;
    size_t available = ARGS_BYTES - numbers;
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
    return ARGS_BYTES - available;
}

/* FormatArgs: a number, descriptors, values (events 0.7). */
static uint8_t *put_format_args(uint8_t *p, const struct tke_arg *args, size_t n)
{
    static const uint8_t descriptors[] = {0x48, 0x88, 0xC1, 0x48, 0xC2};
    p = put(p, n, 1);
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
    return p;
}

/* Ends array data, whose head is before `begin`, and the record. */
static uint8_t *end_array(uint8_t *begin, uint8_t *p, unsigned field)
{
    put(begin - 4, 2 | field << 8 | (uint32_t)(p - begin) << 13, 4);
    *p++ = 6;
    return p;
}

static void formatted(uint32_t uid, uint32_t point, const struct tke_arg *args, size_t n)
{
    struct thread *t = self();
    struct tke_arg own[8];
    const bool is_log = uid == LOG_MESSAGE;
    n = n > 8 ? 8 : n;
    uint8_t *p = point ? begin_event(t, uid, !is_log, 32 + cut_args(own, args, n)) : NULL;
    if (!p) {
        if (!point)
            lose(t, EVENTS);
        return;
    }
    const uint64_t now = tke_now();
    p = is_log ? put(put(p, point, 8), now, 8) : put(put(put(p, now, 8), point, 8), 0, 4);
    end_event(t, end_array(p + 4, put_format_args(p + 4, own, n), 2), !is_log);
}

void tke_log_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    formatted(LOG_MESSAGE, place_id(&site->id, &next_point, define_log, "", site), args, n);
}

void tke_bookmark_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    formatted(BOOKMARK, place_id(&site->id, &next_point, define_bookmark, "", site), args, n);
}

/* A text that has no place in the program: the kind and the category stand for one. */
static void formatted_text(uint32_t uid, char kind, const struct tke_site *site, const char *text,
                           size_t size)
{
    const struct tke_arg arg = {.kind = 2, .size = size, .as.text = text};
    definer *by = uid == LOG_MESSAGE ? define_log : define_bookmark;
    formatted(uid, intern(kind, site->name, strlen(site->name), &next_point, by, site), &arg, 1);
}

void tke_log_text(const char *category, int verbosity, const char *text, size_t size)
{
    const struct tke_site site = {0, 0, category, "", "%s", "", (uint32_t)verbosity};
    if (tke_channel_on(TKE_LOGS))
        formatted_text(LOG_MESSAGE, (char)(verbosity & 7), &site, text, size);
}

void tke_bookmark_text(const char *text, size_t size)
{
    static const struct tke_site site = {0, 0, "", "", "%s", "", 0};
    if (tke_channel_on(TKE_MARK))
        formatted_text(BOOKMARK, 'b', &site, text, size);
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
    uint8_t *p = NULL;
    n = n > 8 ? 8 : n;
    if (t && id && (t->chain[SCOPES].at <= t->chain[SCOPES].limit || next_scope_block(t)))
        p = begin_event(t, METADATA, false, 16 + cut_args(own, args, n));
    if (!p)
        return lose(t, SCOPES);
    const uint32_t instance = ADD(&instances, 1) + 1;
    uint8_t *begin = p = put(put(p, instance, 4), id, 4) + 4;
    for (size_t i = 0; i < n; i++)
        p = put_cbor_arg(p, &own[i]);
    end_event(t, end_array(begin, p, 2), false);
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
            lose(t, EVENTS);
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

static uint32_t channel_id(uint32_t i)
{
    return channel_hash(channel_names[i], strlen(channel_names[i]));
}

/* The channel of a name; n_channels: there is none. */
static uint32_t channel_of(const char *name, size_t size)
{
    uint32_t i = 0;
    while (i < n_channels && channel_id(i) != channel_hash(name, size))
        i++;
    return i;
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
    acquire(&lock);
    const uint32_t i = channel_of(name, size);
    if (i == n_channels && i < BUILT_IN + OWN_CHANNELS && size < sizeof *channel_names) {
        memcpy(channel_names[i], name, size + 1);
        n_channels++;
        if (is_wanted(wanted, name, false))
            set_channels(wanted_on | 1u << i);
    }
    const uint32_t bit = i < n_channels ? 1u << i : 0;
    release(&lock);
    return bit;
}

int tke_channel_set(const char *names, bool on)
{
    int found = 0;
    acquire(&lock);
    for (const char *p = names; *p; p += *p == ',') {
        const size_t size = strcspn(p, ",");
        const uint32_t i = channel_of(p, size);
        if (i < n_channels) {
            found++;
            set_channels(on ? wanted_on | 1u << i : wanted_on & ~(1u << i));
        }
        p += size;
    }
    release(&lock);
    return found;
}

static void set_label(char *to, const char *text)
{
    memset(to, 0, NAME);
    memcpy(to, text, cut(text, strlen(text), NAME - 1));
}

void tke_thread_name(const char *name, const char *group, int sort_hint)
{
    acquire(&lock);
    set_label(my.label.name, name);
    set_label(my.label.group, group ? group : "");
    my.label.hint = sort_hint;
    my.named = true;
    if (my.thread) {
        my.thread->label = my.label;
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
        const int64_t r =
            s.socket ? write_socket(data + done, size - done) : write_file(data + done, size - done);
        const int error = s.socket ? socket_error() : errno;
        const uint64_t stop_at = LOAD(&s.stop_at);
        if (r >= 0)
            done += (size_t)r;
        else if (!is_full(error))
            STORE(&s.error, error);
        else if (stop_at && milliseconds() >= stop_at)
            STORE(&s.error, ETIMEDOUT);
        else
            poll(&(struct pollfd){.fd = PEER, .events = POLLOUT}, 1, 20);
    }
    return done;
}

static void sink_close(void)
{
    if (s.socket)
        close_socket(PEER);
    else if (s.fd >= 0)
        close_file(s.fd);
    s.fd = -1, s.socket = false;
}

static void account(uint32_t scopes, uint32_t events, bool written)
{
    acquire(&lock);
    if (written)
        s.scopes += scopes;
    else
        s.lost.scopes += scopes, s.lost.events += events, s.sink.scopes += scopes, s.sink.events += events;
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
        if (!s.socket)
            (void)!cut_file(s.bytes);
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
    out.notes[out.n_notes++] = (struct note){out.n, scopes, events};
}

#define send_event(tid, uid, ...) send_values(tid, uid, (const struct value[]){__VA_ARGS__})

static void send_values(uint32_t tid, uint32_t uid, const struct value *values)
{
    uint8_t r[PACKET];
    put_packet(tid, r, make_record(r, uid, values), 0, 0);
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

static void send_thread_info(uint32_t tid, uint32_t system_id, const struct label *l)
{
    const bool grouped = *l->group;
    if (grouped)
        send_event(1, GROUP_BEGIN, B(l->group, strlen(l->group) + 1));
    send_event(1, THREAD_INFO, N(tid), N(system_id), N(l->hint), B(l->name, strlen(l->name) + 1));
    if (grouped)
        send_event(1, GROUP_END, N(0));
}

static void send_channels(void)
{
    const uint32_t on = LOAD(&wanted_on);
    acquire(&lock);
    const uint32_t n = n_channels;
    release(&lock);
    for (uint32_t i = 0; i < n; i++)
        if (i >= s.reported_channels || (on ^ s.reported_on) >> i & 1)
            send_event(1, CHANNEL_TOGGLE, N(channel_id(i)), N(on >> i & 1));
    for (uint32_t i = s.reported_channels; i < n; i++)
        send_event(1, CHANNEL_ANNOUNCE, N(channel_id(i)), N(on >> i & 1), N(0), T(channel_names[i]));
    s.reported_on = on, s.reported_channels = n;
}

/* The entries of a slice as one event, its first one absolute. */
static void send_scopes(struct thread *t, const uint8_t *data, uint32_t size)
{
    uint8_t r[PACKET], *begin = put(r, EVENT_BATCH << 1 | 1, 2) + 4, *p = begin;
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
    p = end_array(begin, put_bytes(p, rest, (size_t)(end - rest)), 0);
    put_packet(t->tid, r, (size_t)(p - r), begins, 0);
}

/* Blocks of an earlier session are of no use; false: the thread writes for none or another one. */
static bool of_session(struct thread *t)
{
    if (LOAD_ACQ(&t->session) != s.worker_id)
        return false;
    for (int i = 0; i < 2 && t->known_session != s.worker_id; i++) {
        t->chain[i].seen = NULL;
        while (t->chain[i].head->session != s.worker_id && next_block(&t->chain[i], t))
            ;
    }
    return true;
}

static void send_thread_start(struct thread *t)
{
    const uint32_t named = LOAD(&t->named);
    const bool first = t->known_session != s.worker_id;
    if (!first && t->sent_name == named)
        return;
    acquire(&lock);
    struct label label = t->label;
    release(&lock);
    if (!*label.name)
        snprintf(label.name, NAME, "Thread %u", t->tid);
    send_thread_info(t->tid, t->system_id, &label);
    if (first) {
        send_event(t->tid, THREAD_TIMING, N(s.round_cycle - s.start_cycle));
        t->worker_last = t->open = 0, t->reported = (struct lost){0};
    }
    t->known_session = s.worker_id, t->sent_name = named;
}

static void send_thread(struct thread *t)
{
    const uint8_t *data;
    uint32_t size, records;
    do
        if (next_slice(&t->chain[EVENTS], &data, &size, &records))
            put_packet(t->tid, data, size, 0, records);
    while (next_block(&t->chain[EVENTS], t));
    do
        if (next_slice(&t->chain[SCOPES], &data, &size, &records))
            send_scopes(t, data, size);
    while (next_block(&t->chain[SCOPES], t));
}

/* Threads end their scopes themselves, but where a tid is given again the next one would be inside of them.
 */
static void send_thread_end(struct thread *t)
{
    uint8_t r[PACKET], *begin = put(r, EVENT_BATCH << 1 | 1, 2) + 4, *p = begin;
    if (t->tid < REUSED_TIDS)
        send_event(t->tid, END_THREAD, N(t->end_cycle));
    if (t->tid < REUSED_TIDS || !t->open)
        return;
    p = put_varint(p, t->end_cycle << 2);
    while (--t->open && p - r < PACKET - 8)
        *p++ = 0;
    p = end_array(begin, p, 0);
    put_packet(t->tid, r, (size_t)(p - r), 0, 0);
}

static void warn(struct lost lost)
{
    static struct tke_site site = {0,  0,          "LogTracekit", "", "dropped %llu scopes and %llu events",
                                   "", TKE_WARNING};
    const uint32_t point = place_id(&site.id, &next_point, define_log, "", &site);
    const struct tke_arg args[] = {tke_arg_unsigned(lost.scopes), tke_arg_unsigned(lost.events)};
    uint8_t r[64], *p = put_format_args(r, args, 2);
    if (!point || milliseconds() - s.warned < 1000)
        return;
    send_definitions(&definitions, 1);
    s.warned = milliseconds();
    send_event(WORKER, LOG_MESSAGE, N(point), N(tke_now()), B(r, (size_t)(p - r)));
}

#define LOSS_VALUES(tid, lost, reason)                                                                       \
    N(s.round_cycle), N(tke_now()), N(tid), N((lost).scopes), N((lost).events), N(reason)

/* What is lost and not reported. */
static struct lost unreported(const struct lost *lost, const struct lost *reported)
{
    return (struct lost){LOAD(&lost->scopes) - reported->scopes, LOAD(&lost->events) - reported->events};
}

static void add_lost(struct lost *to, struct lost more)
{
    to->scopes += more.scopes, to->events += more.events;
}

/* What a thread dropped since the last round. While the sink is broken, it waits for the end. */
static void send_loss(uint32_t tid, const struct lost *lost, struct lost *reported, unsigned reason)
{
    const struct lost more = unreported(lost, reported);
    if (s.error || !(more.scopes | more.events))
        return;
    send_event(WORKER, LOSS, LOSS_VALUES(tid, more, reason));
    warn(more);
    add_lost(reported, more);
}

/* Takes a thread that ended out of the list; the first one stays, as new ones are put before it. */
static bool remove_thread(struct thread *before, struct thread *t)
{
    if (!before)
        return false;
    acquire(&lock);
    STORE(&before->next, LOAD(&t->next));
    if (t->known_session == s.worker_id) {
        add_lost(&s.lost, t->lost);
        s.worker_synced += t->synced;
        if (s.error)
            add_lost(&s.sink, unreported(&t->lost, &t->reported));
    }
    if (t->tid >= REUSED_TIDS)
        free_tids[n_free_tids++] = (uint16_t)t->tid;
    release(&lock);
    for (int i = 0; i < 2; i++)
        for (struct block *b = t->chain[i].head, *next; b; b = next) {
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
            send_loss(t->tid, &t->lost, &t->reported, BUDGET);
        }
        if (!t->gone || !remove_thread(before, t))
            before = t;
    }
}

static void send_new_trace(void)
{
    send_event(1, NEW_TRACE, N(s.start_cycle), N(s.frequency), N(0x524D), N(sizeof(void *)));
    send_event(1, SESSION2, T(PLATFORM), T(s.app), T(s.project), T(s.command_line), T(s.branch), T(s.build),
               N(s.changelist), N(0), N(5), B(s.session_guid, 16));
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
    send_thread_info(WORKER, 0, &(struct label){.name = "Trace", .hint = INT32_MAX});
}

static void one_round(bool last)
{
    struct thread *first = LOAD_ACQ(&threads);
    const uint64_t cycle = tke_now();
    for (struct thread *t = first; t; t = LOAD(&t->next)) {
        t->gone = LOAD_ACQ(&t->ended);
        t->seen = of_session(t);
        for (int i = 0; i < 2 && t->seen; i++)
            see(&t->chain[i]);
    }
    if (!s.rounds)
        send_head();
    send_channels();
    send_definitions(&declarations, 0);
    send_definitions(&definitions, 1);
    send_threads(first);
    send_loss(0, &unjoined, &s.reported, NO_MEMORY);
    for (bool more = true; s.rounds < 3 && more; s.rounds++, more = last)
        put_packet(0x3FFF, NULL, 0, 0, 0); /* a sync packet */
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

static uint32_t crash_wanted, crash_done;

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
    struct lost more = unreported(&unjoined, &s.reported);
    add_lost(&more, s.sink);
    for (struct thread *t = threads; t; t = LOAD(&t->next))
        if (t->known_session == s.worker_id)
            add_lost(&more, unreported(&t->lost, &t->reported));
    uint8_t r[64];
    const size_t size = 4 + make_record(r + 4, LOSS, (const struct value[]){LOSS_VALUES(0, more, SINK)});
    put(put(r, size, 2), WORKER, 2);
    const int error = s.error;
    STORE(&s.error, 0);
    if (sink_write(r, size) == size)
        s.bytes += size;
    else
        (void)!cut_file(s.bytes);
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
    for (;;) {
        acquire(&lock);
        if (!s.stop && s.flush_wanted == s.flush_done)
            wait_ms(&changed, &lock, s.round_ms);
        const bool stop = s.stop;
        const uint32_t flush = s.flush_wanted;
        const bool immediate = flush != s.flush_done || LOAD(&crash_wanted);
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
        if (LOAD(&crash_wanted))
            STORE_REL(&crash_done, 1);
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
    (void)(done ? pthread_join(s.thread, NULL) : pthread_detach(s.thread));
}
#endif

/* ---- crashes ---- */

/* Gives the worker time for one more round. */
static void wait_for_round(void)
{
    STORE(&crash_wanted, 1);
    for (int i = 0; i < 200 && LOAD(&s.state) == TKE_RUNNING && !LOAD_ACQ(&crash_done); i++)
        sleep_ms(1);
}

#ifdef _WIN32
static LPTOP_LEVEL_EXCEPTION_FILTER old_filter;

static LONG WINAPI on_crash(EXCEPTION_POINTERS *what)
{
    wait_for_round();
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
    if (!pthread_equal(pthread_self(), s.thread))
        wait_for_round();
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

static int open_file(const char *path, bool overwrite)
{
#ifdef _WIN32
    wchar_t wide[1024];
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 1024))
        return ENOENT;
    s.fd = _wopen(wide, _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | (overwrite ? _O_TRUNC : _O_EXCL),
                  _S_IREAD | _S_IWRITE);
#else
    s.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (overwrite ? O_TRUNC : O_EXCL), 0644);
#endif
    return s.fd < 0 ? errno : 0;
}

static int connect_to(const struct addrinfo *to)
{
    PEER = socket(to->ai_family, SOCK_STREAM, 0);
    if (PEER == INVALID_SOCKET)
        return socket_error();
    prepare_socket(PEER);
    int error = connect(PEER, to->ai_addr, (socklen_t)to->ai_addrlen) ? socket_error() : 0;
    socklen_t size = sizeof error;
    if (error == CONNECTING)
        error = poll(&(struct pollfd){.fd = PEER, .events = POLLOUT}, 1, 2000) == 1 ? 0 : LATE;
    if (!error)
        getsockopt(PEER, SOL_SOCKET, SO_ERROR, (char *)&error, &size);
    s.socket = true;
    if (error)
        sink_close();
    return error;
}

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

/* The first command line that the system says, unless the program gives one. */
static void default_command_line(void)
{
#ifdef __linux__
    FILE *file = fopen("/proc/self/cmdline", "re");
    const size_t n = file ? fread(s.command_line, 1, sizeof s.command_line - 1, file) : 0;
    for (size_t i = 0; i + 1 < n; i++)
        if (!s.command_line[i])
            s.command_line[i] = ' ';
    if (file)
        fclose(file);
#endif
}

static void set_options(const struct tke_options *o)
{
    const struct {
        char *to;
        size_t size;
        const char *from;
    } texts[] = {
        {s.app, sizeof s.app, o->app},          {s.project, sizeof s.project, o->project},
        {s.branch, sizeof s.branch, o->branch}, {s.build, sizeof s.build, o->build},
        {wanted, sizeof wanted, o->channels},   {s.command_line, sizeof s.command_line, o->command_line}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        snprintf(texts[i].to, texts[i].size, "%s", texts[i].from ? texts[i].from : "");
    if (!o->app)
        program_name(s.app, sizeof s.app);
    if (!*s.command_line)
        default_command_line();
    s.flags = o->flags;
    s.round_ms = o->round_ms ? o->round_ms : 10;
    s.stop_ms = o->stop_ms ? o->stop_ms : 1000;
    s.changelist = o->changelist;
}

/* Others may look at the figures of the session before. */
static bool reset(void)
{
    acquire(&lock);
    memset(&s, 0, offsetof(struct state, state));
    STORE(&cut_texts, 0);
    STORE(&unjoined.scopes, 0);
    STORE(&unjoined.events, 0);
    out.n = out.n_notes = 0;
    const bool declared = next_type || declare_built_in();
    release(&lock);
    return declared && (out.data || (out.data = malloc(OUT_BYTES))) && make_key();
}

static int start(const struct tke_options *o, const char *target, bool overwrite)
{
    start_once();
    set_options(o);
    if (!reset() || !pool_start(o->buffer_bytes ? o->buffer_bytes : 64u << 20))
        return ENOMEM;
    int error = !strncmp(target, "tcp://", 6) ? open_peer(target + 6) : open_file(target, overwrite);
    if (error)
        return error;
    clock_start();
    error = write_header();
    if (!error) {
        s.round_cycle = s.start_cycle;
        s.worker_id = session + 1;
        serials[s.worker_id % 4] = 0;
        STORE_REL(&session, s.worker_id);
        STORE(&s.state, TKE_RUNNING);
        acquire(&lock);
        STORE(&wanted_on, wanted_channels());
        release(&lock);
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

#ifndef __GLIBC__
#define secure_getenv getenv
#endif
#define BY_ENVIRONMENT secure_getenv("TRACEKIT_EMIT")

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
    const char *by = BY_ENVIRONMENT;
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
    struct lost lost = unreported(&unjoined, &(struct lost){0});
    add_lost(&lost, s.lost);
    for (struct thread *t = LOAD_ACQ(&threads); t; t = LOAD(&t->next))
        if (LOAD_ACQ(&t->session) == s.worker_id)
            add_lost(&lost, unreported(&t->lost, &(struct lost){0}));
    *info = (struct tke_info){LOAD(&s.state), LOAD(&s.error), LOAD(&s.bytes),  s.scopes,
                              lost.scopes,    lost.events,    LOAD(&cut_texts)};
    release(&lock);
}

uint32_t tke_version(void)
{
    return TKE_VERSION;
}

#ifndef TKE_NO_AUTOSTART
__attribute__((constructor)) static void autostart(void)
{
    const char *by = BY_ENVIRONMENT;
    const int error = by && *by ? tke_start(NULL) : 0;
    if (error)
        fprintf(stderr, "tracekit_emit: cannot write to TRACEKIT_EMIT=%s: %s\n", by, strerror(error));
}
#endif
