/*
 * Repeated packets: see duplicate_packet.h.
 */
#include "format/utrace/wire/duplicate_packet.h"

#include "base/cursor.h"

#include <stdlib.h>
#include <string.h>

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
