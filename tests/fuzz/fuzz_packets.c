/*
 * Packets: u8 transport, then what follows the header of a capture. The index is built, all packets are read
 * in stretches and one by one, and the ledger must hold every byte of the file.
 */
#include "format/utrace/wire/index.h"
#include "format/utrace/wire/packet_reader.h"
#include "io/file.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct tk_context ctx;
    struct tk_options options;
    struct tk_ut_header header;
    struct tk_ut_index index;
    struct tk_file *file;
    struct tk_err err;
    uint8_t raw[TK_UT_PACKET_MAX], out[TK_UT_PACKET_MAX];
};

/* One packet alone: the same as in its stretch. */
static void read_alone(struct reading *r, size_t i, const struct tk_ut_read_packet *other)
{
    struct tk_ut_read_packet packet;
    fuzz_promise(tk_ut_packet_read(&r->ctx, &r->index, i, r->raw, r->out, &packet, &r->err) == TK_OK,
                 "it is there");
    fuzz_promise(packet.state == other->state && packet.n == other->n &&
                     (packet.state != TK_UT_UNPACKED || memcmp(packet.p, other->p, packet.n) == 0),
                 "a packet alone is the packet of its stretch");
    fuzz_promise(packet.head.tid == tk_ut_index_tid(&r->index, i) || r->header.transport < 3, "its thread");
}

static void read_packets(struct reading *r)
{
    struct tk_ut_packet_run stretch = {0};
    uint64_t before = 0;
    size_t count, first = 0;
    while (tk_ut_packet_run_read(&stretch, &r->ctx, &r->index, first, NULL, &count, &r->err) == TK_OK &&
           count) {
        for (size_t i = 0; i < count; i++) {
            const struct tk_ut_read_packet *packet = &stretch.packets.v[i];
            fuzz_promise((packet->head.offset >= before || r->header.transport == 2) &&
                             packet->head.offset < r->ctx.size,
                         "packets ascend in the file");
            before = packet->head.offset;
            if (first + i < 64)
                read_alone(r, first + i, packet);
            if (packet->state != TK_UT_UNPACKED)
                tk_ut_packet_note(&r->ctx, &r->ctx.health, &r->index, packet);
        }
        first += count;
    }
    fuzz_promise(first == r->index.n, "stretches cover the index");
    tk_ut_packet_run_release(&stretch);
}

static void read_all(struct reading *r, const char *path)
{
    uint8_t head[TK_UT_HEADER_MAX];
    size_t n;
    r->ctx.limits = tk_limits_default();
    r->ctx.options = &r->options;
    r->ctx.health.max_items = 100;
    fuzz_promise(tk_file_open(&r->file, path, NULL, &r->ctx.limits, NULL, &r->err) == TK_OK,
                 "the file is there");
    r->ctx.file = r->file;
    r->ctx.size = tk_file_size(r->file);
    fuzz_promise(tk_file_read(r->file, 0, head, sizeof head, &n, &r->err) == TK_OK, "its head");
    if (tk_ut_header_parse(&r->header, head, n, &r->ctx.health, &r->err) != TK_OK)
        return;
    int rc = tk_ut_index_build(&r->index, &r->ctx, &r->header, &r->err);
    fuzz_promise(rc == TK_OK || r->err.n, "an error has a cause");
    fuzz_tell_health(&r->ctx.health);
    if (rc == TK_OK) {
        fuzz_ledger(&r->ctx);
        read_packets(r);
        fuzz_ledger(&r->ctx);
    }
    tk_ut_index_release(&r->index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t protocols[4] = {0, 0, 3, 7};
    struct fuzz_in in = {data, size};
    uint8_t transport = fuzz_u8(&in) % 4;
    struct reading *r = calloc(1, sizeof *r);
    uint8_t *file = malloc(in.n + 6);
    r->ctx.pool = tk_pool_open(1);
    memcpy(file, "ECRT", 4);
    file[4] = (uint8_t)(transport + 1);
    file[5] = protocols[transport];
    memcpy(file + 6, in.p, in.n);
    read_all(r, fuzz_path(file, in.n + 6));
    tk_file_close(r->file);
    tk_health_release(&r->ctx.health);
    tk_pool_close(r->ctx.pool);
    free(file);
    free(r);
    return 0;
}
