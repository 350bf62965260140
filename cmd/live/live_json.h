/*
 * Answers of live commands for programs: a line of JSON for each thing that happens. trace-record and
 * trace-control write them with --format json.
 */
#ifndef TK_CMD_LIVE_SAY_LIVE_JSON_H
#define TK_CMD_LIVE_SAY_LIVE_JSON_H

#include "args/opt.h"
#include "base/text/json.h"

/* One object in the making. */
struct tk_live_object {
    char *text; /* of all objects, which are made one after another: too much for a small stack */
    size_t n;
    struct tk_json json;
};

/* "text", "json" or NULL, which is text. true, or false with a sentence. */
bool tk_live_read_format(const char *format, bool *json, char message[TK_OPT_MESSAGE]);

/* Begins with a member `event`. */
void tk_live_object_begin(struct tk_live_object *o, const char *event);

/* A text of anybody, cut and cleaned; "" is null. */
void tk_live_object_text(struct tk_live_object *o, const char *key, const char *text);
void tk_live_object_number(struct tk_live_object *o, const char *key, uint64_t number);
void tk_live_object_seconds(struct tk_live_object *o, const char *key, double seconds);
void tk_live_object_bool(struct tk_live_object *o, const char *key, bool is);
void tk_live_object_null(struct tk_live_object *o, const char *key);

/* Writes it as a line of standard output, at once. */
void tk_live_object_end(struct tk_live_object *o);

#endif
