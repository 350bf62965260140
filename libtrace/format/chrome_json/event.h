/*
 * One trace event as it stands in the text: the members that are known, each a value (import 3.2).
 */
#ifndef TK_FORMAT_CHROME_JSON_EVENT_H
#define TK_FORMAT_CHROME_JSON_EVENT_H

#include "format/chrome_json/json_scan.h"

/* X(symbol, key) */
#define TK_CJ_FIELDS(X)                                                                                      \
    X(PH, "ph")                                                                                              \
    X(TS, "ts")                                                                                              \
    X(DUR, "dur")                                                                                            \
    X(PID, "pid")                                                                                            \
    X(TID, "tid")                                                                                            \
    X(NAME, "name")                                                                                          \
    X(CAT, "cat")                                                                                            \
    X(ARGS, "args")                                                                                          \
    X(ID, "id")                                                                                              \
    X(ID2, "id2")                                                                                            \
    X(SCOPE, "scope")                                                                                        \
    X(S, "s")                                                                                                \
    X(BIND_ID, "bind_id")                                                                                    \
    X(FILE, ".file")                                                                                         \
    X(LINE, ".line")

enum tk_cj_field {
#define TK_CJ_FIELD_SYMBOL(symbol, key) TK_CJ_##symbol,
    TK_CJ_FIELDS(TK_CJ_FIELD_SYMBOL)
#undef TK_CJ_FIELD_SYMBOL
        TK_CJ_FIELD_COUNT
};

struct tk_cj_event {
    struct tk_jscan_value field[TK_CJ_FIELD_COUNT];
    bool is_outer; /* it has traceEvents: it is the object around events, and was read no further */
    bool empty;    /* no members at all */
    bool trailing_comma, no_number;
    bool key_twice;
};

/* Reads an object; p stands at its bracket, and behind it afterwards. */
enum tk_jscan_result tk_cj_event_read(struct tk_jscan_scan *s, struct tk_cj_event *e);

/* A member of an object that is a value of an event; kind TK_JSON_NONE where there is none. */
struct tk_jscan_value tk_cj_member(const struct tk_jscan_value *object, const char *key, size_t n);

#endif
