/* Requests, whole and in parts, and those that are refused; who may ask. */
#include "run.h"
#include "view/view_in.h"

#include <stdio.h>
#include <string.h>

#define HOST "Host: 127.0.0.1:80\r\n"

static int parse(const char *text, size_t n, struct tk_http_request *out, size_t *used)
{
    char *copy = malloc(n ? n : 1); /* of its own size, so that reading beyond is seen */
    ck_assert(copy != NULL);
    memcpy(copy, text, n);
    const int status = tk_http_parse(out, copy, n, used);
    free(copy);
    return status;
}

START_TEST(a_request_as_browsers_send_it)
{
    static const char text[] = "GET /w?a=1&b=%2fx+y&c HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: a b\r\n"
                               "Origin:http://localhost:8080 \t\r\nSec-Fetch-Site: same-origin\r\n"
                               "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n"
                               "X-TRACEKIT-Token: 12\r\nConnection: Close\r\n\r\nGET";
    struct tk_http_request r;
    size_t used;
    char value[8];
    int64_t number = 7;
    ck_assert_int_eq(tk_http_parse(&r, text, sizeof text - 1, &used), 200);
    ck_assert_uint_eq(used, sizeof text - 1 - 3);
    ck_assert(tk_http_is(r.path, "/w") && tk_http_is(r.query, "a=1&b=%2fx+y&c"));
    ck_assert(tk_http_is(r.host, "localhost:8080") && tk_http_is(r.origin, "http://localhost:8080"));
    ck_assert(tk_http_is(r.site, "same-origin") && tk_http_is(r.token, "12") && r.close);
    ck_assert(tk_http_is(r.mode, "cors") && tk_http_is(r.destination, "empty"));
    ck_assert_int_eq(tk_http_parameter(r.query, "b", value, sizeof value), 4);
    ck_assert_str_eq(value, "/x y");
    ck_assert_int_eq(tk_http_parameter(r.query, "b", value, 4), -2);
    ck_assert_int_eq(tk_http_parameter(r.query, "c", value, sizeof value), -1);
    ck_assert_int_eq(tk_http_number(r.query, "a", 0, 9, &number), 1);
    ck_assert_int_eq(number, 1);
    ck_assert_int_eq(tk_http_number(r.query, "a", 2, 9, &number), -1);
    ck_assert_int_eq(tk_http_number(r.query, "b", 0, 9, &number), -1);
    ck_assert_int_eq(tk_http_number(r.query, "d", 0, 9, &number), 0);
    ck_assert_int_eq(number, 1);
}
END_TEST

/* Each part of a request is awaited, and none is taken for a whole one. */
START_TEST(a_request_in_parts)
{
    static const char text[] = "GET / HTTP/1.1\r\n" HOST "\r\n";
    struct tk_http_request r;
    size_t used;
    for (size_t n = 0; n + 1 < sizeof text - 1; n++)
        ck_assert_msg(parse(text, n, &r, &used) == 0, "%zu bytes", n);
    ck_assert_int_eq(parse(text, sizeof text - 1, &r, &used), 200);
}
END_TEST

static const struct {
    const char *text;
    int status;
} refused[] = {
    {"POST / HTTP/1.1\r\n" HOST "\r\n", 405},
    {"HEAD / HTTP/1.1\r\n" HOST "\r\n", 405},
    {"OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 405},
    {"get / HTTP/1.1\r\n" HOST "\r\n", 405},
    {"GET / HTTP/1.0\r\n" HOST "\r\n", 505},
    {"GET / HTTP/2.0\r\n" HOST "\r\n", 505},
    {"GET / HTTP/1.1 \r\n" HOST "\r\n", 400},
    {"GET  / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /\r\n" HOST "\r\n", 400},
    {"GET http://127.0.0.1/ HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET * HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /\x80 HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /\t HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "X-Tracekit-Token: a\r\nx-tracekit-token: b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "Content-Length: 0, 5\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST ": empty\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "a: \x01\r\n\r\n", 400},
    {"GET / HTTP/1.1\n" HOST "\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "a: b\nc: d\r\n\r\n", 400},
    {"\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"\x16\x03\x01\x02", 400}, /* TLS */
    {"AAAAAAAAAAAAAAAAAAAAAAAA", 400},
};

START_TEST(what_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tk_http_request r;
        size_t used;
        const int status = parse(refused[i].text, strlen(refused[i].text), &r, &used);
        ck_assert_msg(status == refused[i].status, "%s: %d", refused[i].text, status);
    }
}
END_TEST

START_TEST(what_is_too_long)
{
    static char text[3 * TK_HTTP_HEAD];
    struct tk_http_request r;
    size_t used;
    /* A target of TK_HTTP_TARGET bytes, and one more. */
    for (int more = 0; more < 2; more++) {
        const int n =
            snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\n" HOST "\r\n", TK_HTTP_TARGET - 1 + more, 0);
        ck_assert_int_eq(parse(text, (size_t)n, &r, &used), more ? 414 : 200);
    }
    memset(text, 'a', sizeof text);
    memcpy(text, "GET /", 5);
    ck_assert_int_eq(parse(text, TK_HTTP_TARGET, &r, &used), 0);
    ck_assert_int_eq(parse(text, 2 * TK_HTTP_TARGET, &r, &used), 414);
    memcpy(text, "GET / HTTP/1.1\r\na:", 18);
    ck_assert_int_eq(parse(text, TK_HTTP_HEAD - 1, &r, &used), 0);
    ck_assert_int_eq(parse(text, TK_HTTP_HEAD, &r, &used), 431);
    memcpy(text + TK_HTTP_HEAD - 3, "\r\n\r\n", 4); /* ends a byte behind the limit */
    ck_assert_int_eq(parse(text, sizeof text, &r, &used), 431);
}
END_TEST

START_TEST(escapes)
{
    static const struct {
        const char *query;
        long n;
    } table[] = {{"q=%41", 1}, {"q=%4", -2}, {"q=%", -2},          {"q=%zz", -2},   {"q=%00", -2},  {"q=", 0},
                 {"q", -1},    {"", -1},     {"a=1&&q=%c3%a9", 2}, {"qq=1&q=2", 1}, {"q=1&q=22", 1}};
    char out[16];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct tk_http_text query = {table[i].query, strlen(table[i].query)};
        ck_assert_msg(tk_http_parameter(query, "q", out, sizeof out) == table[i].n, "%s", table[i].query);
    }
}
END_TEST

START_TEST(numbers)
{
    static const struct {
        const char *query;
        int found;
        int64_t value;
    } table[] = {{"q=0", 1, 0},
                 {"q=-5", 1, -5},
                 {"q=9223372036854775807", 1, INT64_MAX},
                 {"q=9223372036854775808", -1, 0},
                 {"q=18446744073709551617", -1, 0},
                 {"q=99999999999999999999999", -1, 0},
                 {"q=", -1, 0},
                 {"q=-", -1, 0},
                 {"q=+1", -1, 0},
                 {"q=1e3", -1, 0},
                 {"q=%31", 1, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct tk_http_text query = {table[i].query, strlen(table[i].query)};
        int64_t value = 0;
        const int found = tk_http_number(query, "q", INT64_MIN, INT64_MAX, &value);
        ck_assert_msg(found == table[i].found && value == table[i].value, "%s", table[i].query);
    }
}
END_TEST

static struct tk_http_text text_of(const char *s)
{
    return (struct tk_http_text){s, s ? strlen(s) : 0};
}

START_TEST(who_may_ask)
{
    static const char *const more[] = {"viewer.example:443"};
    static const struct {
        const char *host, *origin, *site;
        int status;
    } table[] = {{"127.0.0.1:8123", NULL, NULL, 200},
                 {"localhost:8123", "http://localhost:8123", "same-origin", 200},
                 {"[::1]:8123", NULL, "none", 200},
                 {"viewer.example:443", "https://viewer.example:443", NULL, 200},
                 {"127.0.0.1", NULL, NULL, 421},
                 {"127.0.0.1:8124", NULL, NULL, 421},
                 {"127.0.0.1:81234", NULL, NULL, 421},
                 {"attacker.example:8123", NULL, NULL, 421},
                 {"127.0.0.1:8123.attacker.example", NULL, NULL, 421},
                 {"", NULL, NULL, 421},
                 {"127.0.0.1:8123", "http://attacker.example", NULL, 403},
                 {"127.0.0.1:8123", "null", NULL, 403},
                 {"127.0.0.1:8123", "http://127.0.0.1:8124", NULL, 403},
                 {"127.0.0.1:8123", "file://127.0.0.1:8123", NULL, 403},
                 {"127.0.0.1:8123", NULL, "cross-site", 403},
                 {"127.0.0.1:8123", NULL, "same-site", 403},
                 {"127.0.0.1:8123", NULL, "", 403}};
    struct tk_http_gate gate = {.port = 8123, .hosts = more, .n_hosts = 1};
    ck_assert(tk_http_gate_init(&gate));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct tk_http_request r = {.host = text_of(table[i].host),
                                          .origin = text_of(table[i].origin),
                                          .site = text_of(table[i].site)};
        ck_assert_msg(tk_http_gate_check(&gate, &r, false) == table[i].status, "row %zu", i);
        ck_assert_int_ne(tk_http_gate_check(&gate, &r, true), 200);
    }
}
END_TEST

/* A link in another site leads to the page, and nothing else of it does. */
START_TEST(links)
{
    static const struct {
        const char *path, *site, *mode, *destination, *origin;
        int status;
    } table[] = {{"/", "cross-site", "navigate", "document", NULL, 200},
                 {"/", "same-site", "navigate", "document", NULL, 200},
                 {"/", "cross-site", "navigate", "iframe", NULL, 403},
                 {"/", "cross-site", "navigate", "object", NULL, 403},
                 {"/", "cross-site", "no-cors", "document", NULL, 403},
                 {"/", "cross-site", "cors", "empty", NULL, 403},
                 {"/", "cross-site", "navigate", NULL, NULL, 403},
                 {"/", "cross-site", NULL, "document", NULL, 403},
                 {"/", "cross-site", "navigate", "document", "http://attacker.example", 403},
                 {"/view.js", "cross-site", "navigate", "document", NULL, 403},
                 {"/lanes", "cross-site", "navigate", "document", NULL, 403}};
    struct tk_http_gate gate = {.port = 8123};
    ck_assert(tk_http_gate_init(&gate));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct tk_http_request r = {.host = text_of("127.0.0.1:8123"),
                                          .path = text_of(table[i].path),
                                          .site = text_of(table[i].site),
                                          .mode = text_of(table[i].mode),
                                          .destination = text_of(table[i].destination),
                                          .origin = text_of(table[i].origin)};
        ck_assert_msg(tk_http_gate_check(&gate, &r, false) == table[i].status, "row %zu", i);
        ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 403);
    }
}
END_TEST

START_TEST(the_token)
{
    struct tk_http_gate gate = {.port = 1}, other = {.port = 1};
    char token[TK_HTTP_TOKEN + 2];
    ck_assert(tk_http_gate_init(&gate) && tk_http_gate_init(&other));
    ck_assert_uint_eq(strlen(gate.token), TK_HTTP_TOKEN);
    ck_assert_str_ne(gate.token, other.token);
    struct tk_http_request r = {.host = text_of("localhost:1"), .token = text_of(gate.token)};
    ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 200);
    for (size_t i = 0; i < TK_HTTP_TOKEN; i++) {
        memcpy(token, gate.token, sizeof gate.token);
        token[i] ^= 1;
        r.token = text_of(token);
        ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 403);
    }
    snprintf(token, sizeof token, "%s0", gate.token);
    r.token = text_of(token);
    ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 403);
    r.token.n = TK_HTTP_TOKEN - 1;
    ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 403);
    r.token = (struct tk_http_text){0};
    ck_assert_int_eq(tk_http_gate_check(&gate, &r, true), 403);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_request_as_browsers_send_it,
                                  a_request_in_parts,
                                  what_is_refused,
                                  what_is_too_long,
                                  escapes,
                                  numbers,
                                  who_may_ask,
                                  links,
                                  the_token};
    return RUN_TESTS("view-request", tests);
}
