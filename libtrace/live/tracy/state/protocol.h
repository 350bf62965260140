/*
 * The protocols of Tracy's releases: which event has which number, what differs by name, how questions are
 * numbered, and the record that a program greets with (tracy-live 1, 3, 5, 8). The session reads events with
 * it.
 */
#ifndef TK_LIVE_TRACY_WIRE_PROTOCOL_H
#define TK_LIVE_TRACY_WIRE_PROTOCOL_H

#include "live/tracy/state/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool hex_values;       /* values of zones are told in hexadecimal, too */
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

/* Is it asked before others? */
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

#endif
