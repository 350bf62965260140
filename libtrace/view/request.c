/*
 * Requests of HTTP/1.1.
 */
#include "os/process.h"
#include "view/view_in.h"

#include <stdio.h>
#include <string.h>

/*
 * The gate.
 */

bool tk_http_gate_init(struct tk_http_gate *gate)
{
    uint64_t bits[2];
    if (!tk_random(&bits[0]) || !tk_random(&bits[1]))
        return false;
    snprintf(gate->token, sizeof gate->token, "%016llx%016llx", (unsigned long long)bits[0],
             (unsigned long long)bits[1]);
    return true;
}

static bool is_own_host(const struct tk_http_gate *gate, struct tk_http_text host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s:%u", names[i], gate->port);
        if (tk_http_is(host, own))
            return true;
    }
    for (size_t i = 0; i < gate->n_hosts; i++)
        if (tk_http_is(host, gate->hosts[i]))
            return true;
    return false;
}

static bool is_own_origin(const struct tk_http_gate *gate, struct tk_http_text origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t n = strlen(schemes[i]);
        if (origin.n > n && memcmp(origin.p, schemes[i], n) == 0)
            return is_own_host(gate, (struct tk_http_text){origin.p + n, origin.n - n});
    }
    return false;
}

static bool gate_is_token(const struct tk_http_gate *gate, struct tk_http_text token)
{
    unsigned different = 0;
    if (!token.p || token.n != TK_HTTP_TOKEN)
        return false;
    for (size_t i = 0; i < TK_HTTP_TOKEN; i++)
        different |= (unsigned)(unsigned char)token.p[i] ^ (unsigned char)gate->token[i];
    return different == 0;
}

/* From our page, or typed; or a link to the page that is followed, which is neither a frame nor a request of
 * a script. */
static bool is_site_allowed(const struct tk_http_request *request)
{
    if (!request->site.p || tk_http_is(request->site, "same-origin") || tk_http_is(request->site, "none"))
        return true;
    return tk_http_is(request->path, "/") && tk_http_is(request->mode, "navigate") &&
           tk_http_is(request->destination, "document");
}

int tk_http_gate_check(const struct tk_http_gate *gate, const struct tk_http_request *request, bool secret)
{
    if (!is_own_host(gate, request->host))
        return TK_HTTP_MISDIRECTED;
    if (request->origin.p && !is_own_origin(gate, request->origin))
        return TK_HTTP_FORBIDDEN;
    if (!is_site_allowed(request))
        return TK_HTTP_FORBIDDEN;
    return secret && !gate_is_token(gate, request->token) ? TK_HTTP_FORBIDDEN : TK_HTTP_OK;
}

const char *tk_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{TK_HTTP_OK, "OK"},
                   {TK_HTTP_NO_CONTENT, "No Content"},
                   {TK_HTTP_BAD_REQUEST, "Bad Request"},
                   {TK_HTTP_FORBIDDEN, "Forbidden"},
                   {TK_HTTP_NOT_FOUND, "Not Found"},
                   {TK_HTTP_METHOD_NOT_ALLOWED, "Method Not Allowed"},
                   {TK_HTTP_CONFLICT, "Conflict"},
                   {TK_HTTP_GONE, "Gone"},
                   {TK_HTTP_URI_TOO_LONG, "URI Too Long"},
                   {TK_HTTP_MISDIRECTED, "Misdirected Request"},
                   {TK_HTTP_FIELDS_TOO_LARGE, "Request Header Fields Too Large"},
                   {TK_HTTP_UNAVAILABLE, "Service Unavailable"},
                   {TK_HTTP_VERSION, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Internal Server Error";
}

bool tk_http_is(struct tk_http_text text, const char *wanted)
{
    return text.p && text.n == strlen(wanted) && memcmp(text.p, wanted, text.n) == 0;
}

/* Characters of names of fields and of methods. */
static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_name(struct tk_http_text name, const char *wanted)
{
    if (name.n != strlen(wanted))
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (lower(name.p[i]) != wanted[i])
            return false;
    return true;
}

/* Cuts the line off that text begins with, without its end; false where there is none, which is CR LF. */
static bool cut_line(struct tk_http_text *text, struct tk_http_text *line)
{
    const char *end = memchr(text->p, '\n', text->n);
    if (!end || end == text->p || end[-1] != '\r')
        return false;
    *line = (struct tk_http_text){text->p, (size_t)(end - text->p) - 1};
    text->n -= (size_t)(end + 1 - text->p);
    text->p = end + 1;
    return true;
}

/* Cuts what is before a character, which is cut off, too. */
static bool cut_word(struct tk_http_text *text, char end, struct tk_http_text *word)
{
    const char *at = memchr(text->p, end, text->n);
    if (!at)
        return false;
    *word = (struct tk_http_text){text->p, (size_t)(at - text->p)};
    text->n -= word->n + 1;
    text->p = at + 1;
    return true;
}

/* ---- the first line ---- */

static int read_target(struct tk_http_request *out, struct tk_http_text target)
{
    if (target.n == 0 || target.p[0] != '/')
        return TK_HTTP_BAD_REQUEST;
    for (size_t i = 0; i < target.n; i++)
        if (target.p[i] <= ' ' || target.p[i] > '~' || target.p[i] == '#')
            return TK_HTTP_BAD_REQUEST;
    out->path = target;
    if (!cut_word(&target, '?', &out->path))
        return TK_HTTP_OK;
    out->query = target;
    return TK_HTTP_OK;
}

static int read_first_line(struct tk_http_request *out, struct tk_http_text line)
{
    struct tk_http_text method, target;
    if (!cut_word(&line, ' ', &method) || !cut_word(&line, ' ', &target))
        return TK_HTTP_BAD_REQUEST;
    if (target.n > TK_HTTP_TARGET)
        return TK_HTTP_URI_TOO_LONG;
    if (line.n != 8 || memcmp(line.p, "HTTP/", 5) != 0)
        return TK_HTTP_BAD_REQUEST;
    if (memcmp(line.p + 5, "1.1", 3) != 0)
        return TK_HTTP_VERSION;
    if (!tk_http_is(method, "GET"))
        return TK_HTTP_METHOD_NOT_ALLOWED;
    return read_target(out, target);
}

/* Is it no request, as far as it has come? What speaks another protocol is refused at once. */
static int look_at_begin(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && i <= TK_HTTP_METHOD && is_token(p[i]))
        i++;
    if (i == n)
        return i > TK_HTTP_METHOD ? TK_HTTP_BAD_REQUEST : 0;
    if (i == 0 || i > TK_HTTP_METHOD || p[i] != ' ')
        return TK_HTTP_BAD_REQUEST;
    const char *end = memchr(p, '\n', n);
    const size_t line = end ? (size_t)(end - p) : n;
    return line > i + 1 + TK_HTTP_TARGET + 16 ? TK_HTTP_URI_TOO_LONG : 0;
}

/* ---- fields ---- */

/* Keeps the value of a field that may be there once. */
static int keep(struct tk_http_text *to, struct tk_http_text value)
{
    if (to->p)
        return TK_HTTP_BAD_REQUEST;
    *to = value;
    return TK_HTTP_OK;
}

/* A request of GET brings nothing. */
static int take_length(struct tk_http_text value)
{
    return tk_http_is(value, "0") ? TK_HTTP_OK : TK_HTTP_BAD_REQUEST;
}

static int take_field(struct tk_http_request *out, struct tk_http_text name, struct tk_http_text value)
{
    if (is_name(name, "host"))
        return keep(&out->host, value);
    if (is_name(name, "origin"))
        return keep(&out->origin, value);
    if (is_name(name, "sec-fetch-site"))
        return keep(&out->site, value);
    if (is_name(name, "sec-fetch-mode"))
        return keep(&out->mode, value);
    if (is_name(name, "sec-fetch-dest"))
        return keep(&out->destination, value);
    if (is_name(name, "x-tracekit-token"))
        return keep(&out->token, value);
    if (is_name(name, "content-length"))
        return take_length(value);
    if (is_name(name, "transfer-encoding"))
        return TK_HTTP_BAD_REQUEST;
    if (is_name(name, "connection"))
        out->close |= is_name(value, "close");
    return TK_HTTP_OK;
}

static int read_field(struct tk_http_request *out, struct tk_http_text line)
{
    struct tk_http_text name;
    if (!cut_word(&line, ':', &name) || name.n == 0)
        return TK_HTTP_BAD_REQUEST;
    for (size_t i = 0; i < name.n; i++)
        if (!is_token(name.p[i]))
            return TK_HTTP_BAD_REQUEST;
    while (line.n && (*line.p == ' ' || *line.p == '\t'))
        line.p++, line.n--;
    while (line.n && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
        line.n--;
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
            return TK_HTTP_BAD_REQUEST;
    return take_field(out, name, line);
}

/* ---- the request ---- */

/* Where the empty line ends that ends a request; 0: nowhere yet. */
static size_t find_end(const char *p, size_t n)
{
    for (size_t i = 0; i + 4 <= n; i++) {
        const char *at = memchr(p + i, '\r', n - i);
        if (!at)
            return 0;
        i = (size_t)(at - p);
        if (i + 4 <= n && memcmp(at, "\r\n\r\n", 4) == 0)
            return i + 4;
    }
    return 0;
}

int tk_http_parse(struct tk_http_request *out, const char *p, size_t n, size_t *used)
{
    const size_t most = n < TK_HTTP_HEAD ? n : TK_HTTP_HEAD;
    struct tk_http_text line;
    *out = (struct tk_http_request){0};
    *used = 0;
    int status = look_at_begin(p, n);
    if (status)
        return status;
    const size_t end = find_end(p, most);
    if (!end)
        return n >= TK_HTTP_HEAD ? TK_HTTP_FIELDS_TOO_LARGE : 0;
    struct tk_http_text text = {p, end - 2}; /* without the empty line */
    status = cut_line(&text, &line) ? read_first_line(out, line) : TK_HTTP_BAD_REQUEST;
    while (status == TK_HTTP_OK && text.n)
        status = cut_line(&text, &line) ? read_field(out, line) : TK_HTTP_BAD_REQUEST;
    if (status == TK_HTTP_OK && !out->host.p)
        status = TK_HTTP_BAD_REQUEST;
    *used = end;
    return status;
}

/* ---- parameters ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static long decode(struct tk_http_text from, char *out, size_t n)
{
    size_t done = 0;
    for (size_t i = 0; i < from.n; i++) {
        int c = from.p[i] == '+' ? ' ' : (unsigned char)from.p[i];
        if (c == '%') {
            if (from.n - i < 3 || digit(from.p[i + 1]) < 0 || digit(from.p[i + 2]) < 0)
                return -2;
            c = digit(from.p[i + 1]) << 4 | digit(from.p[i + 2]);
            i += 2;
        }
        if (c == 0 || done + 1 >= n)
            return -2;
        out[done++] = (char)c;
    }
    out[done] = '\0';
    return (long)done;
}

long tk_http_parameter(struct tk_http_text query, const char *name, char *out, size_t n)
{
    while (query.n) {
        struct tk_http_text one, key;
        if (!cut_word(&query, '&', &one)) {
            one = query;
            query.n = 0;
        }
        if (cut_word(&one, '=', &key) && tk_http_is(key, name))
            return decode(one, out, n);
    }
    return -1;
}

int tk_http_number(struct tk_http_text query, const char *name, int64_t least, int64_t most, int64_t *out)
{
    char text[24];
    const long n = tk_http_parameter(query, name, text, sizeof text);
    if (n == -1)
        return 0;
    const bool minus = n > 0 && text[0] == '-';
    uint64_t v = 0;
    if (n <= minus || n > 19 + minus)
        return -1;
    for (long i = minus; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    if (v > INT64_MAX)
        return -1;
    const int64_t value = minus ? -(int64_t)v : (int64_t)v;
    if (value < least || value > most)
        return -1;
    *out = value;
    return 1;
}
