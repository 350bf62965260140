/*
 * Declarations and events: the middle layer of the writer.
 *
 * A lane is the byte stream of one tid. Events are appended to it, and packets are cut off its front at
 * record borders (or where the caller says). How an event is framed follows from the protocol and the tid:
 *
 *   protocol 0        u16 uid | 0x4000 if important, u16 size                        wire 3.2
 *   protocol 1        u16 uid, u16 size [u16 serial]                                 wire 3.3
 *   protocols 2, 3    u16 uid, u16 size [u24 serial]                                 wire 3.3
 *   protocol 4        u16 uid * 2 + 1, u16 size [u24 serial]                         wire 3.4
 *   protocols 5 to 7  u16 uid * 2 + 1 [u24 serial]                                   wire 3.5
 *     tids 0 and 1    u16 uid, u16 size                                              wire 3.6
 *
 * One event is written as tk_uw_begin, the scalar fields with tk_uw_u32 and its like on lane->pending,
 * tk_uw_value for arrays and strings, tk_uw_end. In protocols 5 to 7 complete events may be written between
 * the values of another one.
 */
#ifndef TK_FORMAT_UTRACE_WRITE_LANES_H
#define TK_FORMAT_UTRACE_WRITE_LANES_H

#include "format/utrace/write/packets.h"

enum { TK_UW_IMPORTANT = 1, TK_UW_AUX = 2, TK_UW_NOSYNC = 4, TK_UW_DEFINITION = 8 };

enum { TK_UW_REGULAR, TK_UW_REFERENCE, TK_UW_DEFINITION_ID };

/* Type codes (wire 3.9). */
enum {
    TK_UW_U8 = 0x00,
    TK_UW_U16,
    TK_UW_U32,
    TK_UW_U64,
    TK_UW_I8 = 0x10,
    TK_UW_I16,
    TK_UW_I32,
    TK_UW_I64,
    TK_UW_F32 = 0x42,
    TK_UW_F64,
    TK_UW_U8S = 0x80,
    TK_UW_U16S,
    TK_UW_U32S,
    TK_UW_U64S,
    TK_UW_ANSI = 0x88,
    TK_UW_WIDE,
    TK_UW_I8S = 0x90,
    TK_UW_I16S,
    TK_UW_I32S,
    TK_UW_I64S,
    TK_UW_F32S = 0xc2,
    TK_UW_F64S,
};

struct tk_uw_field {
    const char *name; /* not used for TK_UW_DEFINITION_ID */
    uint8_t type;
    uint8_t family;
    uint16_t refers_to; /* uid of the definition type, for TK_UW_REFERENCE */
};

/* A declared event type. Everything is borrowed and must stay as long as the type is used. */
struct tk_uw_type {
    const char *logger;
    const char *event;
    const struct tk_uw_field *fields;
    uint8_t field_count;
    uint8_t flags;
    uint16_t uid;
};

/* The members `fields` and `field_count` from an array. */
#define TK_UW_FIELDS(array) .fields = (array), .field_count = sizeof(array) / sizeof((array)[0])

/* Bytes of the scalar fields together. */
size_t tk_uw_type_size(const struct tk_uw_type *type);

/* Appends the body of a declaration: record A before protocol 6, record B from there, padded to even from 7
 * on. */
void tk_uw_declaration(struct tk_uw_bytes *bytes, uint8_t protocol, const struct tk_uw_type *type);

/* What all lanes of a capture share. */
struct tk_uw_stream {
    struct tk_uw_packets packets;
    uint8_t protocol;
    uint32_t serial; /* of the next synchronised event; the wire takes its low bits */
};

enum { TK_UW_PACKET_USUAL = 4036, TK_UW_REPLAY = 1024 };

struct tk_uw_lane {
    struct tk_uw_stream *stream; /* borrowed */
    struct tk_uw_bytes pending;  /* not yet in a packet; scalar fields are appended here */
    size_t border;               /* bytes of pending that are whole records */
    size_t limit;                /* a packet is cut when more bytes are pending; TK_UW_PACKET_USUAL */
    size_t blob_max;             /* pieces of a value are no longer than this; 0: only cut at packet ends */
    bool anywhere;               /* cut packets of exactly `limit` bytes, with no regard for records */
    bool sizeless;               /* the size of the event being written is not filled in yet */
    uint8_t framing;
    uint16_t tid;
    size_t size_at; /* where that size stands */
    uint64_t stamp; /* protocols 4 to 6: the last scope stamp, cycles since the start */
};

void tk_uw_lane_init(struct tk_uw_lane *lane, struct tk_uw_stream *stream, uint16_t tid);

/* Frees the lane. What is still pending is lost: tk_uw_lane_flush first. */
void tk_uw_lane_release(struct tk_uw_lane *lane);

/* Sends everything pending. */
void tk_uw_lane_flush(struct tk_uw_lane *lane);

/* Sends the first `size` pending bytes as one packet, whatever they are; `flags` is 0 or TK_UW_PARTIAL. */
void tk_uw_lane_cut(struct tk_uw_lane *lane, size_t size, uint16_t flags);

/* Says that the pending bytes end with a whole record, and sends a packet when they are many. */
void tk_uw_lane_mark(struct tk_uw_lane *lane);

/* Writes a declaration as an event of this lane. Protocols 1 and 2 use up a serial for it. */
void tk_uw_declare(struct tk_uw_lane *lane, const struct tk_uw_type *type);

/* Begins an event; a synchronised one takes the stream's next serial. */
void tk_uw_begin(struct tk_uw_lane *lane, const struct tk_uw_type *type);

/* Begins an event with a given serial; the stream's own count stays. */
void tk_uw_begin_serial(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint32_t serial);

/*
 * Writes the value of the array or string field `index`, in several pieces where the packet ends. Nothing at
 * all is written for an empty value on a thread of protocols 5 to 7, as emitters do. In protocol 0 the bytes
 * are attached.
 */
void tk_uw_value(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const void *data,
                 size_t size);

/* The same for an array of numbers of this machine. */
void tk_uw_value_numbers(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index,
                         const void *numbers, size_t size);

/* Writes one piece of a value as it is, also an empty one. */
void tk_uw_blob(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const void *data,
                size_t size);

/* Ends the event: fills in its size and closes its values if the type may have some. */
void tk_uw_end(struct tk_uw_lane *lane, const struct tk_uw_type *type);

/*
 * Writes a whole event of a thread of protocols 5 to 7 again: n bytes from its code to the end of its values,
 * of which `fixed` are its scalar fields. It gets this serial number where it has one.
 */
void tk_uw_event_copy(struct tk_uw_lane *lane, const struct tk_uw_type *type, const uint8_t *p, size_t n,
                      size_t fixed, uint32_t serial);

/*
 * Scope records of protocols 4 to 7. `cycle` counts from the start of the clock; the stamped forms write what
 * the protocol wants: the difference to the lane's last stamp (4 to 6) or the cycle itself (7).
 */
void tk_uw_enter(struct tk_uw_lane *lane);
void tk_uw_leave(struct tk_uw_lane *lane);
void tk_uw_enter_at(struct tk_uw_lane *lane, uint64_t cycle);
void tk_uw_leave_at(struct tk_uw_lane *lane, uint64_t cycle);

/* Scope records with the clock's own value; protocol 7 only. */
void tk_uw_enter_absolute(struct tk_uw_lane *lane, uint64_t cycle);
void tk_uw_leave_absolute(struct tk_uw_lane *lane, uint64_t cycle);

#endif
