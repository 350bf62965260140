/*
 * Encodings inside the array fields of events: format arguments (events 0.7) and CBOR values
 * (events 0.6).
 */
#ifndef TK_WRITER_VALUES_H
#define TK_WRITER_VALUES_H

#include "packets.h"

/* Format arguments being collected: u8 count, one descriptor each, then the values. All zero is an empty
 * list. */
struct tk_uw_args {
    struct tk_uw_bytes kinds;
    struct tk_uw_bytes values;
};

void tk_uw_args_release(struct tk_uw_args *args);

/* An integer of 1, 2, 4 or 8 bytes. */
void tk_uw_arg_int(struct tk_uw_args *args, unsigned size, uint64_t value);
void tk_uw_arg_double(struct tk_uw_args *args, double value);
void tk_uw_arg_ansi(struct tk_uw_args *args, const char *text);

/* A text of 7-bit characters, written as UTF-16. */
void tk_uw_arg_wide(struct tk_uw_args *args, const char *text);

/* Appends the finished block to `out`. */
void tk_uw_args_put(const struct tk_uw_args *args, struct tk_uw_bytes *out);

void tk_uw_cbor_uint(struct tk_uw_bytes *out, uint64_t value);
void tk_uw_cbor_int(struct tk_uw_bytes *out, int64_t value);
void tk_uw_cbor_double(struct tk_uw_bytes *out, double value);
void tk_uw_cbor_bool(struct tk_uw_bytes *out, bool value);

/* A text string (UTF-8), or with `ansi` a byte string. */
void tk_uw_cbor_text(struct tk_uw_bytes *out, const char *text, bool ansi);

#endif
