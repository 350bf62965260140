/*
 * CODEOWNERS files: their lines, and which one matches.
 */
#include "judge/owners.h"

#include "base/text/glob.h"

#include <string.h>

enum { MOST = 1024 /* bytes of a pattern, and of a path that is looked at */ };

/* ---- patterns of files ---- */

/* What a pattern has at a place: how many bytes of it. */
enum token { LITERAL, ONE, SEGMENT, FOLDERS, ALL };

static enum token token_at(const struct tk_str *p, size_t at, size_t *n)
{
    const bool two = at + 1 < p->n && p->p[at] == '*' && p->p[at + 1] == '*';
    *n = two ? 2 : 1;
    if (two && at + 2 < p->n && p->p[at + 2] == '/') {
        *n = 3;
        return FOLDERS;
    }
    return two ? ALL : p->p[at] == '*' ? SEGMENT : p->p[at] == '?' ? ONE : LITERAL;
}

/* One token further: in[j] says whether what was before matches j bytes of the path. */
static void step(enum token token, char c, const char *s, size_t n, const bool *in, bool *out)
{
    bool any = false;
    for (size_t j = 0; j <= n; j++) {
        const bool slash = j && s[j - 1] == '/';
        out[j] = token == LITERAL   ? j && in[j - 1] && s[j - 1] == c
                 : token == ONE     ? j && in[j - 1] && !slash
                 : token == SEGMENT ? in[j] || (j && out[j - 1] && !slash)
                 : token == ALL     ? in[j] || (j && out[j - 1])
                                    : in[j] || (any && slash);
        any |= in[j];
    }
}

/* Does the pattern match all of the path, or a folder that it lies in? It may begin at any folder, but where
 * it is `fixed`. */
static bool matches_path(const struct tk_owner_rule *r, const char *s, size_t n, bool fixed)
{
    bool rows[2][MOST + 1];
    const struct tk_str *p = r->pattern;
    const bool folder = !p->n || p->p[p->n - 1] != '*' || (p->n > 1 && p->p[p->n - 2] == '*');
    unsigned now = 0;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j == 0 || (!fixed && s[j - 1] == '/');
    for (size_t at = 0, bytes; at < p->n; at += bytes, now = !now) {
        const enum token token = token_at(p, at, &bytes);
        step(token, p->p[at], s, n, rows[now], rows[!now]);
    }
    if (rows[now][n] && !r->below)
        return true;
    for (size_t j = 1; j < n; j++)
        if (rows[now][j] && s[j] == '/' && (r->below || folder))
            return true;
    return false;
}

/* With slashes, without a drive and the root. The length; SIZE_MAX: too long. *rooted: the root was there. */
static size_t plain_path(char out[MOST], const struct tk_str *path, const struct tk_str *root, bool *rooted)
{
    size_t from = path->n > 1 && path->p[1] == ':' ? 2 : 0, n = 0;
    *rooted = false;
    if (path->n - from > MOST)
        return SIZE_MAX;
    for (size_t i = from; i < path->n; i++)
        out[n++] = path->p[i] == '\\' ? '/' : path->p[i];
    if (root && root->n < n && memcmp(out, root->p, root->n) == 0 && out[root->n] == '/') {
        *rooted = true;
        n -= root->n;
        memmove(out, out + root->n, n);
    }
    size_t slashes = 0;
    while (slashes < n && out[slashes] == '/')
        slashes++;
    memmove(out, out + slashes, n - slashes);
    return n - slashes;
}

static bool matches_file(const struct tk_owners *o, const struct tk_owner_rule *r, const struct tk_str *file)
{
    char path[MOST];
    bool rooted;
    const size_t n = plain_path(path, file, o->root, &rooted);
    return n != SIZE_MAX && matches_path(r, path, n, r->anchored && rooted);
}

/* ---- names ---- */

static bool matches_name(const struct tk_str *pattern, const char *p, size_t n)
{
    return tk_glob(pattern->p, pattern->n, p, n, false);
}

/* Without the number that distinguishes threads of a class. */
static size_t class_length(const struct tk_str *thread)
{
    size_t n = thread->n, bare;
    while (n && thread->p[n - 1] >= '0' && thread->p[n - 1] <= '9')
        n--;
    bare = n;
    while (bare && strchr(" \t#_-.:([", thread->p[bare - 1]))
        bare--;
    return n < thread->n && bare ? bare : thread->n;
}

static bool matches(const struct tk_owners *o, const struct tk_owner_rule *r, const struct tk_str *thread,
                    const struct tk_str *timer, const struct tk_str *file)
{
    if (r->kind == TK_OWNER_FILE)
        return file && file->n && matches_file(o, r, file);
    if (r->kind == TK_OWNER_TIMER)
        return timer && matches_name(r->pattern, timer->p, timer->n);
    return thread && (matches_name(r->pattern, thread->p, thread->n) ||
                      matches_name(r->pattern, thread->p, class_length(thread)));
}

const struct tk_owner_rule *tk_owners_find(const struct tk_owners *o, const struct tk_str *thread,
                                           const struct tk_str *timer, const struct tk_str *file)
{
    for (size_t i = o->v.n; i-- > 0;)
        if (matches(o, &o->v.v[i], thread, timer, file))
            return &o->v.v[i];
    return NULL;
}

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int refuse(struct tk_err *err, unsigned line, const char *what)
{
    return tk_err_set(err, TK_EUSAGE, "line %u: %s", line, what);
}

/* What CODEOWNERS does not have; NULL: nothing. */
static const char *flaw_of(const char *p, size_t n)
{
    if (p[0] == '!')
        return "a pattern cannot begin with '!'; a line without owners takes them away";
    if (n > 1 && p[0] == '\\' && p[1] == '#')
        return "a pattern cannot begin with '\\#'";
    return memchr(p, '[', n) || memchr(p, ']', n) ? "a pattern has no ranges in brackets" : NULL;
}

/* The length of the pattern that a line begins with: up to a blank that is not escaped. */
static size_t pattern_length(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && !is_blank(p[i]))
        i += p[i] == '\\' && i + 1 < n ? 2 : 1;
    return i < n ? i : n;
}

/* The pattern without escapes. */
static size_t unescape(char out[MOST], const char *p, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        i += p[i] == '\\' && i + 1 < n && p[i + 1] == ' ';
        out[to++] = p[i];
    }
    return to;
}

/* Of files: where the pattern is anchored, and whether it is a folder. */
static void take_slashes(struct tk_owner_rule *r, const char **p, size_t *n)
{
    r->below = *n && (*p)[*n - 1] == '/';
    *n -= r->below;
    r->anchored = memchr(*p, '/', *n) != NULL;
    if (*n && **p == '/') {
        ++*p;
        --*n;
    }
}

/* Owners with a blank between them, up to a comment. */
static size_t take_owners(char out[MOST], const char *p, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n && p[i] != '#';) {
        const size_t from = i;
        while (i < n && !is_blank(p[i]))
            i++;
        if (i > from && to + (i - from) + 1 < MOST) {
            if (to)
                out[to++] = ' ';
            memcpy(out + to, p + from, i - from);
            to += i - from;
        }
        i += i == from;
    }
    return to;
}

static int add_line(struct tk_owners *o, const char *p, size_t n, unsigned line, struct tk_err *err)
{
    static const char *const kinds[] = {"", "timer:", "thread:"};
    struct tk_owner_rule r = {.line = line};
    char pattern[MOST], owners[MOST];
    const size_t length = pattern_length(p, n);
    if (flaw_of(p, length))
        return refuse(err, line, flaw_of(p, length));
    if (length > MOST)
        return refuse(err, line, "a pattern has at most 1024 bytes");
    size_t bytes = unescape(pattern, p, length);
    const char *from = pattern;
    for (uint8_t k = TK_OWNER_TIMER; k <= TK_OWNER_THREAD; k++)
        if (bytes >= strlen(kinds[k]) && memcmp(pattern, kinds[k], strlen(kinds[k])) == 0)
            r.kind = k;
    from += strlen(kinds[r.kind]);
    bytes -= strlen(kinds[r.kind]);
    if (bytes == 0)
        return refuse(err, line, "there is no pattern behind the colon, as in 'timer:Physics*'");
    if (r.kind == TK_OWNER_FILE)
        take_slashes(&r, &from, &bytes);
    const size_t n_owners = take_owners(owners, p + length, n - length);
    r.pattern = tk_intern(&o->names, from, bytes, TK_ENC_UTF8);
    r.owners = tk_intern(&o->names, owners, n_owners, TK_ENC_UTF8);
    return r.pattern && r.owners && !tk_vec_push(&o->v, r) ? TK_OK : tk_err_nomem(err, "owners");
}

static int take_root(struct tk_owners *o, const char *root, struct tk_err *err)
{
    char path[MOST];
    size_t n = strlen(root), from = n > 1 && root[1] == ':' ? 2 : 0;
    if (n - from > MOST)
        return tk_err_set(err, TK_EUSAGE, "the folder of the sources has more than 1024 bytes");
    n -= from;
    for (size_t i = 0; i < n; i++)
        path[i] = root[from + i] == '\\' ? '/' : root[from + i];
    while (n && path[n - 1] == '/')
        n--;
    o->root = tk_intern(&o->names, path, n, TK_ENC_UTF8);
    return o->root ? TK_OK : tk_err_nomem(err, "owners");
}

int tk_owners_parse(struct tk_owners *o, const char *text, size_t n, const char *root, struct tk_err *err)
{
    unsigned line = 1;
    int rc = root ? take_root(o, root, err) : TK_OK;
    for (size_t at = 0, end; at < n && rc == TK_OK; at = end + 1, line++) {
        for (end = at; end < n && text[end] != '\n'; end++)
            ;
        size_t from = at;
        while (from < end && is_blank(text[from]))
            from++;
        if (from < end && text[from] != '#')
            rc = add_line(o, text + from, end - from, line, err);
    }
    return rc;
}

const struct tk_str *tk_owners_of(const struct tk_owners *owners, struct tk_intern *names,
                                  const struct tk_str *thread, const struct tk_str *timer,
                                  const struct tk_str *file)
{
    const struct tk_owner_rule *rule = tk_owners_find(owners, thread, timer, file);
    return rule ? tk_intern(names, rule->owners->p, rule->owners->n, TK_ENC_UTF8) : tk_intern_c(names, "");
}

void tk_owners_release(struct tk_owners *o)
{
    tk_vec_release(&o->v);
    tk_intern_release(&o->names);
}
