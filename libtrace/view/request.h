/*
 * Requests of HTTP/1.1, as a browser sends them to a server that only answers GET. server.c cuts them from
 * what connections bring; who may ask is in gate.h.
 */
#ifndef TK_VIEW_HTTP_REQUEST_H
#define TK_VIEW_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TK_HTTP_HEAD = 8192,   /* bytes of a request, its empty line included */
    TK_HTTP_TARGET = 2048, /* bytes of its target */
    TK_HTTP_METHOD = 16
};

/* Bytes of the request; p is NULL where it has none. */
struct tk_http_text {
    const char *p;
    size_t n;
};

struct tk_http_request {
    struct tk_http_text path, query; /* the target up to and behind the first "?", as they stand */
    struct tk_http_text host, origin, token;
    struct tk_http_text site, mode, destination; /* Sec-Fetch-... */
    bool close;                                  /* the connection ends with the answer */
};

/* The status of an answer: those that this server gives. */
enum tk_http_status {
    TK_HTTP_OK = 200,
    TK_HTTP_NO_CONTENT = 204, /* a newer request of the same page came */
    TK_HTTP_BAD_REQUEST = 400,
    TK_HTTP_FORBIDDEN = 403,
    TK_HTTP_NOT_FOUND = 404,
    TK_HTTP_METHOD_NOT_ALLOWED = 405,
    TK_HTTP_CONFLICT = 409, /* the capture was changed */
    TK_HTTP_GONE = 410,     /* it was read anew since */
    TK_HTTP_URI_TOO_LONG = 414,
    TK_HTTP_MISDIRECTED = 421,
    TK_HTTP_FIELDS_TOO_LARGE = 431,
    TK_HTTP_FAILED = 500,
    TK_HTTP_UNAVAILABLE = 503,
    TK_HTTP_VERSION = 505
};

/* What stands behind a status in the first line of an answer. Static. */
const char *tk_http_reason(int status);

/*
 * Reads the request that n bytes at p begin with. 0: it is not whole yet; TK_HTTP_OK: *out points into the
 * bytes, and *used are its own; else the status that refuses it, behind which the connection makes no sense.
 */
int tk_http_parse(struct tk_http_request *out, const char *p, size_t n, size_t *used);

/* Is a text of a request this one? */
bool tk_http_is(struct tk_http_text text, const char *wanted);

/*
 * The value of a parameter of a query ("a=1&b=2"): %XX and + decoded into n bytes at `out`, ended by NUL. The
 * length; -1 where there is none of the name; -2 where it is too long, has a NUL, or ends inside an escape.
 */
long tk_http_parameter(struct tk_http_text query, const char *name, char *out, size_t n);

/* The same as a whole number from `least` to `most`. 1; 0: there is none, *out is as before; -1: it is none
 * such. */
int tk_http_number(struct tk_http_text query, const char *name, int64_t least, int64_t most, int64_t *out);

#endif
