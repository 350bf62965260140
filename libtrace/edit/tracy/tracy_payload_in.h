/*
 * The payload of a .tracy from its first byte on, for code that walks it without producing facts. Used by
 * both walks of an edit.
 */
#ifndef TK_EDIT_TRACY_TRACY_PAYLOAD_IN_H
#define TK_EDIT_TRACY_TRACY_PAYLOAD_IN_H

#include "format/tracy/file/container.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/walk/own_tables.h"

/* Its address must not change while it is open. */
struct tk_tracy_payload_in {
    struct tk_tracy_payload in;
    struct tk_tracy_blocks *blocks; /* owned */
};

int tk_tracy_payload_in_open(struct tk_tracy_payload_in *p, struct tk_tracy_capture *c, struct tk_err *err);
void tk_tracy_payload_in_close(struct tk_tracy_payload_in *p);

#endif
