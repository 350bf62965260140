/*
 * The last stage of the second walk: writes the result. Packets that stay are copied, the others written
 * anew.
 */
#ifndef TK_EDIT_UTRACE_REWRITE_H
#define TK_EDIT_UTRACE_REWRITE_H

#include "edit/utrace/account.h"
#include "edit/utrace/result_lanes.h"
#include "format/utrace/write/packet_queue.h"

struct tk_edit_rewrite {
    struct tk_edit_stage stage;
    struct tk_edit_account *account; /* closed; borrowed */
    struct tk_edit_result result;
    struct tk_uw_queue queue; /* where several threads work */
    bool repack;              /* packets that stay are compressed anew, too */
    bool recorded;            /* the result says what was done */
    bool tallies;             /* events that change are counted here */
    uint64_t copied;          /* bytes of packets as they were */
};

/* Fields of a header (wire 1). */
enum tk_edit_guid { TK_EDIT_SESSION_GUID = 1, TK_EDIT_TRACE_GUID = 2 };

/* Where the 16 bytes of a GUID stand in a header, whose fields have no fixed place; NULL: it has none. */
uint8_t *tk_edit_header_guid(uint8_t *header, size_t n, enum tk_edit_guid which);

/* Appends the header as it stands in the file, or what can be read of a damaged one. TK_OK or as tk_edit_run.
 */
int tk_edit_header_read(const struct tk_ut_capture *c, struct tk_uw_bytes *head, struct tk_err *err);

/* Everything goes to `sink`, borrowed. TK_OK or TK_ENOMEM. */
int tk_edit_rewrite_init(struct tk_edit_rewrite *w, struct tk_edit_account *account, struct tk_uw_sink *sink);

/* Writes the header and the declarations of the edit's own types. `guid` names the result; NULL: as it was.
 */
int tk_edit_rewrite_head(struct tk_edit_rewrite *w, const uint8_t *header, size_t n, const uint8_t guid[16]);

/* Hooks of the walker. */
int tk_edit_rewrite_begin(void *self, const struct tk_edit_packet *packet);
int tk_edit_rewrite_packet(void *self, const struct tk_edit_packet *packet);
int tk_edit_rewrite_rest(void *self);

/* The end: what the edit says of itself, and sync packets. */
int tk_edit_rewrite_tail(struct tk_edit_rewrite *w, const struct tk_edit_span *span, const char *record,
                         size_t n);

void tk_edit_rewrite_release(struct tk_edit_rewrite *w);

#endif
