/*
 * bench-repeat IN.utrace OUT.utrace BYTES
 *
 * Makes a capture of about BYTES out of a real one (protocols 5 to 7, transport 3 or 4). The header, the
 * declarations (tid 0) and the important events (tid 1) are copied once, all other packets but syncs again
 * and again until the size is reached.
 *
 * Times are not moved. Instead every repetition has its own tids, the original ones plus a step, so that each
 * stays a whole lane with times in order; these lanes have no thread names. When no tid below 0x3f00 is left
 * the file ends early. Serials repeat as well: what is measured on such a file must not depend on
 * synchronised events.
 */
#include "scan.h"
#include "size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TID_FIRST = 2, TID_END = 0x3f00, STEP_LEAST = 16 };

struct output {
    FILE *file; /* borrowed */
    uint64_t written;
    bool failed;
};

static void put(struct output *out, const void *data, size_t size)
{
    out->failed = out->failed || fwrite(data, 1, size, out->file) != size;
    out->written += size;
}

static void put_moved(struct output *out, const struct tk_prescan_packet *packet, unsigned shift)
{
    uint8_t head[4];
    unsigned word = ((unsigned)packet->whole[2] | (unsigned)packet->whole[3] << 8) + shift;

    memcpy(head, packet->whole, 2);
    head[2] = (uint8_t)word;
    head[3] = (uint8_t)(word >> 8);
    put(out, head, sizeof(head));
    put(out, packet->whole + sizeof(head), packet->whole_size - sizeof(head));
}

static bool is_thread(const struct tk_prescan_packet *packet)
{
    return packet->tid >= TID_FIRST && packet->tid < TID_END;
}

static void copy_common(struct tk_prescan *scan, struct output *out, unsigned *tid_end)
{
    struct tk_prescan_packet packet;

    put(out, scan->data, scan->header);
    scan->at = scan->header;
    while (tk_prescan_next(scan, &packet) == 1) {
        if (packet.tid < TID_FIRST)
            put(out, packet.whole, packet.whole_size);
        if (is_thread(&packet) && packet.tid >= *tid_end)
            *tid_end = packet.tid + 1U;
    }
}

static void copy_threads(struct tk_prescan *scan, struct output *out, unsigned shift, uint64_t bytes)
{
    struct tk_prescan_packet packet;

    scan->at = scan->header;
    while (out->written < bytes && tk_prescan_next(scan, &packet) == 1)
        if (is_thread(&packet))
            put_moved(out, &packet, shift);
}

static void repeat(struct tk_prescan *scan, struct output *out, uint64_t bytes)
{
    unsigned tid_end = TID_FIRST;
    unsigned times = 0;
    uint64_t before = 0;

    copy_common(scan, out, &tid_end);

    unsigned step = tid_end - TID_FIRST > STEP_LEAST ? tid_end - TID_FIRST : STEP_LEAST;

    for (unsigned shift = 0; tid_end + shift <= TID_END && out->written < bytes && out->written != before;
         shift += step, times++) {
        before = out->written;
        copy_threads(scan, out, shift, bytes);
    }
    printf("repetitions %u bytes %" PRIu64 "\n", times, out->written);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 20];
    struct tk_prescan scan;
    struct output out = {0};
    uint64_t bytes;

    if (argc != 4 || tk_bench_size(argv[3], &bytes) < 0) {
        fputs("usage: bench-repeat IN.utrace OUT.utrace BYTES\n", stderr);
        return 2;
    }
    if (tk_prescan_open(&scan, argv[1]) < 0) {
        tk_prescan_release(&scan);
        return 1;
    }
    out.file = fopen(argv[2], "wb");
    if (out.file) {
        setvbuf(out.file, buffer, _IOFBF, sizeof buffer);
        repeat(&scan, &out, bytes);
        out.failed = fclose(out.file) != 0 || out.failed;
    }
    tk_prescan_release(&scan);
    if (out.file && !out.failed)
        return 0;
    fprintf(stderr, "cannot write '%s'\n", argv[2]);
    return 1;
}
