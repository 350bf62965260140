/*
 * Lines of JSON: see live_json.h.
 */
#include "live/live_json.h"

#include "live/live_line.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 1024, ROOM = 8192 }; /* most bytes of a text, of an object */

bool tk_live_read_format(const char *format, bool *json, char message[TK_OPT_MESSAGE])
{
    *json = format && strcmp(format, "json") == 0;
    if (*json || !format || strcmp(format, "text") == 0)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--format' takes text or json, not '%.60s'", format);
    return false;
}

/* What does not fit is left out: the room is for more members than any object has. */
static void put(struct tk_live_object *o, const char *text)
{
    const size_t n = strlen(text), room = ROOM - 2 - o->n;
    if (n >= room)
        return;
    memcpy(o->text + o->n, text, n + 1);
    o->n += n;
}

static void put_key(struct tk_live_object *o, const char *key)
{
    put(o, o->n > 1 ? ",\"" : "\"");
    put(o, key);
    put(o, "\":");
}

void tk_live_object_text(struct tk_live_object *o, const char *key, const char *text)
{
    char shown[SHOWN];
    const size_t n = tk_text_show(shown, sizeof shown, text, strlen(text));
    if (!*text) {
        tk_live_object_null(o, key);
        return;
    }
    put_key(o, key);
    put(o, "\"");
    for (size_t i = 0; i < n; i++) {
        const char one[] = {shown[i], '\0'}, escaped[] = {'\\', shown[i], '\0'};
        put(o, shown[i] == '"' || shown[i] == '\\' ? escaped : (unsigned char)shown[i] < 0x20 ? " " : one);
    }
    put(o, "\"");
}

void tk_live_object_begin(struct tk_live_object *o, const char *event)
{
    static char text[ROOM];
    *o = (struct tk_live_object){.text = text};
    put(o, "{");
    tk_live_object_text(o, "event", event);
}

static void put_plain(struct tk_live_object *o, const char *key, const char *value)
{
    put_key(o, key);
    put(o, value);
}

void tk_live_object_number(struct tk_live_object *o, const char *key, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    put_plain(o, key, text);
}

void tk_live_object_seconds(struct tk_live_object *o, const char *key, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", seconds < 1e9 ? seconds : 1e9);
    put_plain(o, key, text);
}

void tk_live_object_bool(struct tk_live_object *o, const char *key, bool is)
{
    put_plain(o, key, is ? "true" : "false");
}

void tk_live_object_null(struct tk_live_object *o, const char *key)
{
    put_plain(o, key, "null");
}

void tk_live_object_end(struct tk_live_object *o)
{
    memcpy(o->text + o->n, "}", 2);
    tk_live_say("%s", o->text);
}
