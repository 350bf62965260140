/*
 * The format of Chrome's trace events.
 */
#include "format/chrome_json/chrome_json.h"

#include "base/text/copy.h"
#include "format/chrome_json/chrome_json_in.h"

#include <string.h>

/* White space, comments and a byte order mark may stand before the first bracket. */
static const uint8_t *first_bracket(const uint8_t *head, size_t n)
{
    const uint8_t *p = head + tk_byte_order_mark(head, n), *end = head + n;
    const uint8_t *behind;
    while (p < end && (behind = memchr(" \t\r\n", *p, 4) ? p + 1 : tk_cj_comment_end(p, end)))
        p = behind;
    return p < end && (*p == '{' || *p == '[') ? p : NULL;
}

static bool holds(const uint8_t *p, const uint8_t *end, const char *text)
{
    const size_t n = strlen(text);
    for (; (size_t)(end - p) >= n; p++)
        if (memcmp(p, text, n) == 0)
            return true;
    return false;
}

/* All JSON may be trace events; only what shows words of theirs is taken for that unasked: a phase alone may
 * be that of something else. */
static int probe(const uint8_t *head, size_t n)
{
    const uint8_t *p = first_bracket(head, n);
    if (!p)
        return 0;
    const uint8_t *const end = head + n;
    const bool phase = holds(p, end, "\"ph\"") &&
                       (holds(p, end, "\"pid\"") || holds(p, end, "\"ts\"") || holds(p, end, "\"tid\""));
    return phase || holds(p, end, "\"traceEvents\"") || holds(p, end, "speedscope.app/") ? TK_FORMAT_SURE
                                                                                         : 10;
}

static const struct tk_ev_decoder decoder = {
    .noun = "event",
    .nouns = "events",
    .open = tk_cj_document_open,
    .step = tk_cj_document_step,
    .close = tk_cj_document_close,
    .types = tk_cj_types,
    .n_types = TK_CJ_PHASE_COUNT,
};

/* Text of ftrace; memory of Chrome. */
static const struct tk_unread_says unread[] = {
    {"Chrome.systemTraceEvents", TK_HINT_WAITS}, {"Chrome.memoryDumps", TK_HINT_MEMORY}, {NULL, TK_HINTS}};

const struct tk_format tk_format_chrome_json = {.name = "chrome-json",
                                                .help = "trace events in JSON, of Chrome and many others",
                                                .probe = probe,
                                                .open = tk_ev_capture_open,
                                                .decoder = &decoder,
                                                .has_processes = true,
                                                .unread = unread,
                                                .tables = tk_ev_tables,
                                                .hints = {
                                                    [TK_HINT_FRAMES] = TK_EV_HINT_FRAMES,
                                                    [TK_HINT_REGIONS] = "they are events of phases b and e",
                                                    [TK_HINT_SCOPE_TEXTS] = "they are the args of events",
                                                    [TK_HINT_CPU] = "they are events of phases B, E and X",
                                                    [TK_HINT_COUNTERS] = "they are events of phase C",
                                                    [TK_HINT_LOG] = "they are events of phase i",
                                                }};
