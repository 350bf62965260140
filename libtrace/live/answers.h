/*
 * What a store answers to a request (live 3.4). Between the server, which has the connections, and the
 * listing.
 */
#ifndef TK_LIVE_STORE_ANSWERS_H
#define TK_LIVE_STORE_ANSWERS_H

#include "live/cbor_map.h"
#include "live/listing.h"
#include "live/recorder.h"

/* Statuses of answers. */
enum {
    TK_STORE_GOOD = 200,
    TK_STORE_BAD = 400,
    TK_STORE_FORBIDDEN = 403,
    TK_STORE_UNKNOWN = 404,
    TK_STORE_FAILED = 500
};

enum tk_store_form {
    TK_STORE_FORM_5_1, /* byte for byte as the servers of 5.0 and 5.1 */
    TK_STORE_FORM_5_4  /* and what those of 5.4 and later add */
};

/* What is answered from. All borrowed. */
struct tk_store_facts {
    enum tk_store_form form;
    const char *folder; /* absolute */
    const struct tk_store_listing *listing;
    const struct tk_recorder *recorder;
    uint16_t recorder_port, store_port;
    /* Opens a port for who asks (live 3.7); 0: it cannot. */
    uint16_t (*relay)(void *ctx, const struct tk_store_capture *capture);
    void *ctx;
};

/* The session that a capture is recorded in now, or NULL. */
const struct tk_session *tk_store_session_of(const struct tk_recorder *recorder, const char *name);

/* The answer to the n bytes of a request, without its count. */
void tk_store_answer(const struct tk_store_facts *facts, const uint8_t *p, size_t n,
                     struct tk_cbor_writer *out);

/* An answer that says a status alone. */
void tk_store_answer_status(struct tk_cbor_writer *out, unsigned status);

#endif
