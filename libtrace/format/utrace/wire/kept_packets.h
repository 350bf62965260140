/*
 * The index of packets as a section that is kept between questions (fact/kept.h), so that the next one need
 * not walk over the headers of all packets.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_KEPT_PACKETS_H
#define TK_FORMAT_UTRACE_WIRE_KEPT_PACKETS_H

#include "format/utrace/wire/index.h"

/* Fills the index, and the ledger as the walk would. false: nothing fit is kept, and both are as they were.
 */
bool tk_ut_kept_packets_load(struct tk_ut_index *ix, struct tk_context *ctx,
                             const struct tk_ut_header *header);

/* Makes the section where the walk noted no fault; ledger: as it was behind the walk. */
void tk_ut_kept_packets_make(const struct tk_ut_index *ix, struct tk_context *ctx,
                             const uint64_t ledger[TK_LEDGER_COUNT]);

#endif
