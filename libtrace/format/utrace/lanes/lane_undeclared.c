/*
 * Records of protocols 1 to 4 whose uid is not declared, as where a declaration was refused: all state the
 * size of their data, but not whether a serial number and array data are there. What follows proves that.
 */
#include "format/utrace/lanes/lane_protocol0.h"

/* How records of an undeclared uid may look: each states the size of its data. */
struct guess {
    uint32_t uid;
    size_t head; /* bytes before the data */
    bool aux;
    tk_ut_length_fn *length; /* of others */
};

/* The length of such a record, 0 where not all of it is there. */
static size_t guessed_length(const struct guess *g, const uint8_t *p, const uint8_t *end, size_t code_size)
{
    size_t left = (size_t)(end - p), n = left < g->head ? 0 : g->head + tk_load16(p + code_size);
    if (!n || n > left || !g->aux)
        return n > left ? 0 : n;
    size_t blobs = tk_ut_old_blobs(p + n, end);
    return blobs ? n + blobs : 0;
}

/* Do records follow each other from here to the end of the packet, or a few of them? */
static bool goes_on(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane, struct tk_ut_input in,
                    const struct guess *g)
{
    enum { ENOUGH = 4 };
    int known = 0;
    while (in.p < in.end && known < ENOUGH) {
        size_t code_size = d->protocol < 4 ? 2 : 1u + (*in.p & 1u), left = (size_t)(in.end - in.p);
        bool event, same = left >= code_size && tk_ut_old_uid(d, in.p, code_size) == g->uid;
        size_t n = same ? guessed_length(g, in.p, in.end, code_size) : g->length(d, lane, &in, &event);
        if (!n || n > left)
            return false;
        known += !same;
        in.p += n;
    }
    return true;
}

size_t tk_ut_step_over(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                       const struct tk_ut_input *in, uint32_t uid, size_t code_size, size_t *serial,
                       tk_ut_length_fn *length)
{
    for (unsigned way = 0; way < 4; way++) {
        struct tk_ut_input rest = *in;
        *serial = tk_ut_old_serial(d, !(way & 1));
        const struct guess g = {uid, code_size + 2 + *serial, way & 2, length};
        size_t n = guessed_length(&g, in->p, in->end, code_size);
        rest.p += n;
        if (n && goes_on(d, lane, rest, &g))
            return n;
    }
    return 0;
}
