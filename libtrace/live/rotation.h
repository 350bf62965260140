/*
 * When and how a recording of an Unreal program goes on in a new file. The recorder has one for each
 * connection.
 */
#ifndef TK_LIVE_ROTATION_H
#define TK_LIVE_ROTATION_H

#include "live/session.h"

/* Begins with the file of a path, whose first n bytes are the header of the stream. TK_OK, TK_EIO or
 * TK_ENOMEM. */
int tk_rotation_begin(struct tk_rotation *t, const struct tk_rotation_options *o, const char *path,
                      const uint8_t *hello, size_t n, double now);

void tk_rotation_release(struct tk_rotation *t);

/* Notes a whole packet at an offset of the stream, if later files have to begin with it. TK_OK or TK_ENOMEM.
 */
int tk_rotation_note(struct tk_rotation *t, const uint8_t *packet, size_t n, uint64_t offset);

/* Has the file so many bytes, or is it so old, that the next one is to begin? The stream is whole up to
 * `whole`. */
bool tk_rotation_is_due(const struct tk_rotation *t, uint64_t bytes, uint64_t whole, double now);

/* "run.utrace" -> "run-002.utrace"; to be freed. NULL without memory. */
char *tk_rotation_name(const char *path, uint32_t number);

/*
 * Begins the next file behind the last whole packet: *old is the one before, which the caller closes. TK_OK;
 * or negative, and the recording goes on where it is.
 */
int tk_rotation_turn(struct tk_rotation *t, struct tk_live_file *file, struct tk_live_file *old,
                     const struct tk_live_packets *packets, double now, struct tk_err *err);

#endif
