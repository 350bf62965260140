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

/* What stands behind a record of an undeclared type, as a guess has it. */
enum proof { NONE, A_FEW_RECORDS, RECORDS_TO_THE_END };

/*
 * Do records follow each other from here to the end of the packet, or ENOUGH of them? A few prove something
 * where the packet ends inside of a record. No more than MOST are looked at: a packet may hold thousands of
 * one undeclared type.
 */
static enum proof proof_behind(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                               struct tk_ut_input in, const struct guess *g)
{
    enum { FEW = 4, ENOUGH = 16, MOST = 64 };
    int known = 0;
    for (int i = 0; in.p < in.end && known < ENOUGH && i < MOST; i++) {
        size_t code_size = d->protocol < 4 ? 2 : 1u + (*in.p & 1u), left = (size_t)(in.end - in.p);
        bool event, same = left >= code_size && tk_ut_old_uid(d, in.p, code_size) == g->uid;
        size_t n = same ? guessed_length(g, in.p, in.end, code_size) : g->length(d, lane, &in, &event);
        if (!n || n > left)
            return known >= FEW ? A_FEW_RECORDS : NONE;
        known += !same;
        in.p += n;
    }
    return RECORDS_TO_THE_END;
}

size_t tk_ut_step_over(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                       const struct tk_ut_input *in, uint32_t uid, size_t code_size, size_t *serial,
                       tk_ut_length_fn *length)
{
    size_t length_found = 0;
    enum proof best = NONE;
    for (unsigned way = 0; way < 4 && best != RECORDS_TO_THE_END; way++) {
        struct tk_ut_input rest = *in;
        size_t number = tk_ut_old_serial(d, !(way & 1));
        const struct guess g = {uid, code_size + 2 + number, way & 2, length};
        size_t n = guessed_length(&g, in->p, in->end, code_size);
        rest.p += n;
        enum proof proof = n ? proof_behind(d, lane, rest, &g) : NONE;
        if (proof <= best)
            continue;
        best = proof;
        length_found = n;
        *serial = number;
    }
    return length_found;
}
