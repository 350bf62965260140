/*
 * Requests of HTTP: what is taken holds together, whatever way it comes in, and nothing without the token
 * gets through the gate.
 */
#include "rig.h"
#include "view/view_in.h"

#include <stdlib.h>
#include <string.h>

static bool is_inside(struct tk_http_text text, const char *p, size_t n)
{
    return !text.p || (text.p >= p && text.p + text.n <= p + n);
}

static void look_at(const struct tk_http_request *r, const char *p, size_t used)
{
    static const char *const names[] = {"a", "q", "t", ""};
    char value[64];
    fuzz_promise(r->path.n > 0 && r->path.p[0] == '/' && r->path.n <= TK_HTTP_TARGET, "a path");
    fuzz_promise(r->host.p != NULL, "a host");
    fuzz_promise(is_inside(r->path, p, used) && is_inside(r->query, p, used) && is_inside(r->host, p, used) &&
                     is_inside(r->origin, p, used) && is_inside(r->site, p, used) &&
                     is_inside(r->token, p, used),
                 "texts of the request");
    fuzz_promise(!memchr(r->path.p, '?', r->path.n), "the path ends before the query");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t number = 0;
        const long n = tk_http_parameter(r->query, names[i], value, sizeof value);
        fuzz_promise(n < 0 ? n >= -2 : (size_t)n < sizeof value && strlen(value) == (size_t)n, "a value");
        if (tk_http_number(r->query, names[i], -9, 99, &number) == 1)
            fuzz_promise(number >= -9 && number <= 99, "a number inside its range");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tk_http_gate gate = {.port = 80, .token = "0123456789abcdef0123456789abcdef"};
    struct tk_http_request whole, part;
    size_t used, used_part;
    char *text = (char *)fuzz_copy(data, size);
    const int status = tk_http_parse(&whole, text, size, &used);
    fuzz_promise(used <= size && used <= TK_HTTP_HEAD, "it takes no more than there is");
    if (status == TK_HTTP_OK) {
        look_at(&whole, text, used);
        fuzz_promise(
            tk_http_gate_check(&gate, &whole, true) != TK_HTTP_OK ||
                (whole.token.n == TK_HTTP_TOKEN && memcmp(whole.token.p, gate.token, TK_HTTP_TOKEN) == 0),
            "nothing without the token");
        /* What comes in parts is awaited until it is whole. */
        for (size_t n = 0; n < used; n += 1 + used / 16)
            fuzz_promise(tk_http_parse(&part, text, n, &used_part) == 0, "a part is awaited");
        fuzz_promise(tk_http_parse(&part, text, used, &used_part) == TK_HTTP_OK && used_part == used,
                     "what follows does not count");
    } else if (status)
        fuzz_promise(status >= 400 && status <= 505 && tk_http_reason(status)[0], "a status that refuses");
    free(text);
    return 0;
}
