/*
 * Lines of JSON.
 */
#include "args/words.h"
#include "live/live_in.h"
#include "live/record.h"
#include "terminal/host.h"
#include "tracekit/captures.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lines of JSON about Unreal programs.
 */

void tk_unreal_json_began(const struct tk_session *s)
{
    char address[TK_OS_ADDRESS_TEXT];
    struct tk_live_object o;
    tk_live_object_begin(&o, "began");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_text(&o, "engine", tk_hello_engine(&s->hello));
    tk_live_object_text(&o, "from", tk_os_address_text(&s->from, address));
    if (s->hello.has_port && s->hello.control_port != UINT16_MAX)
        tk_live_object_number(&o, "control_port", s->hello.control_port);
    else
        tk_live_object_null(&o, "control_port");
    tk_live_object_end(&o);
}

void tk_unreal_json_ended(const struct tk_session *s, const struct tk_live_figures *f)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "ended");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_number(&o, "bytes", s->file.bytes);
    tk_live_object_seconds(&o, "seconds", s->last - s->since);
    tk_live_object_text(&o, "why", tk_session_end_text(s->end));
    tk_live_object_bool(&o, "cut", tk_session_is_cut(s));
    tk_live_object_bool(&o, "damaged", s->packets.damaged || f->bad_packets || f->undeclared);
    if (s->summary) { /* else nobody looked at what it holds */
        tk_live_object_text(&o, "program", f->program);
        tk_live_object_text(&o, "build", f->build);
        tk_live_object_text(&o, "platform", f->platform);
        tk_live_object_number(&o, "threads", f->threads);
        tk_live_object_number(&o, "frames", f->frames);
        tk_live_object_number(&o, "events", f->events);
        tk_live_object_number(&o, "lost", f->lost);
    }
    tk_live_object_end(&o);
}

void tk_unreal_json_refused(const char *why)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "refused");
    tk_live_object_text(&o, "why", why);
    tk_live_object_end(&o);
}

void tk_live_json_rotated(const char *path, uint64_t bytes, const char *next)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "rotated");
    tk_live_object_text(&o, "file", path);
    tk_live_object_number(&o, "bytes", bytes);
    tk_live_object_text(&o, "next", next);
    tk_live_object_end(&o);
}

void tk_unreal_json_channel(const struct tk_session *s, const char *name, uint32_t id, bool enabled)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "channel");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_text(&o, "channel", name);
    tk_live_object_number(&o, "channel_id", id);
    tk_live_object_bool(&o, "enabled", enabled);
    tk_live_object_end(&o);
}

const char *tk_live_why_removed(enum tk_keep_reason reason)
{
    static const char *const why[] = {[TK_KEEP_DAYS] = "it is older than --keep-days",
                                      [TK_KEEP_BYTES] = "all are more than --keep-bytes",
                                      [TK_KEEP_FREE] = "the disk has less than --free"};
    return why[reason];
}

void tk_unreal_json_removed(const char *capture, uint64_t bytes, const char *why)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "removed");
    tk_live_object_text(&o, "capture", capture);
    tk_live_object_number(&o, "bytes", bytes);
    tk_live_object_text(&o, "why", why);
    tk_live_object_end(&o);
}

/*
 * The line of live commands.
 */

static bool visible;

void tk_live_line_show(const char *text)
{
    const unsigned columns = tk_host_width(stderr);
    if (!tk_host_terminal(stderr))
        return;
    fprintf(stderr, "\r%.*s\033[K", columns > 1 ? (int)columns - 1 : 79, text);
    fflush(stderr);
    visible = true;
}

void tk_live_line_hide(void)
{
    if (visible)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    visible = false;
}

bool tk_live_say(const char *format, ...)
{
    va_list ap;
    tk_live_line_hide();
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    return fflush(stderr) == 0;
}

bool tk_live_answer(const char *format, ...)
{
    va_list ap;
    tk_live_line_hide();
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    putchar('\n');
    return tk_host_flush();
}

/*
 * Numbers of live commands.
 */

static bool unit_of(const char *text, double *factor)
{
    static const char units[] = "KMGT";
    const char *found = *text ? strchr(units, *text & ~0x20) : NULL; /* k as well as K */
    *factor = 1;
    if (found) {
        for (const char *u = units; u <= found; u++)
            *factor *= 1000;
        text++;
    }
    return *text == 0 || strcmp(text, "B") == 0 || strcmp(text, "b") == 0;
}

bool tk_live_read_size(const char *option, const char *text, uint64_t *out, char message[TK_OPT_MESSAGE])
{
    char *end;
    double factor;
    if (!text)
        return true;
    const double number = strtod(text, &end);
    if (end != text && *text >= '0' && *text <= '9' && unit_of(end, &factor) && number * factor >= 1 &&
        number * factor < 1e18) {
        *out = (uint64_t)(number * factor);
        return true;
    }
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' takes a size, as 500M or 2G, not '%.60s'", option, text);
    return false;
}

static bool read_time(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    const double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && *text >= '0' && *text <= '9' && strcmp(end, units[i].unit) == 0)
            *seconds = number * units[i].seconds;
    return *seconds > 0 && *seconds < 1e9;
}

enum { ROTATION_LEAST = 10000 };

bool tk_live_read_rotation(const char *text, uint64_t *bytes, double *seconds, char message[TK_OPT_MESSAGE])
{
    if (!text || read_time(text, seconds))
        return true;
    *seconds = 0;
    if (tk_live_read_size("rotate", text, bytes, message) && *bytes >= ROTATION_LEAST &&
        text[strlen(text) - 1] != 'm') /* which some take for minutes */
        return true;
    snprintf(message, TK_OPT_MESSAGE,
             "option '--rotate' takes a size from 10k on, as 500M, or a time, as 10min or 6h, not '%.60s'",
             text);
    return false;
}

bool tk_live_read_ports(const char *option, const char *text, uint16_t *out, size_t most, size_t *n,
                        char message[TK_OPT_MESSAGE])
{
    if (!text)
        return true;
    *n = 0;
    for (const char *p = text;;) {
        char *end;
        const unsigned long port = strtoul(p, &end, 10);
        if (end == p || *p < '0' || *p > '9' || port > UINT16_MAX || *n == most || (*end && *end != ','))
            break;
        out[(*n)++] = (uint16_t)port;
        if (*end == 0)
            return true;
        p = end + 1;
    }
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' takes %s from 0 to 65535, not '%.60s'", option,
             most > 1 ? "ports" : "a port", text);
    return false;
}

const char *tk_live_size(uint64_t bytes, char out[TK_FIGURE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t i = 0;
    while (value >= 999.5 && i + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        i++;
    }
    snprintf(out, TK_FIGURE, "%.*f %s", i && value < 99.95 ? 1 : 0, value, units[i]);
    return out;
}

const char *tk_live_time(double seconds, char out[TK_FIGURE])
{
    const unsigned s = seconds < 1e8 ? (unsigned)(seconds + 0.5) : 100000000;
    if (seconds < 59.95)
        snprintf(out, TK_FIGURE, "%.1f s", seconds);
    else if (s < 3600)
        snprintf(out, TK_FIGURE, "%u min %02u s", s / 60, s % 60);
    else
        snprintf(out, TK_FIGURE, "%u h %02u min", s / 3600, s / 60 % 60);
    return out;
}

const char *tk_live_count(uint64_t n, char out[TK_FIGURE])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

enum { DISPLAYED = 1024, CAPACITY = 8192 }; /* most bytes of a text, of an object */

bool tk_live_read_format(const char *format, bool *json, char message[TK_OPT_MESSAGE])
{
    const size_t i = format ? tk_words_find(tk_words_live_formats, format) : 0;
    *json = i == 1;
    if (i < 2)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--format' takes text or json, not '%.60s'", format);
    return false;
}

/* What does not fit is left out: the space is for more members than any object has. */
static void put(void *object, const char *text, size_t n)
{
    struct tk_live_object *o = object;
    const size_t capacity = CAPACITY - 2 - o->n;
    if (n >= capacity)
        return;
    memcpy(o->text + o->n, text, n);
    o->n += n;
    o->text[o->n] = '\0';
}

void tk_live_object_text(struct tk_live_object *o, const char *key, const char *text)
{
    char displayed[DISPLAYED];
    const size_t n = tk_text_show(displayed, sizeof displayed, text, strlen(text));
    if (*text)
        tk_json_text_of(&o->json, key, displayed, n);
    else
        tk_live_object_null(o, key);
}

void tk_live_object_begin(struct tk_live_object *o, const char *event)
{
    static char text[CAPACITY];
    *o = (struct tk_live_object){.text = text, .json = {.put = put, .to = o}};
    tk_json_open(&o->json, NULL, '{');
    tk_live_object_text(o, "event", event);
}

void tk_live_object_number(struct tk_live_object *o, const char *key, uint64_t number)
{
    tk_json_u64(&o->json, key, number);
}

void tk_live_object_seconds(struct tk_live_object *o, const char *key, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", seconds < 1e9 ? seconds : 1e9);
    tk_json_plain(&o->json, key, text);
}

void tk_live_object_bool(struct tk_live_object *o, const char *key, bool is)
{
    tk_json_bool(&o->json, key, is);
}

void tk_live_object_null(struct tk_live_object *o, const char *key)
{
    tk_json_plain(&o->json, key, "null");
}

void tk_live_object_end(struct tk_live_object *o)
{
    tk_json_close(&o->json);
    tk_live_answer("%s", o->text);
}
