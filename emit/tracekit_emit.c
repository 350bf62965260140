/*
 * tracekit_emit: the library behind tracekit_emit.h.
 *
 * A thread writes entries of scopes and whole records of events into two chains of blocks of its own, and
 * says by `committed` how far they may be read; a worker collects all chains each round and writes packets.
 * Neither waits for the other. Definitions go to chains under a lock, before what uses them is committed, and
 * the worker sends them before data that it had seen earlier: no prefix of a capture uses what it does not
 * define.
 */
#undef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#undef TKE_LEVEL
#define TKE_BUILD
#include "tracekit_emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
/* after the sockets */
#include <bcrypt.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#endif
#ifdef __linux__
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
#ifdef __ELF__
#define THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define THREAD_LOCAL static _Thread_local
#endif

enum { PACKET = 4000, BLOCK = 3840 }; /* bytes of a packet without its header, of a block and of an event */
enum { FOR_ENDS = 512, HEAD = 32 };   /* bytes of a block that begins leave to ends, and all to its packet */
enum { BEGIN = 20, END = 10 };        /* bytes of an entry at most */
enum { DEPTHS = 1024 };               /* of scopes by tke_begin; deeper ones are dropped */
enum { NAME = 96, NAMES = 50000, SLOTS = 131072 };
enum { OUT_BYTES = 256 << 10, NOTES = 512 }; /* of one write */
enum { ARGS_BYTES = 3700, TEXT_MOST = 1000 };
enum { BUILT_IN = 7, CHANNELS = BUILT_IN + 24 };
enum { WORKER = 2, FIRST_TID = 3, REUSED_TIDS = 0x3000, END_OF_TIDS = 0x3FF0, SYNC_TID = 0x3FFF };
enum { BUDGET = 1, NO_MEMORY = 2 }; /* reasons of Tracekit.Loss */

/* ---- the system ---- */

#ifdef _WIN32
#define PLATFORM "Windows"
typedef SRWLOCK mutex;
#define MUTEX                SRWLOCK_INIT
#define acquire(m)           AcquireSRWLockExclusive(m)
#define release(m)           ReleaseSRWLockExclusive(m)
#define sleep_ms(ms)         Sleep(ms)
#define MAP_FAILED           NULL
#define O_CLOEXEC            (_O_BINARY | _O_NOINHERIT)
#define O_NONBLOCK           0
#define CONNECTING           WSAEWOULDBLOCK
#define secure_getenv        getenv
#define poll                 WSAPoll
#define close_socket         closesocket
#define socket_error()       WSAGetLastError()
#define is_full(error)       ((error) == WSAEWOULDBLOCK)
#define system_thread()      GetCurrentThreadId()
#define map(n)               VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
#define discard_pages(p, n)  VirtualAlloc(p, n, MEM_RESET, PAGE_READWRITE)
#define random_bytes(p, n)   BCryptGenRandom(NULL, p, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG)
#define write_socket(p, n)   send((SOCKET)s.sink, (const char *)(p), (int)(n), 0)
#define prepare_socket(peer) ioctlsocket(peer, (long)FIONBIO, &(u_long){1})
#else
typedef int SOCKET;
typedef pthread_mutex_t mutex;
#define MUTEX        PTHREAD_MUTEX_INITIALIZER
#define acquire(m)   pthread_mutex_lock(m)
#define release(m)   pthread_mutex_unlock(m)
#define sleep_ms(ms) nanosleep(&(struct timespec){.tv_nsec = (long)(ms)*1000000}, NULL)
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifdef __linux__
#define PLATFORM        "Linux"
#define system_thread() syscall(SYS_gettid)
#else
#define PLATFORM        "Unix"
#define system_thread() 0
#endif
#ifndef __GLIBC__
#define secure_getenv getenv
#endif
#define CONNECTING          EINPROGRESS
#define close_socket        close
#define socket_error()      errno
#define is_full(error)      ((error) == EAGAIN || (error) == EWOULDBLOCK || (error) == EINTR)
#define map(n)              mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
#define discard_pages(p, n) madvise(p, n, MADV_DONTNEED)
#define random_bytes(p, n)  (void)!getentropy(p, n)
#define write_socket(p, n)  send((int)s.sink, p, n, MSG_NOSIGNAL)
static void prepare_socket(int peer)
{
    fcntl(peer, F_SETFD, FD_CLOEXEC);
    fcntl(peer, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    setsockopt(peer, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
}
#endif

#if defined(_WIN32)
static uint64_t os_frequency(void)
{
    LARGE_INTEGER f;
    QueryPerformanceFrequency(&f);
    return (uint64_t)f.QuadPart;
}
#elif defined(__aarch64__) && defined(__linux__)
static uint64_t os_frequency(void)
{
    uint64_t f;
    __asm__("mrs %0, cntfrq_el0" : "=r"(f));
    return f;
}
#else
#define os_frequency() UINT64_C(1000000000)
#endif

uint64_t tke_now_os(void)
{
#if defined(_WIN32)
    LARGE_INTEGER t;
    QueryPerformanceCounter(&t);
    return (uint64_t)t.QuadPart;
#elif defined(__aarch64__) && defined(__linux__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * os_frequency() + (uint64_t)t.tv_nsec;
#endif
}

static uint64_t milliseconds(void)
{
    return tke_now_os() / (os_frequency() / 1000);
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
    bool is_worker;
    struct label label;
} my;

uint32_t tke_channels_on; /* `wanted_on` while a session runs */
uint32_t tke_clock_tsc;
static uint32_t wanted_on, n_channels = BUILT_IN;
static char channel_names[CHANNELS][32] = {"Cpu", "Frame", "Counters", "Region", "Bookmark", "Log", "Events"};
static char wanted[512];
static uint32_t session, serials[4], instances, pid;
static uint64_t last_region, cut_texts;
static struct thread nobody; /* has the losses of threads that are gone, that never were, and of the sink */
static struct thread *threads = &nobody;
static struct pool *pool;
static uint32_t pool_open;      /* else no thread gets another block */
static mutex lock = MUTEX;      /* definitions, names, channels, the list of threads but for its head */
static mutex api = MUTEX;       /* start and stop */
static struct chain defined[2]; /* declarations and definitions, by tid; kept for the next start */
static uint32_t next_tid = FIRST_TID, n_free_tids;
static uint16_t free_tids[END_OF_TIDS - REUSED_TIDS];

static struct state {
    /* of one session */
    int error;
    bool socket, stop, done;
    uint32_t rounds, reported_on, reported_channels;
    uint64_t bytes, scopes, frequency, warned, stop_at;
    /* of all */
    int state;
    intptr_t sink; /* a descriptor, or a socket */
    uint32_t flags, round_ms, stop_ms, flush_wanted, flush_done, worker_id;
    uint64_t start_cycle, round_cycle, next_round;
    uint8_t session_guid[16], session2[BLOCK];
    size_t session2_size;
} s = {.sink = -1};

static struct {
    uint8_t *data;
    size_t n, n_notes;
    struct note {
        size_t end;
        uint32_t scopes, events;
    } notes[NOTES];
} out;

/* ---- bytes ---- */

static inline uint8_t *put(uint8_t *p, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t size)
{
    if (size)
        memcpy(p, data, size);
    return p + size;
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

static uint8_t *put_wide(uint8_t *p, const void *data, size_t size)
{
    for (const char *text = data, *end = text + size; text < end;) {
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

/* The length of a text that is at most `most` bytes, of whole characters if it is UTF-8. */
static size_t cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    ADD(&cut_texts, 1);
    for (int i = 0; i < 3 && most && ((uint8_t)text[most] & 0xC0) == 0x80; i++)
        most--;
    return most;
}

/* FNV-1a; `fold` is 0x20 where upper and lower case are the same. */
static uint32_t hash(const char *text, size_t size, uint8_t fold)
{
    uint32_t h = 0x811C9DC5;
    for (size_t i = 0; i < size; i++)
        h = (h ^ ((uint8_t)text[i] | fold)) * 0x01000193;
    return h;
}

/* ---- arguments of formats ---- */

enum { INTEGER, REAL, TEXT, UNSIGNED, WIDE }; /* kinds of struct tke_arg; WIDE: a text that is not ASCII */

struct args {
    size_t n, most; /* bytes that they take at most */
    struct tke_arg of[8];
};

/* Arguments whose texts are as long as there is space for. */
static void fit_args(struct args *fit, const struct tke_arg *args, size_t n)
{
    fit->n = n > 8 ? 8 : n;
    fit->most = 1 + 11 * fit->n;
    for (size_t i = 0; i < fit->n; i++) {
        struct tke_arg *to = &fit->of[i];
        *to = args[i];
        if (to->kind != TEXT)
            continue;
        const size_t width = is_ascii(to->as.text, to->size) ? 1 : 2;
        to->kind = width == 1 ? TEXT : WIDE;
        to->size = cut(to->as.text, to->size, (ARGS_BYTES - fit->most) / width);
        fit->most += to->size * width;
    }
}

/* FormatArgs: a number, descriptors, values (events 0.7). */
static uint8_t *put_format_args(uint8_t *p, const struct args *args)
{
    static const uint8_t descriptors[] = {0x48, 0x88, 0xC1, 0x48, 0xC2};
    p = put(p, args->n, 1);
    for (size_t i = 0; i < args->n; i++)
        *p++ = descriptors[args->of[i].kind];
    for (const struct tke_arg *arg = args->of; arg < args->of + args->n; arg++) {
        if (arg->kind == TEXT)
            p = put(put_bytes(p, arg->as.text, arg->size), 0, 1);
        else if (arg->kind == WIDE)
            p = put(put_wide(p, arg->as.text, arg->size), 0, 2);
        else
            p = put_bytes(p, &arg->as, 8);
    }
    return p;
}

static uint8_t *put_big_endian(uint8_t *p, uint64_t v, unsigned n)
{
    while (n--)
        *p++ = (uint8_t)(v >> 8 * n);
    return p;
}

static uint8_t *put_cbor(uint8_t *p, unsigned major, uint64_t v)
{
    const unsigned log = v < 0x100 ? 0 : v < 0x10000 ? 1 : v <= UINT32_MAX ? 2 : 3;
    *p++ = (uint8_t)(major << 5 | (v < 24 ? v : 24 + log));
    return put_big_endian(p, v, v < 24 ? 0 : 1u << log);
}

static uint8_t *put_cbor_args(uint8_t *p, const struct args *args)
{
    for (const struct tke_arg *arg = args->of; arg < args->of + args->n; arg++) {
        const uint64_t bits = (uint64_t)arg->as.integer;
        if (arg->kind == TEXT || arg->kind == WIDE)
            p = put_bytes(put_cbor(p, 3, arg->size), arg->as.text, arg->size);
        else if (arg->kind == REAL)
            p = put_big_endian(put(p, 0xFB, 1), bits, 8);
        else if (arg->kind == INTEGER && arg->as.integer < 0)
            p = put_cbor(p, 1, ~bits);
        else
            p = put_cbor(p, 0, bits);
    }
    return p;
}

/* ---- records ---- */

enum { IMPORTANT = 1, AUX = 2, NO_SYNC = 4 }; /* flags of a type */

enum { NEW_TRACE, THREAD_TIMING, THREAD_INFO, GROUP_BEGIN, GROUP_END, CHANNEL_ANNOUNCE, CHANNEL_TOGGLE };
enum { SESSION2 = 7, EVENT_SPEC, METADATA_SPEC, METADATA, EVENT_BATCH, END_THREAD, BEGIN_FRAME, END_FRAME };
enum { BOOKMARK_SPEC = 15, BOOKMARK, REGION_BEGIN, REGION_END, LOG_CATEGORY, LOG_SPEC, LOG_MESSAGE };
enum { COUNTER_SPEC = 22, SET_INT, SET_FLOAT, LOSS, TYPES, FIRST_UID = 16 };

#define TYPE(logger, name, flags, n, names, ...)                                                             \
    {                                                                                                        \
        logger, name, flags, n, {__VA_ARGS__}, names, NULL, 0                                                \
    }

static const struct tke_event types[TYPES] = {
    TYPE("$Trace", "NewTrace", 5, 4, "StartCycle CycleFrequency Endian PointerSize", 3, 3, 1, 0),
    TYPE("$Trace", "ThreadTiming", 4, 1, "BaseTimestamp", 3),
    TYPE("$Trace", "ThreadInfo", 7, 4, "ThreadId SystemId SortHint Name", 2, 2, 0x12, 0x88),
    TYPE("$Trace", "ThreadGroupBegin", 7, 1, "Name", 0x88),
    TYPE("$Trace", "ThreadGroupEnd", 5, 0, "", 0),
    TYPE("Trace", "ChannelAnnounce", 7, 4, "Id IsEnabled ReadOnly Name", 2, 0, 0, 0x88),
    TYPE("Trace", "ChannelToggle", 5, 2, "Id IsEnabled", 2, 0),
    TYPE("Diagnostics", "Session2", 7, 10,
         "Platform AppName ProjectName CommandLine Branch BuildVersion Changelist ConfigurationType "
         "TargetType InstanceId",
         0x88, 0x88, 0x89, 0x89, 0x89, 0x89, 2, 0, 0, 0x82),
    TYPE("CpuProfiler", "EventSpec", 7, 4, "Id Name File Line", 2, 0x88, 0x88, 2),
    TYPE("CpuProfiler", "MetadataSpec", 7, 4, "Id Name NameFormat FieldNames", 2, 0x88, 0x89, 0x80),
    TYPE("CpuProfiler", "Metadata", 6, 3, "Id SpecId Metadata", 2, 2, 0x80),
    TYPE("CpuProfiler", "EventBatchV3", 6, 1, "Data", 0x80),
    TYPE("CpuProfiler", "EndThread", 4, 1, "Cycle", 3),
    TYPE("Misc", "BeginFrame", 0, 2, "Cycle FrameType", 3, 0),
    TYPE("Misc", "EndFrame", 0, 2, "Cycle FrameType", 3, 0),
    TYPE("Misc", "BookmarkSpec", 7, 4, "BookmarkPoint Line FormatString FileName", 3, 0x12, 0x89, 0x88),
    TYPE("Misc", "Bookmark", 2, 4, "Cycle BookmarkPoint FormatArgs CallstackId", 3, 3, 0x80, 2),
    TYPE("Misc", "RegionBeginWithId", 2, 3, "CycleAndId RegionName Category", 3, 0x89, 0x89),
    TYPE("Misc", "RegionEndWithId", 0, 2, "Cycle RegionId", 3, 3),
    TYPE("Logging", "LogCategory", 7, 3, "CategoryPointer DefaultVerbosity Name", 3, 0, 0x88),
    TYPE("Logging", "LogMessageSpec", 7, 6, "LogPoint CategoryPointer Line Verbosity FileName FormatString",
         3, 3, 0x12, 0, 0x88, 0x89),
    TYPE("Logging", "LogMessage", 6, 3, "LogPoint Cycle FormatArgs", 3, 3, 0x80),
    TYPE("Counters", "Spec", 7, 4, "Id Type DisplayHint Name", 1, 0, 0, 0x88),
    TYPE("Counters", "SetValueInt", 0, 3, "Cycle Value CounterId", 3, 0x13, 1),
    TYPE("Counters", "SetValueFloat", 0, 3, "Cycle Value CounterId", 3, 0x43, 1),
    TYPE("Tracekit", "Loss", 4, 6, "StartCycle EndCycle ThreadId Scopes Events Reason", 3, 3, 2, 3, 3, 0),
};

/* The value of a field: a number, or the size and bytes of array data, or arguments. */
struct value {
    uint64_t n;
    const void *p;
    uint8_t *(*put)(uint8_t *p, const struct args *args);
};
#define N(number)       ((struct value){.n = (uint64_t)(number)})
#define B(bytes, size)  ((struct value){(size), (bytes), NULL})
#define T(text)         text_value(text)
#define ARGS(args, put) ((struct value){(args)->most, (args), (put)})
#define VALUES(...)     ((struct value[]){__VA_ARGS__})

static struct value text_value(const char *text)
{
    return B(text, text ? strlen(text) : 0);
}

static inline size_t number_size(uint8_t field)
{
    return field & 0x80 ? 0 : (size_t)1 << (field & 3);
}

/* Shortens texts to what an event may have; the bytes that it takes at most. */
static inline size_t fit(const struct tke_event *type, struct value *v)
{
    size_t size = 16;
    for (size_t i = 0; i < type->n; i++)
        size += type->fields[i] & 0x80 ? 4 : number_size(type->fields[i]);
    for (size_t i = 0; type->flags & AUX && i < type->n; i++) {
        if (!(type->fields[i] & 0x80))
            continue;
        const size_t width = type->fields[i] & 1 ? 2 : 1, most = (BLOCK - size) / width;
        v[i].n = cut(v[i].p, v[i].n, type->flags & IMPORTANT && most > TEXT_MOST ? TEXT_MOST : most);
        size += v[i].n * width;
    }
    return size;
}

/* Array data has code 1 in important events, 2 in others, which have none where it is empty. */
static uint8_t *put_array(uint8_t *p, unsigned code, unsigned field, bool wide, const struct value *v)
{
    uint8_t *end = p + 4;
    if (v->n)
        end = v->put ? v->put(end, v->p) : (wide ? put_wide : put_bytes)(end, v->p, v->n);
    if (code == 2 && end == p + 4)
        return p;
    put(p, code | field << 8 | (uint32_t)(end - p - 4) << 13, 4);
    return end;
}

#define LITTLE(v) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : (v))

/* Bytes behind the record are written, too: 7 at most. */
static inline uint8_t *put_fields(uint8_t *p, const struct tke_event *type, const struct value *v)
{
    const unsigned code = type->flags & IMPORTANT ? 1 : 2;
    for (size_t i = 0; i < type->n; i++)
        if (!(type->fields[i] & 0x80)) {
            const uint64_t n = LITTLE(v[i].n);
            memcpy(p, &n, 8);
            p += number_size(type->fields[i]);
        }
    if (!(type->flags & AUX))
        return p;
    for (unsigned i = 0; i < type->n; i++)
        if (type->fields[i] & 0x80)
            p = put_array(p, code, i, type->fields[i] & 1, &v[i]);
    return put(p, code == 1 ? 3 : 6, 1);
}

/* A record of an event without a serial. Its size. */
static size_t make_record(uint8_t *r, unsigned of, struct value *v)
{
    const struct tke_event *type = &types[of];
    const bool important = type->flags & IMPORTANT;
    fit(type, v);
    uint8_t *end =
        put_fields(important ? put(r, FIRST_UID + of, 4) : put(r, (FIRST_UID + of) << 1 | 1, 2), type, v);
    if (important)
        put(r + 2, (uint64_t)(end - r - 4), 2);
    return (size_t)(end - r);
}

/* ---- definitions: chains that only grow, under the lock ---- */

static bool append(unsigned tid, const uint8_t *record, size_t size)
{
    struct chain *chain = &defined[tid];
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
    chain->at = put_bytes(chain->at, record, size);
    STORE_REL(&chain->tail->committed, (uint32_t)(chain->at - chain->tail->data));
    return true;
}

static bool define_values(unsigned of, struct value *values)
{
    uint8_t r[BLOCK];
    return append(1, r, make_record(r, of, values));
}

#define DEFINE(of, ...) define_values(of, VALUES(__VA_ARGS__))

/* A name ends with a NUL or a space; what is longer than 64 bytes is cut, so that all fits in a record. */
static size_t name_size(const char *name)
{
    const size_t size = strcspn(name, " ");
    return size < 64 ? size : 64;
}

static bool declare(uint32_t uid, const struct tke_event *type)
{
    uint8_t r[BLOCK] = {0}, *p = put(put(put(r + 4, uid, 2), type->n, 1), type->flags, 1);
    const char *name = type->names;
    size_t offset = 0;
    p = put(put(p, name_size(type->logger), 1), name_size(type->name), 1);
    for (size_t i = 0; i < type->n; i++, name += strcspn(name, " ") + 1) {
        const size_t size = number_size(type->fields[i]);
        p = put(put(put(p, 0, 2), offset, 2), size, 2);
        p = put(put(p, type->fields[i], 1), name_size(name), 1);
        offset += size;
    }
    p = put_bytes(put_bytes(p, type->logger, name_size(type->logger)), type->name, name_size(type->name));
    name = type->names;
    for (size_t i = 0; i < type->n; i++, name += strcspn(name, " ") + 1)
        p = put_bytes(p, name, name_size(name));
    p += (p - r) & 1;
    put(r + 2, (uint64_t)(p - r - 4), 2);
    return append(0, r, (size_t)(p - r));
}

/* The names of fields are texts of CBOR. */
static bool define_meta(uint32_t id, const struct tke_site *site)
{
    uint8_t names[512], *n = names;
    for (const char *f = site->fields; *f && n + 24 <= names + sizeof names; f += *f == ',') {
        const size_t size = strcspn(f, ",");
        n = put_bytes(put_cbor(n, 3, size < 23 ? size : 23), f, size < 23 ? size : 23);
        f += size;
    }
    return DEFINE(METADATA_SPEC, N(id), T(site->name), T(site->format), B(names, (size_t)(n - names)));
}

enum kind { TIMER, META, CATEGORY, LOG, MARK, COUNTER, EVENT };

static bool define(enum kind kind, uint32_t id, const void *of, uint32_t category)
{
    const struct tke_site *site = of;
    const struct tke_counter *counter = of;
    switch (kind) {
    case TIMER:
        return DEFINE(EVENT_SPEC, N(id), T(site->name), T(site->file), N(site->line));
    case META:
        return define_meta(id, site);
    case CATEGORY:
        return DEFINE(LOG_CATEGORY, N(id), N(TKE_INFO), T(site->name));
    case LOG:
        return category && DEFINE(LOG_SPEC, N(id), N(category), N(site->line), N(site->verbosity),
                                  T(site->file), T(site->format));
    case MARK:
        return DEFINE(BOOKMARK_SPEC, N(id), N(site->line), T(site->format), T(site->file));
    case COUNTER:
        return DEFINE(COUNTER_SPEC, N(id), N(counter->type), N(counter->hint), T(counter->name));
    default:
        return declare(id, of);
    }
}

/* Under the lock. 0: it could not be defined. Counters and events have numbers of their own. */
static uint32_t new_id(enum kind kind, const void *of, uint32_t category)
{
    static struct {
        uint32_t next, end;
    } ids[] = {{1, UINT32_MAX}, {1, 0x10000}, {FIRST_UID + TYPES, 0x4000}}, *id;
    id = &ids[kind < COUNTER ? 0 : kind - COUNTER + 1];
    return id->next < id->end && define(kind, id->next, of, category) ? id->next++ : 0;
}

/* ---- texts that have a number ---- */

struct word {
    uint32_t id, size;
    unsigned as;
    char text[];
};

static struct word *words[SLOTS];
static uint32_t n_words;

/* The slot of a text: its word, or where it belongs. */
static struct word **find_word(unsigned as, const char *text, size_t size)
{
    for (uint32_t i = hash(text, size, 0) + as;; i++) {
        const struct word *w = LOAD_ACQ(&words[i % SLOTS]);
        if (!w || (w->as == as && w->size == size && !memcmp(w->text, text, size)))
            return &words[i % SLOTS];
    }
}

/* Under the lock. NULL: no memory. */
static struct word *new_word(unsigned as, const char *text, size_t size, uint32_t category)
{
    struct word *w = malloc(sizeof *w + size + 1);
    if (!w)
        return NULL;
    *w = (struct word){.size = (uint32_t)size, .as = as};
    *put_bytes((uint8_t *)w->text, text, size) = 0;
    const struct tke_site site = {.name = w->text, .file = "", .format = "%s", .verbosity = as >> 3};
    if ((w->id = new_id((enum kind)(as & 7), &site, category)))
        return n_words++, w;
    free(w);
    return NULL;
}

/* The number of a text, defined as a place would be; `as`: kind and verbosity << 3. 0: no memory. */
static uint32_t word_id(unsigned as, const char *text, size_t size)
{
    size = cut(text, size, TEXT_MOST);
    struct word **slot = find_word(as, text, size), *w = LOAD_ACQ(slot);
    if (w)
        return w->id;
    const uint32_t category = (as & 7) == LOG ? word_id(CATEGORY, text, size) : 0;
    acquire(&lock);
    if (n_words >= NAMES)
        text = "(too many names)", size = strlen(text);
    slot = find_word(as, text, size);
    if (!(w = *slot) && (w = new_word(as, text, size, category)))
        STORE_REL(slot, w);
    release(&lock);
    return w ? w->id : 0;
}

uint32_t tke_name(const char *text, size_t size)
{
    return word_id(TIMER, text, size);
}

static COLD uint32_t define_place(uint32_t *place, enum kind kind, const void *of)
{
    const char *category = kind == LOG ? ((const struct tke_site *)of)->name : NULL;
    const uint32_t category_id = category ? word_id(CATEGORY, category, strlen(category)) : 0;
    acquire(&lock);
    const uint32_t id = *place ? *place : new_id(kind, of, category_id);
    STORE_REL(place, id);
    release(&lock);
    return id;
}

/* The number of a place, defined when it first runs. 0: it could not be. */
static inline uint32_t place_id(uint32_t *place, enum kind kind, const void *of)
{
    const uint32_t id = LOAD_ACQ(place);
    return UNLIKELY(!id) ? define_place(place, kind, of) : id;
}

/* ---- blocks ---- */

static void pool_give(struct pool *to, uint32_t i)
{
    uint64_t top = LOAD(&to->top);
    do
        STORE(&to->below[i], (uint32_t)top);
    while (!CAS(&to->top, &top, ((top >> 32) + 1) << 32 | (i + 1)));
    ADD(&to->used, -1u);
}

static struct block *pool_take(void)
{
    struct pool *from = LOAD_ACQ(&pool);
    uint64_t top = LOAD_ACQ(&from->top);
    uint32_t i = from->n;
    if (ADD(&from->used, 1) < LOAD(&from->limit)) {
        while ((i = (uint32_t)top - 1) != UINT32_MAX)
            if (CAS(&from->top, &top, ((top >> 32) + 1) << 32 | LOAD(&from->below[i])))
                return &from->blocks[i];
        i = LOAD(&from->fresh) < from->n ? ADD(&from->fresh, 1) : from->n;
    }
    if (i < from->n)
        return &from->blocks[i];
    ADD(&from->used, -1u);
    return NULL;
}

static bool pool_start(uint64_t bytes)
{
    const uint64_t n = bytes / sizeof(struct block);
    if (n > UINT32_MAX / 2)
        return false;
    if (!pool || n > pool->n) { /* threads may still write to blocks of the old one, so it stays */
        struct pool *p = calloc(1, sizeof *p + (size_t)(n + 1) * sizeof *p->below);
        if (!p || (p->blocks = map((size_t)(n + 1) * sizeof *p->blocks)) == MAP_FAILED) {
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

/* To its thread or to the pool; blocks of a pool that a larger one replaced are left. */
static void free_block(struct block *b, const struct thread *t)
{
    const uintptr_t at = (uintptr_t)b, blocks = (uintptr_t)pool->blocks;
    if (b == &t->own[0] || b == &t->own[1])
        STORE_REL(&b->idle, 1);
    else if (at >= blocks && at < blocks + pool->n * sizeof *b)
        pool_give(pool, (uint32_t)((at - blocks) / sizeof *b));
}

/* Another block for a chain of a thread; NULL: the budget is used up. */
static COLD struct block *new_block(struct thread *t, unsigned which, uint32_t of)
{
    struct chain *chain = &t->chain[which];
    struct block *b = NULL;
    if (!LOAD(&pool_open))
        return NULL;
    for (int i = 0; i < 2 && !b; i++)
        b = LOAD_ACQ(&t->own[i].idle) ? &t->own[i] : NULL;
    if (!b && !(b = pool_take()))
        return NULL;
    STORE(&b->idle, 0);
    STORE(&b->next, NULL);
    STORE(&b->committed, 0);
    b->session = of;
    chain->at = b->data;
    chain->limit = b->data + BLOCK - (which == SCOPES ? HEAD + FOR_ENDS + BEGIN : 0);
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
static DWORD key;
static HANDLE worker;
#define set_key(t)       FlsSetValue(key, t)
#define make_key()       (key = FlsAlloc(fiber_ends))
#define worker_is_dead() (WaitForSingleObject(worker, 0) == WAIT_OBJECT_0 && !LOAD(&s.done))

#define forget_worker() CloseHandle(worker)

/* ExitProcess ends all other threads, then calls this. A lock that one of them held is never given back. */
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
#else
static pthread_key_t key;
#define set_key(t)       pthread_setspecific(key, t)
#define make_key()       pthread_key_create(&key, thread_ends)
#define worker_is_dead() false
#define forget_worker()  ((void)0)
#endif

/* NULL: there is no memory, or there are as many threads as there can be tids. */
static struct thread *new_thread(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    acquire(&lock);
    if (n_free_tids)
        t->tid = free_tids[--n_free_tids];
    else
        t->tid = next_tid < END_OF_TIDS ? next_tid++ : 0;
    release(&lock);
    if (!t->tid) {
        free(t);
        return NULL;
    }
    t->own[0].idle = t->own[1].idle = t->named = 1;
    t->system_id = (uint32_t)system_thread();
    t->label = my.label;
    struct thread *head = LOAD(&threads);
    do
        STORE(&t->next, head);
    while (!CAS(&threads, &head, t));
    my.thread = t;
    set_key(t);
    return t;
}

static void forget_losses(struct thread *t)
{
    STORE(&t->lost.scopes, 0);
    STORE(&t->lost.events, 0);
    STORE_REL(&t->synced, 0);
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
    forget_losses(t);
    STORE_REL(&t->session, now);
    return t;
}

static inline struct thread *self(void)
{
    struct thread *t = my.thread;
    return UNLIKELY(!t || t->session != LOAD(&session)) ? join_session() : t;
}

static void add_lost(struct lost *to, uint64_t scopes, uint64_t events)
{
    ADD(&to->scopes, scopes);
    ADD(&to->events, events);
}

/* Without a thread there was no memory, or no block, for it to join. */
static COLD bool lose(struct thread *t, unsigned which)
{
    add_lost(t ? &t->lost : &nobody.lost, which == SCOPES, which == EVENTS);
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
    const uint32_t id = place_id(&site->id, TIMER, site);
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
    begin(on, on ? place_id(&site->id, TIMER, site) : 0);
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

/* Writes an event of a thread; without a uid it, or what it names, could not be defined. */
static inline bool write_event(struct thread *t, uint32_t uid, const struct tke_event *type,
                               struct value *values)
{
    const size_t size = fit(type, values);
    struct chain *chain = t ? &t->chain[EVENTS] : NULL;
    if (UNLIKELY(!uid || !t ||
                 ((size_t)(chain->limit - chain->at) < size && !new_block(t, EVENTS, t->session))))
        return lose(t, EVENTS);
    const uint32_t synced = !(type->flags & NO_SYNC);
    uint8_t *p = put(chain->at, uid << 1 | 1, 2);
    if (synced)
        p = put(p, ADD(&serials[t->session % 4], 1), 3);
    chain->at = put_fields(p, type, values);
    const uint32_t records = (LOAD(&chain->tail->committed) >> 16) + 1;
    STORE_REL(&chain->tail->committed, (uint32_t)(chain->at - chain->tail->data) | records << 16);
    if (synced)
        STORE_REL(&t->synced, t->synced + 1);
    return true;
}

static bool write_values(unsigned of, bool defined_all, struct value *values)
{
    return write_event(self(), defined_all ? FIRST_UID + of : 0, &types[of], values);
}

#define WRITE(of, defined_all, ...) write_values(of, defined_all, VALUES(__VA_ARGS__))

void tke_frame_begin(int type)
{
    if (tke_channel_on(TKE_FRAME))
        WRITE(BEGIN_FRAME, true, N(tke_now()), N(type));
}

void tke_frame_end(int type)
{
    if (tke_channel_on(TKE_FRAME))
        WRITE(END_FRAME, true, N(tke_now()), N(type));
}

void tke_counter_set(struct tke_counter *counter, int64_t value)
{
    if (counter->type)
        tke_counter_set_real(counter, (double)value);
    else if (tke_channel_on(TKE_COUNTERS)) {
        const uint32_t id = place_id(&counter->id, COUNTER, counter);
        WRITE(SET_INT, id, N(tke_now()), N(value), N(id));
    }
}

void tke_counter_set_real(struct tke_counter *counter, double value)
{
    if (!counter->type)
        tke_counter_set(counter, (int64_t)value);
    else if (tke_channel_on(TKE_COUNTERS)) {
        const uint32_t id = place_id(&counter->id, COUNTER, counter);
        uint64_t bits;
        memcpy(&bits, &value, 8);
        WRITE(SET_FLOAT, id, N(tke_now()), N(bits), N(id));
    }
}

uint64_t tke_region_begin(const char *name, size_t size, const char *category)
{
    if (!tke_channel_on(TKE_REGION))
        return 0;
    uint64_t last = LOAD(&last_region), id;
    do
        id = tke_now(), id = id > last ? id : last + 1;
    while (!CAS(&last_region, &last, id));
    return WRITE(REGION_BEGIN, true, N(id), B(name, size), T(category)) ? id : 0;
}

void tke_region_end(uint64_t region)
{
    if (region && region >= LOAD(&s.start_cycle) && tke_channel_on(TKE_REGION))
        WRITE(REGION_END, true, N(tke_now()), N(region));
}

static void write_log(uint32_t point, const struct tke_arg *args, size_t n)
{
    struct args fitting;
    fit_args(&fitting, args, n);
    WRITE(LOG_MESSAGE, point, N(point), N(tke_now()), ARGS(&fitting, put_format_args));
}

void tke_log_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    write_log(place_id(&site->id, LOG, site), args, n);
}

void tke_log_text(const char *category, int verbosity, const char *text, size_t size)
{
    const struct tke_arg arg = {.kind = TEXT, .size = size, .as.text = text};
    if (tke_channel_on(TKE_LOGS))
        write_log(word_id(LOG | (unsigned)(verbosity & 7) << 3, category, strlen(category)), &arg, 1);
}

void tke_bookmark_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    const uint32_t point = place_id(&site->id, MARK, site);
    struct args fitting;
    fit_args(&fitting, args, n);
    WRITE(BOOKMARK, point, N(tke_now()), N(point), ARGS(&fitting, put_format_args), N(0));
}

void tke_bookmark_text(const char *text, size_t size)
{
    static struct tke_site site = {.file = "", .format = "%s"};
    const struct tke_arg arg = {.kind = TEXT, .size = size, .as.text = text};
    if (tke_channel_on(TKE_MARK))
        tke_bookmark_on(&site, &arg, 1);
}

/* The values go out before the scope: no prefix of a capture has a scope without them. */
uint32_t tke_scope_begin_meta_on(struct tke_site *site, const struct tke_arg *args, size_t n)
{
    struct thread *t = self();
    const uint32_t id = place_id(&site->id, META, site), instance = ADD(&instances, 1) + 1;
    struct args fitting;
    fit_args(&fitting, args, n);
    if (!t || !id || (t->chain[SCOPES].at > t->chain[SCOPES].limit && !next_scope_block(t)))
        return lose(t, SCOPES);
    if (!WRITE(METADATA, true, N(instance), N(id), ARGS(&fitting, put_cbor_args)))
        return lose(t, SCOPES);
    return open_scope(t, (uint64_t)instance << 1 | 1) ? t->session : 0;
}

static uint64_t number_of(const uint8_t *at, size_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    return size == 1   ? *at
           : size == 2 ? (memcpy(&two, at, 2), two)
           : size == 4 ? (memcpy(&four, at, 4), four)
                       : (memcpy(&eight, at, 8), eight);
}

static struct value value_of(uint8_t field, const uint8_t *at)
{
    struct tke_bytes bytes = {NULL, 0};
    if (!(field & 0x80))
        return N(number_of(at, number_size(field)));
    memcpy(&bytes, at, field == tke_c_bytes ? sizeof bytes : sizeof bytes.data);
    return field == tke_c_bytes ? B(bytes.data, bytes.size) : T(bytes.data);
}

void tke_send_on(struct tke_event *event, const void *of)
{
    struct value values[TKE_FIELDS];
    for (size_t i = 0; i < event->n; i++)
        values[i] = value_of(event->fields[i], (const uint8_t *)of + event->offsets[i]);
    write_event(self(), place_id(&event->id, EVENT, event), event, values);
}

/* ---- channels ---- */

/* The name in lower case, without the suffix Channel and one s (wire 6). */
static uint32_t channel_hash(const char *name, size_t size)
{
    if (size > 7 && !memcmp(name + size - 7, "Channel", 7))
        size -= 7;
    if (size && (name[size - 1] | 0x20) == 's')
        size--;
    return hash(name, size, 0x20);
}

static uint32_t channel_id(uint32_t i)
{
    return channel_hash(channel_names[i], strlen(channel_names[i]));
}

/* Under the lock. What "default,-log,net" changes of `on`; how many of its names are known. */
static int listed(const char *list, uint32_t *on)
{
    int found = 0;
    for (const char *p = list; *p; p += *p == ',') {
        const bool off = *p == '-';
        const size_t size = strcspn(p += off, ",");
        uint32_t bits = size == 7 && !memcmp(p, "default", 7) ? (1u << BUILT_IN) - 1 : 0;
        for (uint32_t i = 0; i < n_channels; i++)
            bits |= channel_id(i) == channel_hash(p, size) ? 1u << i : 0;
        *on = off ? *on & ~bits : *on | bits;
        found += bits != 0;
        p += size;
    }
    return found;
}

/* Under the lock. What the options want; a list that is empty or begins with "-" changes built-in ones. */
static uint32_t wanted_channels(void)
{
    uint32_t on = !*wanted || *wanted == '-' ? (1u << BUILT_IN) - 1 : 0;
    listed(wanted, &on);
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
    uint32_t i = 0;
    acquire(&lock);
    while (i < n_channels && channel_id(i) != channel_hash(name, size))
        i++;
    if (i == n_channels && i < CHANNELS && size < sizeof *channel_names) {
        memcpy(channel_names[i], name, size + 1);
        n_channels++;
        set_channels(wanted_on | (wanted_channels() & 1u << i));
    }
    const uint32_t bit = i < n_channels ? 1u << i : 0;
    release(&lock);
    return bit;
}

int tke_channel_set(const char *names, bool on)
{
    uint32_t bits = 0;
    acquire(&lock);
    const int found = listed(names, &bits);
    set_channels(on ? wanted_on | bits : wanted_on & ~bits);
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
    if (my.thread) {
        my.thread->label = my.label;
        STORE(&my.thread->named, my.thread->named + 1);
    }
    release(&lock);
    if (LOAD(&tke_channels_on))
        self();
}

/* ---- the sink ---- */

/* Writes what it can without waiting for more than the end of tke_stop; the number of bytes. */
static size_t sink_write(const uint8_t *data, size_t size)
{
    size_t done = 0;
    while (done < size && !s.error) {
        const int64_t r = s.socket ? write_socket(data + done, size - done)
                                   : write((int)s.sink, data + done, (unsigned)(size - done));
        const int error = s.socket ? socket_error() : errno;
        const uint64_t stop_at = LOAD(&s.stop_at);
        if (r >= 0)
            done += (size_t)r;
        else if (!is_full(error))
            STORE(&s.error, error);
        else if (stop_at && milliseconds() >= stop_at)
            STORE(&s.error, ETIMEDOUT);
        else
            poll(&(struct pollfd){.fd = (SOCKET)s.sink, .events = POLLOUT}, 1, 20);
    }
    return done;
}

static void sink_close(void)
{
    if (s.socket)
        close_socket((SOCKET)s.sink);
    else if (s.sink >= 0)
        close((int)s.sink);
    s.sink = -1, s.socket = false;
}

/* Of a file that takes no more, whole packets stay. */
static void cut_file(void)
{
    if (!s.socket && !ftruncate((int)s.sink, (off_t)s.bytes))
        lseek((int)s.sink, (off_t)s.bytes, SEEK_SET);
}

/* One write. */
static void out_flush(void)
{
    const bool was_broken = s.error != 0;
    const size_t done = was_broken ? 0 : sink_write(out.data, out.n);
    size_t whole = 0;
    for (const struct note *note = out.notes; note < out.notes + out.n_notes; note++)
        if (note->end <= done)
            whole = note->end, STORE(&s.scopes, s.scopes + note->scopes);
        else
            add_lost(&nobody.lost, note->scopes, note->events);
    STORE(&s.bytes, s.bytes + whole);
    out.n = out.n_notes = 0;
    if (s.error && !was_broken) {
        cut_file();
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

static void send_values(uint32_t tid, unsigned of, uint32_t scopes, struct value *values)
{
    uint8_t r[PACKET];
    put_packet(tid, r, make_record(r, of, values), scopes, 0);
}

#define SEND(tid, of, ...) send_values(tid, of, 0, VALUES(__VA_ARGS__))

/* ---- rounds of the worker ---- */

static void see(struct chain *chain)
{
    struct block *b = LOAD_ACQ(&chain->head), *next;
    while (b && (next = LOAD_ACQ(&b->next)))
        b = next;
    chain->seen = b;
    chain->seen_to = b ? LOAD_ACQ(&b->committed) : 0;
}

/* The entries of a slice as one event, its first one absolute. */
static void send_scopes(struct thread *t, const uint8_t *at, const uint8_t *end)
{
    uint8_t r[BLOCK], *p = r;
    const uint8_t *rest = NULL;
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
    send_values(t->tid, EVENT_BATCH, begins, VALUES(B(r, (size_t)(p - r))));
}

/* Sends what was seen of a chain, and frees blocks that its thread has left. */
static void drain(struct chain *chain, struct thread *t, uint32_t tid)
{
    for (struct block *b = chain->head; b && chain->seen; b = chain->head) {
        const uint32_t to = b == chain->seen ? chain->seen_to : LOAD_ACQ(&b->committed);
        const uint8_t *at = b->data + (chain->sent & 0xFFFF), *end = b->data + (to & 0xFFFF);
        const bool of_session = !t || b->session == s.worker_id;
        if (of_session && at < end && t && chain == &t->chain[SCOPES])
            send_scopes(t, at, end);
        else if (of_session && at < end)
            put_packet(tid, at, (size_t)(end - at), 0, (to >> 16) - (chain->sent >> 16));
        chain->sent = to;
        if (b == chain->seen)
            return;
        chain->head = LOAD_ACQ(&b->next);
        chain->sent = 0;
        if (t)
            free_block(b, t);
    }
}

static void send_definitions(uint32_t tid)
{
    see(&defined[tid]);
    drain(&defined[tid], NULL, tid);
}

static void send_thread_info(uint32_t tid, uint32_t system_id, const struct label *l)
{
    if (*l->group)
        SEND(1, GROUP_BEGIN, B(l->group, strlen(l->group) + 1));
    SEND(1, THREAD_INFO, N(tid), N(system_id), N(l->hint), B(l->name, strlen(l->name) + 1));
    if (*l->group)
        SEND(1, GROUP_END, N(0));
}

static void send_channels(void)
{
    acquire(&lock);
    const uint32_t on = wanted_on, n = n_channels;
    release(&lock);
    for (uint32_t i = 0; i < n; i++)
        if (i >= s.reported_channels || (on ^ s.reported_on) >> i & 1)
            SEND(1, CHANNEL_TOGGLE, N(channel_id(i)), N(on >> i & 1));
    for (uint32_t i = s.reported_channels; i < n; i++)
        SEND(1, CHANNEL_ANNOUNCE, N(channel_id(i)), N(on >> i & 1), N(0), T(channel_names[i]));
    s.reported_on = on, s.reported_channels = n;
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
        SEND(t->tid, THREAD_TIMING, N(s.round_cycle - s.start_cycle));
        t->worker_last = t->open = 0, t->reported = (struct lost){0, 0};
    }
    t->known_session = s.worker_id, t->sent_name = named;
}

/* Open scopes end with their thread; where a tid is given again its next thread would be inside of them. */
static void send_thread_end(struct thread *t)
{
    uint8_t r[BLOCK] = {0}, *p = put_varint(r, t->end_cycle << 2);
    const size_t space = sizeof r - HEAD - 10, more = t->open && t->open - 1 < space ? t->open - 1 : space;
    if (t->tid < REUSED_TIDS)
        SEND(t->tid, END_THREAD, N(t->end_cycle));
    else if (t->open)
        SEND(t->tid, EVENT_BATCH, B(r, (size_t)(p - r) + more));
    t->end_cycle = 0;
}

static void warn(struct lost lost)
{
    static struct tke_site site = {.name = "LogTracekit",
                                   .file = "",
                                   .verbosity = TKE_WARNING,
                                   .format = "dropped %llu scopes and %llu events"};
    const uint32_t point = place_id(&site.id, LOG, &site);
    const struct args args = {2, 19, {tke_arg_unsigned(lost.scopes), tke_arg_unsigned(lost.events)}};
    if (!point || milliseconds() - s.warned < 1000)
        return;
    send_definitions(1);
    s.warned = milliseconds();
    SEND(WORKER, LOG_MESSAGE, N(point), N(tke_now()), ARGS(&args, put_format_args));
}

/* What was dropped since the last round. While the sink is broken, it waits for the end. */
static void send_loss(struct thread *t)
{
    const struct lost more = {LOAD(&t->lost.scopes) - t->reported.scopes,
                              LOAD(&t->lost.events) - t->reported.events};
    if (s.error || !(more.scopes | more.events))
        return;
    SEND(WORKER, LOSS, N(s.round_cycle), N(tke_now()), N(t->tid), N(more.scopes), N(more.events),
         N(t->tid ? BUDGET : NO_MEMORY));
    warn(more);
    add_lost(&t->reported, more.scopes, more.events);
}

/* Takes a thread that ended out of the list; the first one stays, as new ones are put before it. */
static bool remove_thread(struct thread *before, struct thread *t)
{
    if (!before)
        return false;
    acquire(&lock);
    STORE(&before->next, LOAD(&t->next));
    if (t->known_session == s.worker_id) {
        add_lost(&nobody.lost, t->lost.scopes, t->lost.events);
        add_lost(&nobody.reported, t->reported.scopes, t->reported.events);
        STORE(&nobody.synced, nobody.synced + t->synced);
    }
    if (t->tid >= REUSED_TIDS)
        free_tids[n_free_tids++] = (uint16_t)t->tid;
    release(&lock);
    for (int i = 0; i < 2; i++)
        for (struct block *b = t->chain[i].head, *next; b; b = next) {
            next = b->next;
            free_block(b, t);
        }
    free(t);
    return true;
}

static void send_threads(struct thread *first)
{
    for (struct thread *t = first, *before = NULL, *next; t; t = next) {
        next = LOAD(&t->next);
        if (t->seen && t != &nobody) { /* seen this round, in this session */
            send_thread_start(t);
            drain(&t->chain[EVENTS], t, t->tid);
            drain(&t->chain[SCOPES], t, t->tid);
            if (t->gone && t->end_cycle)
                send_thread_end(t);
        }
        if (t->seen)
            send_loss(t);
        if (!t->gone || !remove_thread(before, t))
            before = t;
    }
}

static void send_head(void)
{
    acquire(&lock); /* else a first definition that comes now would be forgotten */
    for (int i = 0; i < 2; i++) {
        defined[i].sent = 0;
        STORE_REL(&defined[i].head, defined[i].first);
    }
    release(&lock);
    send_definitions(0);
    SEND(1, NEW_TRACE, N(s.start_cycle), N(s.frequency), N(0x524D), N(sizeof(void *)));
    put_packet(1, s.session2, s.session2_size, 0, 0);
    send_channels();
    send_thread_info(WORKER, 0, &(struct label){.name = "Trace", .hint = INT32_MAX});
}

static void one_round(bool last)
{
    struct thread *first = LOAD_ACQ(&threads);
    const uint64_t cycle = tke_now();
    for (struct thread *t = first; t; t = LOAD(&t->next)) {
        t->gone = LOAD_ACQ(&t->ended);
        t->seen = LOAD_ACQ(&t->session) == s.worker_id;
        for (int i = 0; i < 2 && t->seen; i++)
            see(&t->chain[i]);
    }
    if (!s.rounds)
        send_head();
    send_channels();
    send_definitions(0);
    send_definitions(1);
    send_threads(first);
    for (bool more = true; s.rounds < 3 && more; s.rounds++, more = last)
        put_packet(SYNC_TID, NULL, 0, 0, 0);
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
        const uint64_t before = tke_now(), now = tke_now_os(), after = tke_now();
        if (after - before < best)
            best = after - before, *cycle = before + best / 2, *ticks = now;
    }
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
    s.next_round = tke_clock_tsc ? clock_base.ticks / (os_frequency() / 1000) + 50 : 0;
    STORE(&s.start_cycle, tke_now());
    s.round_cycle = s.start_cycle;
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

/* Until all serials that were taken are in records, for 50 ms at most: else the end had a gap. */
static void wait_for_serials(void)
{
    for (int i = 0; i < 50; i++) {
        uint32_t synced = 0;
        for (struct thread *t = LOAD_ACQ(&threads); t; t = LOAD(&t->next))
            synced += LOAD_ACQ(&t->session) == s.worker_id ? LOAD_ACQ(&t->synced) : 0;
        if (synced == LOAD(&serials[s.worker_id % 4]))
            return;
        sleep_ms(1);
    }
}

static void last_round(void)
{
    wait_for_serials();
    if (!s.frequency)
        clock_measure();
    one_round(true);
    if (s.error && !s.socket) { /* it may take what was lost since */
        const int error = s.error;
        STORE(&s.error, 0);
        for (struct thread *t = threads; t; t = LOAD(&t->next))
            if (t->known_session == s.worker_id)
                send_loss(t);
        out_flush();
        STORE(&s.error, error);
    }
    STORE_REL(&s.flush_done, LOAD(&s.flush_wanted));
    STORE_REL(&s.done, true);
}

static void work(void)
{
    my.is_worker = true;
    while (!LOAD_ACQ(&s.stop)) {
        const uint32_t flush = LOAD_ACQ(&s.flush_wanted);
        if (flush == s.flush_done && milliseconds() < s.next_round) {
            sleep_ms(s.round_ms < 10 ? s.round_ms : 10);
            continue;
        }
        if (!s.frequency)
            clock_measure();
        s.next_round = milliseconds() + s.round_ms;
        one_round(false);
        STORE_REL(&s.flush_done, flush);
    }
    last_round();
}

#ifdef _WIN32
static DWORD WINAPI work_on(void *of)
{
    (void)of;
    work();
    return 0;
}

static int worker_start(void)
{
    worker = CreateThread(NULL, 0, work_on, NULL, 0, NULL);
    return worker ? 0 : EAGAIN;
}
#else
static void *work_on(void *of)
{
    work();
    return of;
}

static int worker_start(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, work_on, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? error : pthread_detach(thread);
}
#endif

/* ---- crashes: time for one more round ---- */

#ifdef _WIN32
static LPTOP_LEVEL_EXCEPTION_FILTER old_filter;

static LONG WINAPI on_crash(EXCEPTION_POINTERS *what)
{
    if (!my.is_worker)
        tke_flush(200);
    return old_filter ? old_filter(what) : EXCEPTION_CONTINUE_SEARCH;
}

static void crash_start(void)
{
    old_filter = SetUnhandledExceptionFilter(on_crash);
}
#else
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction old_actions[sizeof crashes / sizeof *crashes];

/* Waits, then gives the signal to whom it was before. */
static void on_crash(int number)
{
    const int error = errno;
    if (!my.is_worker)
        tke_flush(200);
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
    STORE(&tke_channels_on, 0);
    sink_close();
    STORE(&s.state, TKE_OFF);
    memset(s.session_guid, 0, sizeof s.session_guid);
    session++;
    threads = &nobody;
    my.thread = NULL;
    set_key(NULL);
    pid = (uint32_t)getpid();
    if (pool)
        pool->top = pool->fresh = pool->used = 0;
}
#endif

/* ---- start and stop ---- */

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
    static bool started;
    if (started)
        return;
    started = true;
    make_key();
    atexit(at_exit);
    pin_module();
#ifdef _WIN32
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
#else
    pthread_atfork(before_fork, after_fork, in_child);
#endif
}

static int open_file(const char *path, bool overwrite)
{
    s.sink = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (overwrite ? O_TRUNC : O_EXCL), 0644);
    return s.sink < 0 ? errno : 0;
}

static int connect_to(const struct addrinfo *to)
{
    const SOCKET peer = socket(to->ai_family, SOCK_STREAM, 0);
    s.sink = (intptr_t)peer;
    if (s.sink == -1)
        return socket_error();
    s.socket = true;
    prepare_socket(peer);
    int error = connect(peer, to->ai_addr, (socklen_t)to->ai_addrlen) ? socket_error() : 0;
    socklen_t size = sizeof error;
    if (error == CONNECTING)
        error = poll(&(struct pollfd){.fd = peer, .events = POLLOUT}, 1, 2000) == 1 ? 0 : ETIMEDOUT;
    if (!error)
        getsockopt(peer, SOL_SOCKET, SO_ERROR, (char *)&error, &size);
    if (error)
        sink_close();
    return error;
}

/* Of "host" or "host:port". */
static int open_peer(const char *target)
{
    char host[256];
    const char *port = strrchr(target, ':');
    const size_t size = port ? (size_t)(port - target) : strlen(target);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (size >= sizeof host)
        return EINVAL;
    *put_bytes((uint8_t *)host, target, size) = 0;
    if (getaddrinfo(host, port ? port + 1 : "1981", &hints, &found))
        return EHOSTUNREACH;
    int error = EHOSTUNREACH;
    for (struct addrinfo *a = found; a && error; a = a->ai_next)
        error = connect_to(a);
    freeaddrinfo(found);
    return error;
}

static const char *program_name(void)
{
#if defined(_WIN32)
    static char path[MAX_PATH];
    GetModuleFileNameA(NULL, path, sizeof path - 1);
    const char *name = strrchr(path, '\\');
    return name ? name + 1 : path;
#elif defined(__linux__)
    return program_invocation_short_name;
#else
    return getprogname();
#endif
}

static void new_guid(uint8_t *guid)
{
    random_bytes(guid, 16);
    guid[6] = (uint8_t)((guid[6] & 0x0F) | 0x40);
    guid[8] = (uint8_t)((guid[8] & 0x3F) | 0x80);
}

static int write_header(void)
{
    uint8_t header[48] = {'2', 'C', 'R', 'T', 40, 0, 2, 0, 0xFF, 0xFF, 16, 1};
    clock_start();
    if (!s.session_guid[6])
        new_guid(s.session_guid);
    memcpy(header + 12, s.session_guid, 16);
    header[28] = 16, header[29] = 2, header[46] = 4, header[47] = 7;
    new_guid(header + 30);
    s.stop_at = milliseconds() + 2000;
    s.bytes = sink_write(header, sizeof header);
    s.stop_at = 0;
    return s.error;
}

/* Others may look at the figures of the session before. */
static bool reset(const struct tke_options *o)
{
    static uint32_t n_declared;
    acquire(&lock);
    memset(&s, 0, offsetof(struct state, state));
    STORE(&cut_texts, 0);
    snprintf(wanted, sizeof wanted, "%s", o->channels ? o->channels : "");
    s.flags = o->flags;
    s.round_ms = o->round_ms ? o->round_ms : 10;
    s.stop_ms = o->stop_ms ? o->stop_ms : 1000;
    s.flush_done = s.flush_wanted;
    out.n = out.n_notes = 0;
    while (n_declared < TYPES && declare(FIRST_UID + n_declared, &types[n_declared]))
        n_declared++;
    release(&lock);
    return n_declared == TYPES && (out.data || (out.data = malloc(OUT_BYTES))) &&
           pool_start(o->buffer_bytes ? o->buffer_bytes : 64u << 20);
}

/* From here on threads join. */
static int begin_session(const struct tke_options *o)
{
    const char *app = o->app ? o->app : program_name();
    s.session2_size = make_record(s.session2, SESSION2,
                                  VALUES(T(PLATFORM), T(app), T(o->project), T(o->command_line), T(o->branch),
                                         T(o->build), N(o->changelist), N(0), N(5), B(s.session_guid, 16)));
    acquire(&lock);
    s.worker_id = session + 1;
    serials[s.worker_id % 4] = 0;
    forget_losses(&nobody);
    nobody.known_session = s.worker_id, nobody.reported = (struct lost){0, 0};
    STORE_REL(&nobody.session, s.worker_id);
    STORE_REL(&session, s.worker_id);
    STORE(&s.state, TKE_RUNNING);
    set_channels(wanted_channels());
    release(&lock);
    return worker_start();
}

static int start(const struct tke_options *o, bool overwrite)
{
    start_once();
    pid = (uint32_t)getpid();
    if (!reset(o))
        return ENOMEM;
    int error = !strncmp(o->target, "tcp://", 6) ? open_peer(o->target + 6) : open_file(o->target, overwrite);
    if (!error)
        error = write_header();
    if (!error)
        error = begin_session(o);
    if (error) {
        STORE(&tke_channels_on, 0);
        STORE(&s.state, TKE_OFF);
        sink_close();
    } else if (s.flags & TKE_CRASH_FLUSH)
        crash_start();
    return error;
}

/* %p process, %n program, %t time. false: it is too long. */
static bool fill_in(char *to, size_t size, const char *from)
{
    char id[16], when[32];
    const time_t now = time(NULL);
    snprintf(id, sizeof id, "%u", (unsigned)(uint32_t)getpid());
    strftime(when, sizeof when, "%Y%m%d_%H%M%S", localtime(&now));
    const char *const values[] = {id, program_name(), when};
    size_t n = 0;
    for (; *from && n < size; from++) {
        const char *which = *from == '%' && from[1] ? strchr("pnt", from[1]) : NULL;
        n += (size_t)snprintf(to + n, size - n, "%.*s", which ? 1024 : 1,
                              which ? values[which - "pnt"] : from);
        from += which != NULL;
    }
    return n < size;
}

static uint64_t bytes_of(const char *text)
{
    char *unit;
    const uint64_t n = strtoull(text, &unit, 10);
    return n << (*unit == 'G' ? 30 : *unit == 'M' ? 20 : *unit == 'k' ? 10 : 0);
}

/* "target;channels=...;buffer=64M;overwrite" */
static int start_by(const char *text, struct tke_options o)
{
    char copy[2048], *next;
    bool overwrite = false;
    if (!fill_in(copy, sizeof copy, text))
        return EINVAL;
    o.target = copy;
    for (char *p = strchr(copy, ';'); p; p = next) {
        *p++ = 0;
        if ((next = strchr(p, ';')))
            *next = 0;
        if (!strcmp(p, "overwrite"))
            overwrite = true;
        else if (!strncmp(p, "channels=", 9))
            o.channels = p + 9;
        else if (!strncmp(p, "buffer=", 7) && bytes_of(p + 7))
            o.buffer_bytes = bytes_of(p + 7);
        else if (*p)
            return EINVAL;
    }
    return start(&o, overwrite);
}

int tke_start(const struct tke_options *options)
{
    struct tke_options o = {0};
    const char *by = secure_getenv("TRACEKIT_EMIT");
    int error = 0;
    if (options && options->size > sizeof o)
        return EINVAL;
    if (options)
        memcpy(&o, options, options->size ? options->size : sizeof o);
    acquire(&api);
    if (LOAD(&s.state) != TKE_OFF && pid == (uint32_t)getpid())
        error = o.target ? EBUSY : 0;
    else if (o.target || (by && *by))
        error = o.target ? start(&o, true) : start_by(by, o);
    if (error && LOAD(&s.state) == TKE_OFF)
        STORE(&s.error, error);
    release(&api);
    return error;
}

/* Until the worker has written all, or is late. */
static bool wait_for_end(void)
{
    const uint64_t end = milliseconds() + s.stop_ms;
    acquire(&lock);
    STORE(&tke_channels_on, 0);
    STORE(&s.stop_at, end);
    STORE_REL(&s.stop, true);
    release(&lock);
    while (!LOAD_ACQ(&s.done) && milliseconds() < end + 200 && !worker_is_dead())
        sleep_ms(1);
    if (worker_is_dead())
        last_round();
    return LOAD_ACQ(&s.done);
}

void tke_stop(void)
{
    acquire(&api);
    if (LOAD(&s.state) != TKE_OFF && pid == (uint32_t)getpid() && wait_for_end()) {
        forget_worker();
        sink_close();
        STORE(&pool_open, 0);
        const uint32_t used = LOAD(&pool->fresh); /* those who found none counted, too */
        discard_pages(pool->blocks, (used < pool->n ? used : pool->n) * sizeof *pool->blocks);
        STORE(&s.state, TKE_OFF);
    }
    release(&api);
}

/* Without a lock: a handler of a signal may call it. */
int tke_flush(unsigned timeout_ms)
{
    const uint64_t end = milliseconds() + timeout_ms;
    const uint32_t ticket = ADD(&s.flush_wanted, LOAD(&s.state) != TKE_OFF) + (LOAD(&s.state) != TKE_OFF);
    bool late;
    while ((late = (int32_t)(ticket - LOAD_ACQ(&s.flush_done)) > 0) && LOAD(&s.state) != TKE_OFF &&
           milliseconds() < end)
        sleep_ms(1);
    return LOAD(&s.error) ? LOAD(&s.error) : late ? ETIMEDOUT : 0;
}

void tke_get_info(struct tke_info *info)
{
    struct lost lost = {0, 0};
    acquire(&lock);
    for (struct thread *t = LOAD_ACQ(&threads); t; t = LOAD(&t->next))
        if (LOAD_ACQ(&t->session) == s.worker_id)
            add_lost(&lost, LOAD(&t->lost.scopes), LOAD(&t->lost.events));
    *info = (struct tke_info){LOAD(&s.state), LOAD(&s.error), LOAD(&s.bytes),  LOAD(&s.scopes),
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
    const char *by = secure_getenv("TRACEKIT_EMIT");
    const int error = by && *by ? tke_start(NULL) : 0;
    if (error)
        fprintf(stderr, "tracekit_emit: cannot write to TRACEKIT_EMIT=%s: %s\n", by, strerror(error));
}
#endif
