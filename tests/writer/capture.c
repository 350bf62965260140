/* A capture as a whole: opening, declaring, drain rounds, closing. */
#include "utrace_writer.h"

#include <string.h>

uint16_t tk_uw_first_uid(uint8_t protocol)
{
    static const uint16_t first_uids[] = {1, 1, 1, 1, 5, 16, 16, 16};

    return first_uids[protocol & 7];
}

static void write_header(struct tk_uw *uw, const struct tk_uw_options *options)
{
    static const uint8_t port[2] = {0xc1, 0x07};
    uint8_t guid[16];
    struct tk_uw_bytes block = {0};

    tk_uw_metadata(&block, 0, port, sizeof(port));
    for (uint8_t id = 1; id <= 2 && options->protocol >= 7; id++) {
        for (uint8_t i = 0; i < sizeof(guid); i++)
            guid[i] = (uint8_t)(id * 16 + i);
        tk_uw_metadata(&block, id, guid, sizeof(guid));
    }
    tk_uw_header(&uw->sink, options->form, &block, options->transport, options->protocol);
    tk_uw_bytes_release(&block);
}

int tk_uw_open(struct tk_uw *uw, const struct tk_uw_options *options)
{
    int status = 0;

    memset(uw, 0, sizeof(*uw));
    if (options->memory)
        tk_uw_sink_memory(&uw->sink, options->memory);
    else
        status = tk_uw_sink_open(&uw->sink, options->path);
    uw->stream.protocol = options->protocol;
    uw->stream.packets.sink = &uw->sink;
    uw->stream.packets.transport = options->transport;
    uw->stream.packets.packing = options->packing;
    uw->stream.packets.verify = options->verify;
    uw->start_cycle = options->start_cycle;
    uw->frequency = options->frequency;
    uw->next_uid = tk_uw_first_uid(options->protocol);
    tk_uw_lane_init(&uw->news, &uw->stream, TK_UW_TID_NEWS);
    tk_uw_lane_init(&uw->important, &uw->stream, TK_UW_TID_IMPORTANT);
    write_header(uw, options);
    return status;
}

int tk_uw_close(struct tk_uw *uw)
{
    tk_uw_lane_flush(&uw->news);
    tk_uw_lane_flush(&uw->important);
    tk_uw_lane_release(&uw->news);
    tk_uw_lane_release(&uw->important);
    return tk_uw_sink_close(&uw->sink);
}

void tk_uw_thread(struct tk_uw *uw, struct tk_uw_lane *lane, uint16_t tid)
{
    tk_uw_lane_init(lane, &uw->stream, tid);
}

void tk_uw_register(struct tk_uw *uw, struct tk_uw_type *type)
{
    type->uid = uw->next_uid++;
    tk_uw_declare(&uw->news, type);
    tk_uw_lane_flush(&uw->news);
}

const struct tk_uw_type *tk_uw_type_of(struct tk_uw *uw, enum tk_uw_standard which)
{
    struct tk_uw_type *type = &uw->standard[which];

    if (!type->uid) {
        *type = *tk_uw_standard_type(which);
        tk_uw_register(uw, type);
    }
    return type;
}

void tk_uw_round(struct tk_uw *uw, struct tk_uw_lane *const *lanes, size_t count)
{
    tk_uw_lane_flush(&uw->news);
    tk_uw_lane_flush(&uw->important);
    for (size_t i = 0; i < count; i++)
        tk_uw_lane_flush(lanes[i]);
    if (uw->stream.packets.transport == 4 && uw->rounds < 3)
        tk_uw_sync(&uw->stream.packets);
    uw->rounds++;
}
