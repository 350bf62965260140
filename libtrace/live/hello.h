/*
 * The first bytes that an Unreal program sends (wire 1, live 2.2), judged as they come. The recorder makes a
 * file when they are whole.
 */
#ifndef TK_LIVE_UNREAL_HELLO_H
#define TK_LIVE_UNREAL_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TK_HELLO_MOST = 6 + 65535 + 2 }; /* bytes of the longest header */

enum tk_hello_state {
    TK_HELLO_MORE, /* so far it fits */
    TK_HELLO_WHOLE,
    TK_HELLO_FOREIGN, /* no Unreal program */
    TK_HELLO_DAMAGED  /* one, but what it says of itself does not fill its block */
};

struct tk_hello {
    size_t size; /* of the whole header */
    uint8_t transport, protocol;
    bool has_port, has_session, has_trace;
    uint16_t control_port;
    uint8_t session_guid[16], trace_guid[16];
};

/* Judges the first n bytes; *out is filled when they hold the whole header, which may be followed by more. */
enum tk_hello_state tk_hello_judge(const uint8_t *p, size_t n, struct tk_hello *out);

/* The text of a guid as the engine writes it: four words in upper-case hex. */
void tk_hello_guid_text(char out[33], const uint8_t guid[16]);

/* "UE 4", "UE 5", by what the header can tell. Static. */
const char *tk_hello_engine(const struct tk_hello *hello);

#endif
