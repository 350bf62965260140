/*
 * The walk over the packets at both ends of a large capture, which is opened in part (tk_options.in_part);
 * private to the walk over transports 3 and 4.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_PACKET_WALK_ENDS_H
#define TK_FORMAT_UTRACE_WIRE_PACKET_WALK_ENDS_H

#include "format/utrace/wire/packet_walk_ahead.h"

/* Is the capture to be opened in part, and does that leave something out? From protocol 6 on packets say
 * times without those before them. */
bool tk_ut_packet_walk_in_part(const struct tk_ut_packet_walk *w);

/* Fills the index, and that of the rest; says in the context what was read. TK_OK or negative. */
int tk_ut_packet_walk_ends(struct tk_ut_packet_walk *w);

#endif
