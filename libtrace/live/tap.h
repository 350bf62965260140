/*
 * A capture that a store gives out, looked at as it comes, also while it grows. The control client sees there
 * what a program did.
 */
#ifndef TK_LIVE_STORE_TAP_H
#define TK_LIVE_STORE_TAP_H

#include "live/client.h"
#include "live/packets.h"
#include "live/summary.h"

struct tk_tap;

/* Opens the capture of an id. TK_ITEM; TK_OK: the store has none; negative. The caller closes it. */
int tk_tap_open(struct tk_tap **out, struct tk_store_client *client, uint32_t id, struct tk_err *err);

/* Who is told of switched channels from now on; NULL: nobody. */
void tk_tap_watch(struct tk_tap *t, tk_live_channel_fn *fn, void *ctx);

/* Waits up to some seconds for bytes, and looks at them. TK_ITEM: some came; TK_OK: none did; TK_EPIPE: it
 * has ended; TK_EFORMAT: it is no capture of Unreal. */
int tk_tap_take(struct tk_tap *t, double seconds, struct tk_err *err);

/* Takes what was there when the capture was opened. TK_OK; TK_EPIPE: and that was all of it; TK_EIO: the
 * store gives no more; TK_EFORMAT. */
int tk_tap_catch_up(struct tk_tap *t, struct tk_err *err);

/* NULL as long as the header is not whole. */
const struct tk_hello *tk_tap_hello(const struct tk_tap *t);
const struct tk_live_summary *tk_tap_summary(const struct tk_tap *t);

/* NULL is allowed. */
void tk_tap_close(struct tk_tap *t);

#endif
