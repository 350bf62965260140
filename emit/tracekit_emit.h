/*
 * tracekit_emit: writes captures of the program that it is linked to, as .utrace (transport 4, protocol 7),
 * to a file or over TCP to a recorder. C11 or C++11; one header and one .c file. The manual is
 * tracekit_emit(3).
 *
 *     tke_start(NULL);                      does nothing unless TRACEKIT_EMIT is set
 *     { TKE_SCOPE("Tick"); work(); }
 *
 * TKE_LEVEL, defined before this header: 0 leaves nothing of it in the program, 1 all but values of scopes,
 * logs and own events, 2 (default) all. Text is UTF-8. Nothing here aborts, throws, or waits for the disk or
 * a peer.
 */
#ifndef TRACEKIT_EMIT_H
#define TRACEKIT_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <cstring>
#else
#include <string.h>
#endif

#define TKE_VERSION 0x00010000u
#ifndef TKE_LEVEL
#define TKE_LEVEL 2
#endif

#if defined(_WIN32) && defined(TKE_SHARED)
#ifdef TKE_BUILD
#define TKE_API __declspec(dllexport)
#else
#define TKE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TKE_API __attribute__((visibility("default")))
#else
#define TKE_API
#endif
#ifdef __GNUC__
#define TKE_UNUSED       __attribute__((unused))
#define TKE_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TKE_UNUSED
#define TKE_PRINTF(f, a)
#endif

/* Built-in channels; tke_channel() gives the bits of own ones. */
#define TKE_CPU      0x01u
#define TKE_FRAME    0x02u
#define TKE_COUNTERS 0x04u
#define TKE_REGION   0x08u
#define TKE_MARK     0x10u /* channel Bookmark */
#define TKE_LOGS     0x20u /* channel Log */
#define TKE_EVENTS   0x40u /* channel Events: own events */

enum { TKE_FATAL = 1, TKE_ERROR, TKE_WARNING, TKE_DISPLAY, TKE_INFO, TKE_VERBOSE, TKE_VERY_VERBOSE };
enum { TKE_PLAIN = 0, TKE_MEMORY = 1 }; /* how a counter is displayed */
enum { TKE_FIELDS = 32 };               /* of an own event at most */
enum { TKE_SYNC = 0, TKE_NOSYNC = 4 };  /* is an own event ordered among threads? */
enum { TKE_CRASH_FLUSH = 1, TKE_CLOCK_OS = 2, TKE_NO_ATEXIT = 4 }; /* flags of tke_options */
enum { TKE_OFF = 0, TKE_RUNNING = 1, TKE_BROKEN = 2 };             /* state of tke_info */

struct tke_options { /* zeroed = defaults; size = sizeof(struct tke_options), so that it may grow */
    uint32_t size;
    const char *target;         /* "out.utrace", "tcp://host[:1981]"; NULL: the variable TRACEKIT_EMIT */
    const char *channels;       /* "default,-log,net"; NULL: all built-in ones */
    uint64_t buffer_bytes;      /* for what is not yet written; 0: 64 MiB */
    uint32_t round_ms, stop_ms; /* 0: 10; 0: 1000, how long tke_stop may take */
    const char *app, *project, *branch, *build, *command_line;
    uint32_t changelist;
    uint32_t flags;
};

struct tke_info { /* of the present session, or of the last one */
    int state;    /* TKE_OFF, TKE_RUNNING, TKE_BROKEN: the file or the peer failed, what follows is lost */
    int os_error; /* why: errno, or the error of Windows */
    uint64_t bytes, scopes, lost_scopes, lost_events, cut_texts; /* handed over; dropped; shortened */
};

/* One place in a program. What it says is copied when it first runs. */
struct tke_site {
    uint32_t id; /* 0: not yet defined; of the library */
    uint32_t line;
    const char *name, *file, *format, *fields;
    uint32_t verbosity;
};

struct tke_counter {
    uint32_t id;
    uint8_t type, hint; /* 0 integers, 1 reals; TKE_PLAIN or TKE_MEMORY */
    const char *name;
};

/* A type of events: of each field its type, as in a declaration, and its name, behind all of which is a
 * space. */
struct tke_event {
    const char *logger, *name;
    uint8_t flags, n, fields[TKE_FIELDS + 1];
    const char *names;
    const uint16_t *offsets; /* of the values in their struct */
    uint32_t id;
};

struct tke_bytes {
    const void *data;
    size_t size;
};

struct tke_arg {
    int kind; /* 0 integer, 1 real, 2 text, 3 unsigned integer */
    size_t size;
    union tke_value {
        int64_t integer;
        double real;
        const char *text;
    } as;
};

#if TKE_LEVEL > 0

#ifdef __cplusplus
extern "C" {
#endif

TKE_API int
tke_start(const struct tke_options *options); /* 0 or errno; waits for nothing but connect (2 s) */
TKE_API void tke_stop(void);                  /* all recorded before is written, or stop_ms is over */
TKE_API int tke_flush(unsigned timeout_ms);   /* the same without the end; 0 or errno */
TKE_API void tke_get_info(struct tke_info *info);
TKE_API uint32_t tke_version(void); /* as TKE_VERSION */

TKE_API uint32_t tke_channel(const char *name);          /* a bit; at most 24 own ones, then 0 = never on */
TKE_API int tke_channel_set(const char *names, bool on); /* "cpu,frame"; number of channels found */

TKE_API uint32_t tke_name(const char *text, size_t size); /* 50,000 at most, then "(too many names)" */
TKE_API void tke_begin(uint32_t name);
TKE_API void tke_end(void);
TKE_API void tke_thread_name(const char *name, const char *group, int sort_hint); /* group may be NULL */
TKE_API void tke_frame_begin(int type);                                           /* 0 game, 1 rendering */
TKE_API void tke_frame_end(int type);
TKE_API void tke_counter_set(struct tke_counter *counter, int64_t value);
TKE_API void tke_counter_set_real(struct tke_counter *counter, double value);
TKE_API uint64_t tke_region_begin(const char *name, size_t size, const char *category);
TKE_API void tke_region_end(uint64_t region);
TKE_API void tke_log_text(const char *category, int verbosity, const char *text, size_t size);
TKE_API void tke_bookmark_text(const char *text, size_t size);

/* Of the macros. Those that end in _on expect that the channel is on. */
TKE_API extern uint32_t tke_channels_on;
TKE_API extern uint32_t tke_clock_tsc;
TKE_API uint64_t tke_now_os(void);
TKE_API uint32_t tke_scope_begin_on(struct tke_site *site); /* what tke_scope_end needs; 0: not recorded */
TKE_API uint32_t tke_scope_begin_meta_on(struct tke_site *site, const struct tke_arg *args, size_t n);
TKE_API void tke_scope_end(uint32_t begun);
TKE_API void tke_begin_site(struct tke_site *site);
TKE_API void tke_log_on(struct tke_site *site, const struct tke_arg *args, size_t n);
TKE_API void tke_bookmark_on(struct tke_site *site, const struct tke_arg *args, size_t n);
TKE_API void tke_send_on(struct tke_event *event, const void *values);

static inline bool tke_channel_on(uint32_t bits)
{
#ifdef __GNUC__
    return (__atomic_load_n(&tke_channels_on, __ATOMIC_RELAXED) & bits) != 0;
#else
    return (*(const volatile uint32_t *)&tke_channels_on & bits) != 0;
#endif
}

/* The clock of all that is recorded; it has a meaning while a session runs. */
static inline uint64_t tke_now(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return tke_clock_tsc ? __builtin_ia32_rdtsc() : tke_now_os();
#else
    return tke_now_os();
#endif
}

static inline void tke_check_format(const char *format, ...) TKE_PRINTF(1, 2);
static inline void tke_check_format(const char *format, ...)
{
    (void)format;
}
#ifdef __cplusplus
}
#endif

/* ---- arguments ---- */

static inline struct tke_arg tke_arg_integer(long long value)
{
    struct tke_arg arg;
    arg.kind = 0, arg.size = 0, arg.as.integer = value;
    return arg;
}

static inline struct tke_arg tke_arg_unsigned(unsigned long long value)
{
    struct tke_arg arg;
    arg.kind = 3, arg.size = 0, arg.as.integer = (int64_t)value;
    return arg;
}

static inline struct tke_arg tke_arg_real(double value)
{
    struct tke_arg arg;
    arg.kind = 1, arg.size = 0, arg.as.real = value;
    return arg;
}

static inline struct tke_arg tke_arg_text(const char *value)
{
    struct tke_arg arg;
    arg.kind = 2, arg.size = value ? strlen(value) : 0, arg.as.text = value;
    return arg;
}

static inline struct tke_arg tke_arg_pointer(const void *value)
{
    return tke_arg_unsigned((unsigned long long)(uintptr_t)value);
}

#ifdef __cplusplus
namespace tke
{
#define TKE_OVERLOAD_(type, kind)                                                                            \
    inline struct tke_arg arg(type v)                                                                        \
    {                                                                                                        \
        return tke_arg_##kind(v);                                                                            \
    }
TKE_OVERLOAD_(bool, unsigned)
TKE_OVERLOAD_(char, integer)
TKE_OVERLOAD_(signed char, integer)
TKE_OVERLOAD_(unsigned char, unsigned)
TKE_OVERLOAD_(short, integer)
TKE_OVERLOAD_(unsigned short, unsigned)
TKE_OVERLOAD_(int, integer)
TKE_OVERLOAD_(unsigned, unsigned)
TKE_OVERLOAD_(long, integer)
TKE_OVERLOAD_(unsigned long, unsigned)
TKE_OVERLOAD_(long long, integer)
TKE_OVERLOAD_(unsigned long long, unsigned)
TKE_OVERLOAD_(double, real)
TKE_OVERLOAD_(const char *, text)
TKE_OVERLOAD_(const void *, pointer)
#undef TKE_OVERLOAD_
template <typename T> auto arg(const T &v) -> decltype(v.data(), v.size(), tke_arg())
{
    struct tke_arg text = tke_arg_text(nullptr);
    text.size = v.size(), text.as.text = v.data();
    return text;
}
template <typename T> auto checked(const T &v, int) -> decltype(v.data(), v.size(), "")
{
    return "";
}
template <typename T> const T &checked(const T &v, long)
{
    return v;
}

class scope /* from here to the end of the block */
{
  public:
    explicit scope(uint32_t begun) noexcept : begun_(begun)
    {
    }
    ~scope()
    {
        if (begun_)
            tke_scope_end(begun_);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    uint32_t begun_;
};
} // namespace tke
#define TKE_ARG(x)     tke::arg(x)
#define TKE_CHECKED(x) tke::checked(x, 0)
#else
#define TKE_ARG(x)                                                                                           \
    _Generic((x), float: tke_arg_real, double: tke_arg_real, char *: tke_arg_text,                           \
        const char *: tke_arg_text, void *: tke_arg_pointer, const void *: tke_arg_pointer,                  \
        unsigned: tke_arg_unsigned, unsigned long: tke_arg_unsigned,                                         \
        unsigned long long: tke_arg_unsigned, default: tke_arg_integer)(x)
#define TKE_CHECKED(x) x
#endif

/* A format and 0 to 8 arguments, in C11 and C++11: TKE_EACH(F, ...) is ", F(a), F(b)" of all but the first.
 */
#define TKE_CAT_(a, b)                                    a##b
#define TKE_CAT(a, b)                                     TKE_CAT_(a, b)
#define TKE_TENTH_(a, b, c, d, e, f, g, h, i, tenth, ...) tenth
#define TKE_MORE(...)                                     TKE_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define TKE_FIRST_(first, ...)                            first
#define TKE_FIRST(...)                                    TKE_FIRST_(__VA_ARGS__, 0)
#define TKE_EACH(F, ...)                                  TKE_CAT(TKE_EACH_, TKE_MORE(__VA_ARGS__))(F, __VA_ARGS__)
#define TKE_EACH_0(F, f)
#define TKE_EACH_1(F, f, a)                      , F(a)
#define TKE_EACH_2(F, f, a, b)                   , F(a), F(b)
#define TKE_EACH_3(F, f, a, b, c)                , F(a), F(b), F(c)
#define TKE_EACH_4(F, f, a, b, c, d)             , F(a), F(b), F(c), F(d)
#define TKE_EACH_5(F, f, a, b, c, d, e)          , F(a), F(b), F(c), F(d), F(e)
#define TKE_EACH_6(F, f, a, b, c, d, e, g)       , F(a), F(b), F(c), F(d), F(e), F(g)
#define TKE_EACH_7(F, f, a, b, c, d, e, g, h)    , F(a), F(b), F(c), F(d), F(e), F(g), F(h)
#define TKE_EACH_8(F, f, a, b, c, d, e, g, h, i) , F(a), F(b), F(c), F(d), F(e), F(g), F(h), F(i)

#define TKE_SITE(variable, name, format, fields, verbosity)                                                  \
    static struct tke_site variable = {0, __LINE__, name, __FILE__, format, fields, verbosity}

/* Calls `what` with the site and the arguments behind the format; the compiler checks them. */
#define TKE_CALL(what, channel, name, verbosity, ...)                                                        \
    do {                                                                                                     \
        if (tke_channel_on(channel)) {                                                                       \
            TKE_SITE(tke_site_, name, TKE_FIRST(__VA_ARGS__), "", verbosity);                                \
            const struct tke_arg tke_args_[] = {tke_arg_integer(0) TKE_EACH(TKE_ARG, __VA_ARGS__)};          \
            if (0)                                                                                           \
                tke_check_format(TKE_FIRST(__VA_ARGS__) TKE_EACH(TKE_CHECKED, __VA_ARGS__));                 \
            what(&tke_site_, tke_args_ + 1, TKE_MORE(__VA_ARGS__));                                          \
        }                                                                                                    \
    } while (0)

/* ---- scopes ---- */

#define TKE_BEGIN(name)                                                                                      \
    do {                                                                                                     \
        TKE_SITE(tke_site_, name, "", "", 0);                                                                \
        tke_begin_site(&tke_site_);                                                                          \
    } while (0)
#define TKE_END() tke_end()

#ifdef __cplusplus
#define TKE_GUARD(n, begun) const tke::scope TKE_CAT(tke_guard_, n)(begun)
#elif defined(__GNUC__)
static inline void tke_guard_end_(const uint32_t *begun)
{
    if (*begun)
        tke_scope_end(*begun);
}
#define TKE_GUARD(n, begun)                                                                                  \
    const uint32_t TKE_CAT(tke_guard_, n) __attribute__((unused, cleanup(tke_guard_end_))) = (begun)
#endif

#ifdef TKE_GUARD
#define TKE_SCOPE_(n, on, name)                                                                              \
    TKE_SITE(TKE_CAT(tke_site_, n), name, "", "", 0);                                                        \
    TKE_GUARD(n, (on) ? tke_scope_begin_on(&TKE_CAT(tke_site_, n)) : 0)
#define TKE_SCOPE(name) TKE_SCOPE_(__COUNTER__, tke_channel_on(TKE_CPU), name)
#define TKE_SCOPE_ON(channel, name)                                                                          \
    TKE_SCOPE_(__COUNTER__, tke_channel_on(TKE_CPU) && tke_channel_on(channel), name)
#endif

#endif /* TKE_LEVEL > 0 */

#if TKE_LEVEL > 1 && defined(TKE_GUARD)
#define TKE_SCOPE_META_(n, name, fields, ...)                                                                \
    TKE_SITE(TKE_CAT(tke_site_, n), name, TKE_FIRST(__VA_ARGS__), fields, 0);                                \
    uint32_t TKE_CAT(tke_begun_, n) = 0;                                                                     \
    if (tke_channel_on(TKE_CPU)) {                                                                           \
        const struct tke_arg tke_args_[] = {tke_arg_integer(0) TKE_EACH(TKE_ARG, __VA_ARGS__)};              \
        if (0)                                                                                               \
            tke_check_format(TKE_FIRST(__VA_ARGS__) TKE_EACH(TKE_CHECKED, __VA_ARGS__));                     \
        TKE_CAT(tke_begun_, n) =                                                                             \
            tke_scope_begin_meta_on(&TKE_CAT(tke_site_, n), tke_args_ + 1, TKE_MORE(__VA_ARGS__));           \
    }                                                                                                        \
    TKE_GUARD(n, TKE_CAT(tke_begun_, n))
/* TKE_SCOPE_META(name, format, "Field,Field", values...) */
#define TKE_META_FORMAT_(n, name, format, fields, ...) TKE_SCOPE_META_(n, name, fields, format, __VA_ARGS__)
#define TKE_SCOPE_META(name, ...)                      TKE_META_FORMAT_(__COUNTER__, name, __VA_ARGS__)
#elif TKE_LEVEL > 0 && defined(TKE_GUARD)
#define TKE_SCOPE_META(name, ...) TKE_SCOPE(name)
#endif

#if TKE_LEVEL > 1
#define TKE_LOG(category, verbosity, ...) TKE_CALL(tke_log_on, TKE_LOGS, category, verbosity, __VA_ARGS__)
#else
#define TKE_LOG(category, verbosity, ...) ((void)0)
#endif

#if TKE_LEVEL > 0
#define TKE_BOOKMARK(...)                 TKE_CALL(tke_bookmark_on, TKE_MARK, "", 0, __VA_ARGS__)
#define TKE_COUNTER(variable, name, hint) static struct tke_counter variable TKE_UNUSED = {0, 0, hint, name}
#define TKE_COUNTER_REAL(variable, name, hint)                                                               \
    static struct tke_counter variable TKE_UNUSED = {0, 1, hint, name}
#endif

/* ---- own events ---- */

typedef bool tke_t_boolean;
typedef uint8_t tke_t_u8;
typedef uint16_t tke_t_u16;
typedef uint32_t tke_t_u32;
typedef uint64_t tke_t_u64;
typedef int8_t tke_t_i8;
typedef int16_t tke_t_i16;
typedef int32_t tke_t_i32;
typedef int64_t tke_t_i64;
typedef float tke_t_f32;
typedef double tke_t_f64;
typedef const char *tke_t_text; /* a field of 8-bit characters */
typedef const char *tke_t_wide; /* a field of UTF-16; the value is UTF-8 all the same */
typedef struct tke_bytes tke_t_bytes;
enum {
    tke_c_boolean = 0x00,
    tke_c_u8 = 0x00,
    tke_c_u16 = 0x01,
    tke_c_u32 = 0x02,
    tke_c_u64 = 0x03,
    tke_c_i8 = 0x10,
    tke_c_i16 = 0x11,
    tke_c_i32 = 0x12,
    tke_c_i64 = 0x13,
    tke_c_f32 = 0x42,
    tke_c_f64 = 0x43,
    tke_c_text = 0x88,
    tke_c_wide = 0x89,
    tke_c_bytes = 0x80
};

#if TKE_LEVEL > 1
#define TKE_MEMBER_(S, type, name) tke_t_##type name;
#define TKE_KIND_(S, type, name)   tke_c_##type,
#define TKE_NAME_(S, type, name)   #name " "
#define TKE_OFFSET_(S, type, name) (uint16_t) offsetof(struct S, name),
#define TKE_COUNT_(S, type, name)  +1
#define TKE_ARRAY_(S, type, name)  | (tke_c_##type >> 6 & 2)
#define TKE_EVENT(logger, event, flags, FIELDS)                                                              \
    struct tke_event_##logger##_##event {                                                                    \
        FIELDS(TKE_MEMBER_, )                                                                                \
    };                                                                                                       \
    static const uint16_t tke_offsets_##logger##_##event[] = {                                               \
        FIELDS(TKE_OFFSET_, tke_event_##logger##_##event) 0};                                                \
    static struct tke_event tke_type_##logger##_##event TKE_UNUSED = {#logger,                               \
                                                                      #event,                                \
                                                                      flags FIELDS(TKE_ARRAY_, ),            \
                                                                      0 FIELDS(TKE_COUNT_, ),                \
                                                                      {FIELDS(TKE_KIND_, ) 0},               \
                                                                      "" FIELDS(TKE_NAME_, ),                \
                                                                      tke_offsets_##logger##_##event,        \
                                                                      0}
#ifdef __GNUC__ /* C++ warns of fields that are left out, and of designators before C++20 */
#define TKE_QUIET_                                                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")        \
        _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define TKE_LOUD_ _Pragma("GCC diagnostic pop")
#else
#define TKE_QUIET_
#define TKE_LOUD_
#endif
#define TKE_SEND(logger, event, ...)                                                                         \
    do {                                                                                                     \
        if (tke_channel_on(TKE_EVENTS)) {                                                                    \
            TKE_QUIET_ const struct tke_event_##logger##_##event tke_values_ = {__VA_ARGS__};                \
            TKE_LOUD_ tke_send_on(&tke_type_##logger##_##event, &tke_values_);                               \
        }                                                                                                    \
    } while (0)
#else
#define TKE_EVENT(logger, event, flags, FIELDS) struct tke_event_##logger##_##event
#define TKE_SEND(logger, event, ...)            ((void)0)
#endif

/* ---- nothing at all: arguments are not evaluated, no symbol remains ---- */

#if TKE_LEVEL == 0
#ifdef __GNUC__
#define TKE_NONE_(used, value)                                                                               \
    __extension__({                                                                                          \
        (void)(used);                                                                                        \
        value;                                                                                               \
    })
#else
#define TKE_NONE_(used, value) ((void)(used), (value))
#endif
#define TKE_SCOPE(name)                        ((void)0)
#define TKE_SCOPE_ON(channel, name)            ((void)sizeof(channel))
#define TKE_SCOPE_META(name, ...)              ((void)0)
#define TKE_BEGIN(name)                        ((void)0)
#define TKE_END()                              ((void)0)
#define TKE_BOOKMARK(...)                      ((void)0)
#define TKE_COUNTER(variable, name, hint)      struct tke_counter_##variable
#define TKE_COUNTER_REAL(variable, name, hint) struct tke_counter_##variable

#define tke_start(options)                            TKE_NONE_(sizeof(options), 0)
#define tke_stop()                                    ((void)0)
#define tke_flush(timeout_ms)                         TKE_NONE_(sizeof(timeout_ms), 0)
#define tke_get_info(info)                            ((void)memset((info), 0, sizeof(struct tke_info)))
#define tke_version()                                 TKE_VERSION
#define tke_channel(name)                             TKE_NONE_(sizeof(name), (uint32_t)0)
#define tke_channel_set(names, on)                    TKE_NONE_(sizeof(names) + sizeof(on), 0)
#define tke_channel_on(bits)                          TKE_NONE_(sizeof(bits), false)
#define tke_name(text, size)                          TKE_NONE_(sizeof(text) + sizeof(size), (uint32_t)0)
#define tke_begin(name)                               ((void)sizeof(name))
#define tke_end()                                     ((void)0)
#define tke_thread_name(name, group, hint)            ((void)sizeof(name), (void)sizeof(group), (void)sizeof(hint))
#define tke_frame_begin(type)                         ((void)sizeof(type))
#define tke_frame_end(type)                           ((void)sizeof(type))
#define tke_counter_set(counter, value)               ((void)sizeof(value))
#define tke_counter_set_real(counter, value)          ((void)sizeof(value))
#define tke_region_begin(name, size, category)        TKE_NONE_(sizeof(name) + sizeof(size), (uint64_t)0)
#define tke_region_end(region)                        ((void)sizeof(region))
#define tke_log_text(category, verbosity, text, size) ((void)sizeof(text), (void)sizeof(size))
#define tke_bookmark_text(text, size)                 ((void)sizeof(text), (void)sizeof(size))
#define tke_now()                                     ((uint64_t)0)
#endif

#endif
