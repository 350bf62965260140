/*
 * File header of a .utrace: magic, metadata block, transport and protocol (wire 1).
 */
#ifndef TK_FORMAT_UTRACE_WIRE_HEADER_H
#define TK_FORMAT_UTRACE_WIRE_HEADER_H

#include "base/err.h"
#include "base/health/health.h"

#define TK_UT_TRANSPORT_RAW    1
#define TK_UT_TRANSPORT_PACKET 2
#define TK_UT_TRANSPORT_TID    3
#define TK_UT_TRANSPORT_SYNC   4

struct tk_ut_header {
    const char *magic; /* "ECRT", "2CRT" or "none"; static */
    uint8_t transport, protocol;
    bool has_port, has_session, has_trace;
    uint16_t control_port;
    uint8_t session_guid[16], trace_guid[16];
    uint32_t size; /* bytes up to the payload */
    /* Of a file in which a recording goes on: its number, from 2 on; where in the stream it goes on; how many
     * bytes behind the header repeat what is before. number 0: it says nothing of that. */
    struct {
        uint32_t number;
        uint64_t stream, repeated;
        uint16_t highest; /* thread so far */
    } piece;
};

/* The field of these numbers, which recorders of this project add; others skip what they do not know.
 */
enum { TK_UT_PIECE_FIELD = 0x54, TK_UT_PIECE_BYTES = 4 + 8 + 8 + 2 };

/* Longest header: magic, size, 65 535 bytes of metadata, two version bytes. */
#define TK_UT_HEADER_MAX (6 + 65535 + 2)

/* How sure that the bytes begin a .utrace: 0..100. */
int tk_ut_header_probe(const uint8_t *p, size_t n);

/* A sentence about a file that is not a .utrace but known by its first bytes, or NULL. */
const char *tk_ut_header_explain(const uint8_t *p, size_t n);

/* Parses the first n bytes of a file. Faults that can be read around are noted. TK_OK or TK_EFORMAT. */
int tk_ut_header_parse(struct tk_ut_header *h, const uint8_t *p, size_t n, struct tk_health *health,
                       struct tk_err *err);

/* Text of a GUID as the engine writes it: four words in upper-case hex; out has space for 33 bytes. */
void tk_ut_guid_text(char out[33], const uint8_t guid[16]);

#endif
