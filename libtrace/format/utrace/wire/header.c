/*
 * File header. Layout (wire 1):
 *
 *   "ECRT"                                  u8 transport, u8 protocol
 *   "2CRT"  u16 size, size bytes of fields  u8 transport, u8 protocol      field: u8 size, u8 id, data
 *   (none)  01 00 00 00: transport 1 and protocol 0 are the first two bytes themselves
 */
#include "format/utrace/wire/header.h"

#include "base/cursor.h"
#include "format/utrace/wire/packet_reader.h"
#include "format/utrace/wire/wire_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Records of a raw packet, by their sizes.
 */

static void reach(struct tk_ut_raw_records *r, size_t at)
{
    if (at <= r->n)
        r->ends[at] = true;
}

/* Behind array data and its terminal, where those stand at a place. */
static void reach_behind_blobs(struct tk_ut_raw_records *r, size_t at)
{
    while (at + 4 <= r->n && r->p[at] & 0x80)
        at += 4 + (size_t)(tk_load32(r->p + at) >> 8);
    if (at < r->n && !r->p[at])
        reach(r, at + 1);
}

/* Behind a record that states its size at a place, with `serial` bytes of a number or without. */
static void reach_behind_sized(struct tk_ut_raw_records *r, size_t at, size_t serial)
{
    if (at + 2 > r->n)
        return;
    size_t end = at + 2 + tk_load16(r->p + at);
    reach(r, end);
    reach(r, end + serial);
    reach_behind_blobs(r, end);
    reach_behind_blobs(r, end + serial);
}

/* Protocol 4: records of scopes have no size. */
static void reach_behind_coded(struct tk_ut_raw_records *r, size_t at)
{
    uint8_t code = r->p[at];
    if (code == 2 || code == 6)
        reach(r, at + 1);
    if (code == 4 || code == 8)
        reach(r, at + 8);
    if (code & 1)
        reach_behind_sized(r, at + 2, 3);
}

void tk_ut_raw_records_find(struct tk_ut_raw_records *r, uint8_t protocol, const uint8_t *p, size_t n)
{
    bool known = protocol >= 1 && protocol <= 4;
    *r = (struct tk_ut_raw_records){.p = p, .n = n < TK_UT_RAW_RECORDS_MOST ? n : TK_UT_RAW_RECORDS_MOST};
    r->ends[0] = known;
    for (size_t at = 0; at < r->n; at++) {
        if (!r->ends[at])
            continue;
        if (protocol == 4)
            reach_behind_coded(r, at);
        else
            reach_behind_sized(r, at + 2, protocol == 1 ? 2 : 3);
    }
}

/*
 * Repeated packets.
 */

/* A few bytes of a packet that tell most packets apart; 0 for those too short to judge. */
static uint64_t sample_of(const struct tk_ut_read_packet *packet, const uint8_t *raw)
{
    uint32_t n = packet->head.stored;
    return n < 24 ? 0 : tk_load64(raw + n - 8) ^ tk_load64(raw + n / 2) * 3;
}

bool tk_ut_repeated(const struct tk_context *ctx, const struct tk_ut_previous *before,
                    const struct tk_ut_read_packet *packet, const uint8_t *raw)
{
    size_t got = 0, n = packet->head.stored;
    uint64_t sample = sample_of(packet, raw);
    if (!before->synced || before->stored != n || before->sample != sample || !sample)
        return false;
    uint8_t *old = malloc(n);
    bool same = old && tk_file_read(ctx->file, before->offset, old, n, &got, NULL) == TK_OK && got == n &&
                memcmp(old, raw, n) == 0;
    free(old);
    return same;
}

void tk_ut_repeat_note(struct tk_context *ctx, struct tk_health *health,
                       const struct tk_ut_read_packet *packet)
{
    tk_health_move(&ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_SKIPPED, tk_ut_packet_stored(packet));
    tk_health_note(health, TK_HEALTH_PACKET_DUPLICATE, packet->head.offset, 1,
                   "a packet of thread %u occurs twice; the copy was dropped", packet->head.tid);
}

struct tk_ut_previous tk_ut_remember(const struct tk_ut_read_packet *packet, const uint8_t *raw, bool synced)
{
    return (struct tk_ut_previous){packet->head.offset, sample_of(packet, raw), packet->head.stored, synced};
}

enum { FIELD_PORT = 0, FIELD_SESSION = 1, FIELD_TRACE = 2 };

static bool versions_valid(uint8_t transport, uint8_t protocol)
{
    if (transport == TK_UT_TRANSPORT_RAW || transport == TK_UT_TRANSPORT_PACKET)
        return protocol == 0;
    return (transport == TK_UT_TRANSPORT_TID || transport == TK_UT_TRANSPORT_SYNC) && protocol >= 1 &&
           protocol <= 7;
}

static bool no_magic(const uint8_t *p, size_t n)
{
    return n >= 4 && memcmp(p, "\1\0\0\0", 4) == 0;
}

int tk_ut_header_probe(const uint8_t *p, size_t n)
{
    if (n >= 4 && (memcmp(p, "2CRT", 4) == 0 || memcmp(p, "ECRT", 4) == 0))
        return 100;
    return no_magic(p, n) ? 60 : 0;
}

const char *tk_ut_header_explain(const uint8_t *p, size_t n)
{
    if (n >= 4 && (memcmp(p, "TRCE", 4) == 0 || memcmp(p, "TRC2", 4) == 0))
        return "a big-endian Unreal trace, which is not supported";
    if (n >= 4 && memcmp(p + 1, "CRT", 3) == 0 && p[0] >= '3' && p[0] <= '9')
        return "a newer Unreal trace container than this program knows";
    if (n >= 3 && p[0] == 0x16 && p[1] == 3)
        return "a capture of a TLS connection, not a trace";
    if (n > 0 && n < 4 && (memcmp(p, "2CRT", n) == 0 || memcmp(p, "ECRT", n) == 0))
        return "cut off inside the header of an Unreal trace";
    return NULL;
}

static void take_field(struct tk_ut_header *h, uint8_t id, const uint8_t *p, size_t n)
{
    if (id == FIELD_PORT && n == 2) {
        h->control_port = tk_load16(p);
        h->has_port = true;
    } else if (id == FIELD_SESSION && n == 16) {
        memcpy(h->session_guid, p, 16);
        h->has_session = true;
    } else if (id == FIELD_TRACE && n == 16) {
        memcpy(h->trace_guid, p, 16);
        h->has_trace = true;
    } else if (id == TK_UT_PIECE_FIELD && n == TK_UT_PIECE_BYTES) {
        h->piece.number = tk_load32(p);
        h->piece.stream = tk_load64(p + 4);
        h->piece.repeated = tk_load64(p + 12);
        h->piece.highest = tk_load16(p + 20);
    }
}

static void parse_fields(struct tk_ut_header *h, struct tk_cur c, struct tk_health *health)
{
    while (tk_cur_left(&c) > 0) {
        size_t at = tk_cur_at(&c);
        uint8_t size = tk_u8(&c, "size"), id = tk_u8(&c, "id");
        const uint8_t *p = tk_take(&c, size, "data");
        if (!tk_cur_ok(&c)) {
            tk_health_note(health, TK_HEALTH_HEADER_DAMAGED, 6 + at, 1, "metadata field runs past its block");
            return;
        }
        take_field(h, id, p, size);
    }
}

/* Where the stated size is wrong: the version bytes right behind the last whole field of a known id, or 0. */
static size_t find_versions(const uint8_t *p, size_t n)
{
    static const uint8_t sizes[] = {2, 16, 16};
    size_t at = 6;
    while (at + 2 <= n && p[at + 1] <= FIELD_TRACE && p[at] == sizes[p[at + 1]])
        at += 2u + p[at];
    return at > 6 && at + 2 <= n && versions_valid(p[at], p[at + 1]) ? at : 0;
}

static int truncated(struct tk_err *err, size_t n)
{
    return tk_err_set(err, TK_EFORMAT, "the header is cut off: the file ends at offset %zu", n);
}

static int parse_versions(struct tk_ut_header *h, const uint8_t *p, size_t n, size_t at,
                          struct tk_health *health, struct tk_err *err)
{
    size_t found;
    bool fits = at + 2 <= n;
    if (fits && versions_valid(p[at], p[at + 1])) {
        h->transport = p[at];
        h->protocol = p[at + 1];
        h->size = (uint32_t)at + 2;
        return TK_OK;
    }
    if (h->magic[0] == '2' && (found = find_versions(p, n)) != 0) {
        tk_health_note(health, TK_HEALTH_HEADER_DAMAGED, 4, 1,
                       "metadata size %u is wrong; the version bytes are at offset %zu", tk_load16(p + 4),
                       found);
        return parse_versions(h, p, n, found, health, err);
    }
    if (!fits)
        return truncated(err, n);
    return tk_err_set(err, TK_EFORMAT, "transport %u with protocol %u at offset %zu is not known", p[at],
                      p[at + 1], at);
}

int tk_ut_header_parse(struct tk_ut_header *h, const uint8_t *p, size_t n, struct tk_health *health,
                       struct tk_err *err)
{
    *h = (struct tk_ut_header){.magic = "none"};
    if (n < 4)
        return truncated(err, n);
    if (no_magic(p, n))
        return parse_versions(h, p, n, 0, health, err);
    h->magic = p[0] == '2' ? "2CRT" : "ECRT";
    if (p[0] != '2')
        return parse_versions(h, p, n, 4, health, err);
    if (n < 6)
        return truncated(err, n);
    size_t size = tk_load16(p + 4);
    size_t present = size < n - 6 ? size : n - 6;
    parse_fields(h, tk_cur_of(p + 6, present), health);
    return parse_versions(h, p, n, 6 + size, health, err);
}

void tk_ut_guid_text(char out[33], const uint8_t guid[16])
{
    snprintf(out, 33, "%08X%08X%08X%08X", (unsigned)tk_load32(guid), (unsigned)tk_load32(guid + 4),
             (unsigned)tk_load32(guid + 8), (unsigned)tk_load32(guid + 12));
}
