/*
 * The protocols of Tracy's releases: which event has which number, what differs by name, how questions are
 * numbered, and the record that a program greets with (tracy-live 1, 3, 5, 8). The session reads events with
 * it.
 */
#ifndef TK_LIVE_TRACY_STATE_PROTOCOL_H
#define TK_LIVE_TRACY_STATE_PROTOCOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The events that a Tracy program sends: their numbers in each protocol, and the bytes behind the number
 * (tracy-live 5). protocol.h makes tables of them.
 */

/*
 * X(name, number in protocol 63, 64, 66, 69, 74, 76, 82 or NA, form, bytes, since, more): `more` bytes more
 * from protocol `since` on. The form is FIXED; TEXT8, TEXT16 (a length, text); DATA16, DATA32 (8 bytes of a
 * pointer or id, a length, data); NEVER (only the number exists).
 */
/* clang-format off */
#define TK_TL_EVENTS(X) \
    X(zone_text,   0,   0,   0,   0,   0,   0,   0, FIXED, 0, 0, 0)                                      \
    X(zone_name,   1,   1,   1,   1,   1,   1,   1, FIXED, 0, 0, 0)                                      \
    X(message,   2,   2,   2,   2,   2,   2,   2, FIXED, 8, 77, 1)                                       \
    X(message_color,   3,   3,   3,   3,   3,   3,   3, FIXED, 11, 77, 1)                                \
    X(message_callstack,   4,   4,   4,   4,   4,   4,   4, FIXED, 8, 77, 1)                             \
    X(message_color_callstack,   5,   5,   5,   5,   5,   5,   5, FIXED, 11, 77, 1)                      \
    X(message_app_info,   6,   6,   6,   6,   6,   6,   6, FIXED, 8, 0, 0)                               \
    X(zone_begin_alloc_src_loc,   7,   7,   7,   7,   7,   7,   7, FIXED, 8, 0, 0)                       \
    X(zone_begin_alloc_src_loc_callstack,   8,   8,   8,   8,   8,   8,   8, FIXED, 8, 0, 0)             \
    X(callstack_serial,   9,   9,   9,   9,   9,   9,   9, FIXED, 0, 0, 0)                               \
    X(callstack,  10,  10,  10,  10,  10,  10,  10, FIXED, 0, 0, 0)                                      \
    X(callstack_alloc,  11,  11,  11,  11,  11,  11,  11, FIXED, 0, 0, 0)                                \
    X(callstack_sample,  12,  12,  12,  12,  12,  12,  12, FIXED, 12, 0, 0)                              \
    X(callstack_sample_32,  NA,  NA,  NA,  NA,  NA,  NA,  13, FIXED, 8, 0, 0)                            \
    X(callstack_sample_16,  NA,  NA,  NA,  NA,  NA,  NA,  14, FIXED, 6, 0, 0)                            \
    X(callstack_sample_context_switch,  13,  13,  13,  13,  13,  13,  15, FIXED, 12, 0, 0)               \
    X(callstack_sample_context_switch_32,  NA,  NA,  NA,  NA,  NA,  NA,  16, FIXED, 8, 0, 0)             \
    X(callstack_sample_context_switch_16,  NA,  NA,  NA,  NA,  NA,  NA,  17, FIXED, 6, 0, 0)             \
    X(frame_image,  14,  14,  14,  14,  14,  14,  18, FIXED, 9, 0, 0)                                    \
    X(zone_begin,  15,  15,  15,  15,  15,  15,  19, FIXED, 16, 0, 0)                                    \
    X(zone_begin_32,  NA,  NA,  NA,  NA,  NA,  NA,  20, FIXED, 12, 0, 0)                                 \
    X(zone_begin_16,  NA,  NA,  NA,  NA,  NA,  NA,  21, FIXED, 10, 0, 0)                                 \
    X(zone_begin_callstack,  16,  16,  16,  16,  16,  16,  22, FIXED, 16, 0, 0)                          \
    X(zone_begin_callstack_32,  NA,  NA,  NA,  NA,  NA,  NA,  23, FIXED, 12, 0, 0)                       \
    X(zone_begin_callstack_16,  NA,  NA,  NA,  NA,  NA,  NA,  24, FIXED, 10, 0, 0)                       \
    X(zone_end,  17,  17,  17,  17,  17,  17,  25, FIXED, 8, 0, 0)                                       \
    X(zone_end_32,  NA,  NA,  NA,  NA,  NA,  NA,  26, FIXED, 4, 0, 0)                                    \
    X(zone_end_16,  NA,  NA,  NA,  NA,  NA,  NA,  27, FIXED, 2, 0, 0)                                    \
    X(lock_wait,  18,  18,  18,  18,  18,  18,  28, FIXED, 16, 0, 0)                                     \
    X(lock_obtain,  19,  19,  19,  19,  19,  19,  29, FIXED, 16, 0, 0)                                   \
    X(lock_release,  20,  20,  20,  20,  20,  20,  30, FIXED, 12, 0, 0)                                  \
    X(lock_shared_wait,  21,  21,  21,  21,  21,  21,  31, FIXED, 16, 0, 0)                              \
    X(lock_shared_obtain,  22,  22,  22,  22,  22,  22,  32, FIXED, 16, 0, 0)                            \
    X(lock_shared_release,  23,  23,  23,  23,  23,  23,  33, FIXED, 16, 0, 0)                           \
    X(lock_name,  24,  24,  24,  24,  24,  24,  34, FIXED, 4, 0, 0)                                      \
    X(mem_alloc,  25,  25,  25,  25,  25,  25,  35, FIXED, 26, 0, 0)                                     \
    X(mem_alloc_named,  26,  26,  26,  26,  26,  26,  36, FIXED, 26, 0, 0)                               \
    X(mem_free,  27,  27,  27,  27,  27,  27,  37, FIXED, 20, 0, 0)                                      \
    X(mem_free_named,  28,  28,  28,  28,  28,  28,  38, FIXED, 20, 0, 0)                                \
    X(mem_alloc_callstack,  29,  29,  29,  29,  29,  29,  39, FIXED, 26, 0, 0)                           \
    X(mem_alloc_callstack_named,  30,  30,  30,  30,  30,  30,  40, FIXED, 26, 0, 0)                     \
    X(mem_free_callstack,  31,  31,  31,  31,  31,  31,  41, FIXED, 20, 0, 0)                            \
    X(mem_free_callstack_named,  32,  32,  32,  32,  32,  32,  42, FIXED, 20, 0, 0)                      \
    X(mem_discard,  NA,  NA,  NA,  NA,  33,  33,  43, FIXED, 20, 0, 0)                                   \
    X(mem_discard_callstack,  NA,  NA,  NA,  NA,  34,  34,  44, FIXED, 20, 0, 0)                         \
    X(gpu_zone_begin,  33,  33,  33,  33,  35,  35,  45, FIXED, 23, 0, 0)                                \
    X(gpu_zone_begin_callstack,  34,  34,  34,  34,  36,  36,  46, FIXED, 23, 0, 0)                      \
    X(gpu_zone_begin_alloc_src_loc,  35,  35,  35,  35,  37,  37,  47, FIXED, 15, 0, 0)                  \
    X(gpu_zone_begin_alloc_src_loc_callstack,  36,  36,  36,  36,  38,  38,  48, FIXED, 15, 0, 0)        \
    X(gpu_zone_end,  37,  37,  37,  37,  39,  39,  49, FIXED, 15, 0, 0)                                  \
    X(gpu_zone_begin_serial,  38,  38,  38,  38,  40,  40,  50, FIXED, 23, 0, 0)                         \
    X(gpu_zone_begin_callstack_serial,  39,  39,  39,  39,  41,  41,  51, FIXED, 23, 0, 0)               \
    X(gpu_zone_begin_alloc_src_loc_serial,  40,  40,  40,  40,  42,  42,  52, FIXED, 15, 0, 0)           \
    X(gpu_zone_begin_alloc_src_loc_callstack_serial,  41,  41,  41,  41,  43,  43,  53, FIXED, 15, 0, 0) \
    X(gpu_zone_end_serial,  42,  42,  42,  42,  44,  44,  54, FIXED, 15, 0, 0)                           \
    X(plot_data_int,  43,  43,  43,  43,  45,  45,  55, FIXED, 24, 0, 0)                                 \
    X(plot_data_float,  44,  44,  44,  44,  46,  46,  56, FIXED, 20, 0, 0)                               \
    X(plot_data_double,  45,  45,  45,  45,  47,  47,  57, FIXED, 24, 0, 0)                              \
    X(context_switch,  46,  46,  46,  46,  48,  48,  58, FIXED, 19, 73, 3)                               \
    X(thread_wakeup,  47,  47,  47,  47,  49,  49,  59, FIXED, 12, 73, 3)                                \
    X(gpu_time,  48,  48,  48,  48,  50,  50,  60, FIXED, 11, 0, 0)                                      \
    X(gpu_context_name,  49,  49,  49,  49,  51,  51,  61, FIXED, 1, 0, 0)                               \
    X(gpu_annotation_name,  NA,  NA,  NA,  NA,  NA,  52,  62, FIXED, 9, 0, 0)                            \
    X(callstack_frame_size,  50,  50,  50,  50,  52,  53,  63, FIXED, 9, 0, 0)                           \
    X(symbol_information,  51,  51,  51,  51,  53,  54,  64, FIXED, 12, 0, 0)                            \
    X(external_name_metadata,  52,  52,  52,  52,  54,  55,  65, NEVER, 0, 0, 0)                         \
    X(symbol_code_metadata,  53,  53,  53,  53,  55,  56,  66, NEVER, 0, 0, 0)                           \
    X(source_code_metadata,  54,  54,  54,  54,  56,  57,  67, NEVER, 0, 0, 0)                           \
    X(fiber_enter,  55,  55,  55,  55,  57,  58,  68, FIXED, 20, 68, 4)                                  \
    X(fiber_leave,  56,  56,  56,  56,  58,  59,  69, FIXED, 12, 0, 0)                                   \
    X(section_enter,  NA,  NA,  NA,  NA,  NA,  NA,  70, FIXED, 14, 0, 0)                                 \
    X(section_leave,  NA,  NA,  NA,  NA,  NA,  NA,  71, FIXED, 12, 0, 0)                                 \
    X(section_setup,  NA,  NA,  NA,  NA,  NA,  NA,  72, FIXED, 2, 0, 0)                                  \
    X(terminate,  57,  57,  57,  57,  59,  60,  73, FIXED, 0, 0, 0)                                      \
    X(keep_alive,  58,  58,  58,  58,  60,  61,  74, FIXED, 0, 0, 0)                                     \
    X(thread_context,  59,  59,  59,  59,  61,  62,  75, FIXED, 4, 0, 0)                                 \
    X(gpu_calibration,  60,  60,  60,  60,  62,  63,  76, FIXED, 25, 0, 0)                               \
    X(gpu_time_sync,  NA,  NA,  61,  61,  63,  64,  77, FIXED, 17, 0, 0)                                 \
    X(crash,  61,  61,  62,  62,  64,  65,  78, FIXED, 0, 0, 0)                                          \
    X(crash_report,  62,  62,  63,  63,  65,  66,  79, FIXED, 16, 0, 0)                                  \
    X(zone_validation,  63,  63,  64,  64,  66,  67,  80, FIXED, 4, 0, 0)                                \
    X(zone_color,  64,  64,  65,  65,  67,  68,  81, FIXED, 3, 0, 0)                                     \
    X(zone_value,  65,  65,  66,  66,  68,  69,  82, FIXED, 8, 0, 0)                                     \
    X(frame_mark_msg,  66,  66,  67,  67,  69,  70,  83, FIXED, 16, 0, 0)                                \
    X(frame_mark_msg_start,  67,  67,  68,  68,  70,  71,  84, FIXED, 16, 0, 0)                          \
    X(frame_mark_msg_end,  68,  68,  69,  69,  71,  72,  85, FIXED, 16, 0, 0)                            \
    X(frame_vsync,  69,  69,  70,  70,  72,  73,  86, FIXED, 12, 0, 0)                                   \
    X(source_location,  70,  70,  71,  71,  73,  74,  87, FIXED, 31, 0, 0)                               \
    X(lock_announce,  71,  71,  72,  72,  74,  75,  88, FIXED, 21, 0, 0)                                 \
    X(lock_terminate,  72,  72,  73,  73,  75,  76,  89, FIXED, 12, 0, 0)                                \
    X(lock_mark,  73,  73,  74,  74,  76,  77,  90, FIXED, 16, 0, 0)                                     \
    X(message_literal,  74,  74,  75,  75,  77,  78,  91, FIXED, 16, 0, 0)                               \
    X(message_literal_color,  75,  75,  76,  76,  78,  79,  92, FIXED, 19, 0, 0)                         \
    X(message_literal_callstack,  76,  76,  77,  77,  79,  80,  93, FIXED, 16, 0, 0)                     \
    X(message_literal_color_callstack,  77,  77,  78,  78,  80,  81,  94, FIXED, 19, 0, 0)               \
    X(gpu_new_context,  78,  78,  79,  79,  81,  82,  95, FIXED, 27, 0, 0)                               \
    X(callstack_frame,  79,  79,  80,  80,  82,  83,  96, FIXED, 16, 0, 0)                               \
    X(sys_time_report,  80,  80,  81,  81,  83,  84,  97, FIXED, 12, 0, 0)                               \
    X(sys_power_report,  NA,  81,  82,  82,  84,  85,  98, FIXED, 24, 0, 0)                              \
    X(tid_to_pid,  81,  82,  83,  83,  85,  86,  99, FIXED, 16, 0, 0)                                    \
    X(hw_sample_cpu_cycle,  82,  83,  84,  84,  86,  87, 100, FIXED, 16, 0, 0)                           \
    X(hw_sample_instruction_retired,  83,  84,  85,  85,  87,  88, 101, FIXED, 16, 0, 0)                 \
    X(hw_sample_cache_reference,  84,  85,  86,  86,  88,  89, 102, FIXED, 16, 0, 0)                     \
    X(hw_sample_cache_miss,  85,  86,  87,  87,  89,  90, 103, FIXED, 16, 0, 0)                          \
    X(hw_sample_branch_retired,  86,  87,  88,  88,  90,  91, 104, FIXED, 16, 0, 0)                      \
    X(hw_sample_branch_miss,  87,  88,  89,  89,  91,  92, 105, FIXED, 16, 0, 0)                         \
    X(plot_config,  88,  89,  90,  90,  92,  93, 106, FIXED, 15, 0, 0)                                   \
    X(param_setup,  89,  90,  91,  91,  93,  94, 107, FIXED, 17, 0, 0)                                   \
    X(ack_server_query_noop,  90,  91,  92,  92,  94,  95, 108, FIXED, 0, 0, 0)                          \
    X(ack_source_code_not_available,  91,  92,  93,  93,  95,  96, 109, FIXED, 4, 0, 0)                  \
    X(ack_symbol_code_not_available,  92,  93,  94,  94,  96,  97, 110, FIXED, 0, 0, 0)                  \
    X(cpu_topology,  93,  94,  95,  95,  97,  98, 111, FIXED, 12, 69, 4)                                 \
    X(single_string_data,  94,  95,  96,  96,  98,  99, 112, TEXT16, 0, 0, 0)                            \
    X(second_string_data,  95,  96,  97,  97,  99, 100, 113, TEXT16, 0, 0, 0)                            \
    X(single_string_data_8,  NA,  NA,  NA,  NA,  NA,  NA, 114, TEXT8, 0, 0, 0)                           \
    X(second_string_data_8,  NA,  NA,  NA,  NA,  NA,  NA, 115, TEXT8, 0, 0, 0)                           \
    X(mem_name_payload,  96,  97,  98,  98, 100, 101, 116, FIXED, 8, 0, 0)                               \
    X(thread_group_hint,  NA,  NA,  NA,  99, 101, 102, 117, FIXED, 8, 0, 0)                              \
    X(gpu_zone_annotation,  NA,  NA,  NA,  NA,  NA, 103, 118, FIXED, 23, 0, 0)                           \
    X(string_data,  97,  98,  99, 100, 102, 104, 119, DATA16, 0, 0, 0)                                   \
    X(thread_name,  98,  99, 100, 101, 103, 105, 120, DATA16, 0, 0, 0)                                   \
    X(plot_name,  99, 100, 101, 102, 104, 106, 121, DATA16, 0, 0, 0)                                     \
    X(source_location_payload, 100, 101, 102, 103, 105, 107, 122, DATA16, 0, 0, 0)                       \
    X(callstack_payload, 101, 102, 103, 104, 106, 108, 123, DATA16, 0, 0, 0)                             \
    X(callstack_alloc_payload, 102, 103, 104, 105, 107, 109, 124, DATA16, 0, 0, 0)                       \
    X(frame_name, 103, 104, 105, 106, 108, 110, 125, DATA16, 0, 0, 0)                                    \
    X(frame_image_data, 104, 105, 106, 107, 109, 111, 126, DATA32, 0, 0, 0)                              \
    X(external_name, 105, 106, 107, 108, 110, 112, 127, DATA16, 0, 0, 0)                                 \
    X(external_thread_name, 106, 107, 108, 109, 111, 113, 128, DATA16, 0, 0, 0)                          \
    X(symbol_code, 107, 108, 109, 110, 112, 114, 129, DATA32, 0, 0, 0)                                   \
    X(source_code, 108, 109, 110, 111, 113, 115, 130, DATA32, 0, 0, 0)                                   \
    X(fiber_name, 109, 110, 111, 112, 114, 116, 131, DATA16, 0, 0, 0)
/* clang-format on */

enum tk_tl_event {
#define TK_TL_EVENT_SYMBOL(name, a, b, c, d, e, f, g, form, size, since, more) TK_TL_##name,
    TK_TL_EVENTS(TK_TL_EVENT_SYMBOL)
#undef TK_TL_EVENT_SYMBOL
        TK_TL_EVENT_COUNT
};

enum tk_tl_form {
    TK_TL_UNKNOWN, /* no event has this number */
    TK_TL_FIXED,
    TK_TL_TEXT8,
    TK_TL_TEXT16,
    TK_TL_DATA16,
    TK_TL_DATA32,
    TK_TL_NEVER
};

struct tk_tl_type {
    uint8_t form, size, event; /* size: of the fixed form */
};

struct tk_tl_protocol {
    unsigned number;
    uint32_t file_version; /* of the file that is written: the oldest release with this protocol */
    bool has_delay, external_name_first, wide_switch, message_meta, short_times, short_strings;
    bool old_frame_ends;   /* a frame end of an unknown set makes the set */
    bool old_sample_times; /* samples do not raise the last time */
    bool hex_values;       /* values of zones are reported in hexadecimal, too */
    bool code_for_sources; /* source files are only there with the transfer of code */
    bool implicit_frees;   /* an allocation may take the place of another */
    struct tk_tl_type types[256];
};

/* The protocols that are read, the newest first. */
enum { TK_TL_PROTOCOLS = 7 };
extern const unsigned tk_tl_protocols[TK_TL_PROTOCOLS];

/* false: it is none that is read. */
bool tk_tl_protocol_set(struct tk_tl_protocol *p, unsigned number);

/* Which releases of Tracy speak it, as text ("0.12.0 to 0.12.2"); NULL: none that is known. Static. */
const char *tk_tl_releases(unsigned number);

/* ---- questions ---- */

enum tk_tl_question {
    TK_TL_ASK_TERMINATE,
    TK_TL_ASK_STRING,
    TK_TL_ASK_THREAD,
    TK_TL_ASK_LOCATION,
    TK_TL_ASK_PLOT,
    TK_TL_ASK_FRAME_SET,
    TK_TL_ASK_PARAMETER,
    TK_TL_ASK_FIBER,
    TK_TL_ASK_EXTERNAL,
    TK_TL_ASK_DISCONNECT,
    TK_TL_ASK_CODE_FRAME,
    TK_TL_ASK_SYMBOL,
    TK_TL_ASK_CODE,
    TK_TL_ASK_SOURCE,
    TK_TL_ASK_DATA,
    TK_TL_ASK_DATA_PART
};

enum { TK_TL_QUESTION_BYTES = 13 };

/* Is it requested before others? */
static inline bool tk_tl_is_name(enum tk_tl_question q)
{
    return q < TK_TL_ASK_DISCONNECT;
}

void tk_tl_question_put(const struct tk_tl_protocol *p, uint8_t out[TK_TL_QUESTION_BYTES],
                        enum tk_tl_question question, uint64_t pointer, uint32_t extra);

/* ---- the greeting ---- */

enum {
    TK_TL_HELLO_BYTES = 12,    /* from us: mark and protocol */
    TK_TL_WELCOME_MOST = 1178, /* the larger of the two records */
    TK_TL_ON_DEMAND_BYTES = 16,
    TK_TL_BLOCK_MOST = 262144,  /* bytes of a block */
    TK_TL_PACKED_MOST = 263188, /* and of a packed one */
    TK_TL_HISTORY = 65536       /* bytes before a block that it may refer to */
};

/* What the program answers to the mark. */
enum { TK_TL_WELCOME = 1, TK_TL_OTHER_PROTOCOL = 2, TK_TL_NOT_AVAILABLE = 3 };

enum { TK_TL_ON_DEMAND = 1, TK_TL_IGNORE_MEMORY = 2, TK_TL_CODE_TRANSFER = 4, TK_TL_COMBINE_SAMPLES = 8 };

struct tk_tl_welcome {
    double period;              /* ns of a tick */
    int64_t base, init_end;     /* ticks */
    uint64_t delay, resolution; /* ticks */
    uint64_t epoch, exec_time, pid;
    int64_t sampling;
    uint8_t flags, arch, manufacturer[12];
    uint32_t cpu_id;
    char program[65], host[1025]; /* with their NUL */
    uint64_t frame_offset;        /* of the on-demand record */
    int64_t now;
};

void tk_tl_hello_put(uint8_t out[TK_TL_HELLO_BYTES], unsigned protocol);
size_t tk_tl_welcome_bytes(const struct tk_tl_protocol *p);
void tk_tl_welcome_read(struct tk_tl_welcome *w, const struct tk_tl_protocol *p, const uint8_t *bytes);
void tk_tl_on_demand_read(struct tk_tl_welcome *w, const uint8_t bytes[TK_TL_ON_DEMAND_BYTES]);

/*
 * Bytes of a program, in pieces of any size, cut into its answer, its greeting and unpacked blocks of events
 * (tracy-live 3, 4). The recorder feeds it from the connection.
 */

enum tk_tl_stream_state {
    TK_TL_AT_ANSWER,
    TK_TL_AT_WELCOME,
    TK_TL_AT_ON_DEMAND,
    TK_TL_AT_SIZE,
    TK_TL_AT_BLOCK,
    TK_TL_REFUSED /* see `answer` */
};

/* What takes what was cut off; each returns TK_OK or what tk_tl_stream_feed is to return. */
struct tk_tl_stream_taker {
    void *ctx; /* borrowed */
    int (*welcome)(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err);
    int (*block)(void *ctx, const uint8_t *p, size_t n, struct tk_err *err);
};

struct tk_tl_stream {
    const struct tk_tl_protocol *protocol; /* borrowed */
    enum tk_tl_stream_state state;
    uint8_t answer;
    struct tk_tl_welcome welcome;
    size_t want, got;              /* bytes of what comes next, and of them in `space` */
    uint8_t *capacity;             /* owned: TK_TL_PACKED_MOST */
    uint8_t *unpacked;             /* owned: blocks one after the other */
    size_t at;                     /* where the next one goes */
    uint64_t blocks, bytes, taken; /* taken: bytes of whole blocks */
};

/* TK_OK or TK_ENOMEM. Release in any case. */
int tk_tl_stream_begin(struct tk_tl_stream *s, const struct tk_tl_protocol *protocol, struct tk_err *err);
void tk_tl_stream_release(struct tk_tl_stream *s);

/* Is it at the end of a block? Then, and of one that has its history, it goes on with the size of the next.
 */
static inline bool tk_tl_stream_is_between(const struct tk_tl_stream *s)
{
    return s->state == TK_TL_AT_SIZE && s->got == 0;
}

/* Bytes up to the end of its last whole block. */
static inline uint64_t tk_tl_stream_whole(const struct tk_tl_stream *s)
{
    return s->bytes - s->got - (s->state == TK_TL_AT_BLOCK ? 4 : 0);
}

void tk_tl_stream_resume(struct tk_tl_stream *s);

/* Takes n bytes. TK_OK; TK_EFORMAT: no Tracy program sends this; TK_ECANCELED: refused, see `answer`; or what
 * the taker returned. */
int tk_tl_stream_feed(struct tk_tl_stream *s, const uint8_t *p, size_t n,
                      const struct tk_tl_stream_taker *taker, struct tk_err *err);

#endif
