/*
 * Framing of tids 0 and 1 from protocol 5 on (wire 3.6): declarations and important events.
 */
#ifndef TK_FORMAT_UTRACE_LANES_IMPORTANT_H
#define TK_FORMAT_UTRACE_LANES_IMPORTANT_H

#include "format/utrace/lanes/lane.h"

/* A stream of tid 0 or 1; zero-initialise with the tid in lane. Bytes of an incomplete record are carried in
 * the lane. */
struct tk_ut_important {
    struct tk_ut_lane lane;
    size_t joint;   /* of what is carried over, the first byte of the last packet that was fed */
    bool searching; /* after a break: the next event must be found first */
};

/* Feeds declarations: each record goes into the decoder's schema. TK_OK or TK_ENOMEM. */
int tk_ut_declarations_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                            const struct tk_ut_payload *payload);

/* Feeds important events to the decoder's handler. All declarations must have been read. */
int tk_ut_important_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                         const struct tk_ut_payload *payload);

/* Bytes are missing before the next payload: what waits for more takes what there is. As the feeding. */
int tk_ut_important_break(struct tk_ut_decoder *d, struct tk_ut_important *s);

/* The end of the stream: a search that waits for more bytes takes what there is; leftovers are noted. */
int tk_ut_important_finish(struct tk_ut_decoder *d, struct tk_ut_important *s, bool truncated);

#endif
