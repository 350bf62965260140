/*
 * Looking ahead on one lane for its next CPU batch: a second cursor on the lane, which says up to what time
 * no batch entry can come any more (events 2.5).
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_PEEK_BATCH_H
#define TK_FORMAT_UTRACE_SCOPES_PEEK_BATCH_H

#include "format/utrace/feed/capture_state.h"

/*
 * The first time of the next batch of thread `tid` in packets behind file offset `after`, in cycles since the
 * start. TK_ITEM with *time; TK_OK when there is no batch any more; TK_EIO, TK_ENOMEM, or TK_ELIMIT where the
 * lane cannot be read from the middle (protocols 0 to 5).
 */
int tk_ut_peek_batch(struct tk_ut_capture *c, uint32_t tid, uint64_t after, int64_t *time);

#endif
