/*
 * The .utrace format (Unreal Trace): see docs/format/utrace-wire.md for the bytes, utrace-events.md alongside
 * it for what events mean.
 *
 *   header -> index (packets) -> reader (payloads) -> lane (records, events) -> families -> facts
 */
#ifndef TK_FORMAT_UTRACE_READING_UTRACE_H
#define TK_FORMAT_UTRACE_READING_UTRACE_H

#include "fact/format.h"

extern const struct tk_format tk_format_utrace;

#endif
