/*
 * Texts of a .tracy.
 */
#include "edit/tracy/edit_tracy.h"
#include "format/tracy/walk/own_tables.h"

#include <string.h>

/* ---- classes ---- */

struct rule {
    enum tk_anon_class class; /* TK_ANON_CLASSES: it stays */
    enum tk_anon_form form;
};

/* The first of the roles of a text by which it is written; all of them learn. */
static const struct rule rules[TK_TRACY_ROLES] = {
    [TK_TRACY_ROLE_TIMER] = {TK_ANON_TIMERS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_FUNCTION] = {TK_ANON_FUNCTIONS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_FILE] = {TK_ANON_PATHS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_MODULE] = {TK_ANON_PATHS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_MESSAGE] = {TK_ANON_LOGS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_ZONE_TEXT] = {TK_ANON_ASSETS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_THREAD] = {TK_ANON_NAMES, TK_ANON_THREAD},
    [TK_TRACY_ROLE_PROCESS] = {TK_ANON_NAMES, TK_ANON_WHOLE},
    [TK_TRACY_ROLE_NAME] = {TK_ANON_NAMES, TK_ANON_PARTS},
    [TK_TRACY_ROLE_CRASH] = {TK_ANON_LOGS, TK_ANON_PARTS},
    [TK_TRACY_ROLE_INFO] = {TK_ANON_PROJECT, TK_ANON_WHOLE},
    [TK_TRACY_ROLE_EDIT] = {TK_ANON_CLASSES, TK_ANON_WHOLE},
};

static const struct rule head_rules[TK_TRACY_HEAD_TEXTS] = {
    [TK_TRACY_CAPTURE_NAME] = {TK_ANON_PROJECT, TK_ANON_PARTS},
    [TK_TRACY_PROGRAM] = {TK_ANON_PROJECT, TK_ANON_PARTS},
    [TK_TRACY_HOST] = {TK_ANON_USERS, TK_ANON_WHOLE},
};

/* A text without a use goes under the strictest of rules: nobody knows what it says. */
static const struct rule unknown = {TK_ANON_NAMES, TK_ANON_WHOLE};

/* What an edit says of itself stays, and names of timers do as a class; the rest by the first class that is
 * replaced, else by the first. */
static struct rule rule_of(const struct tk_anon *anon, uint32_t roles)
{
    const struct rule *found = NULL;
    if (roles >> TK_TRACY_ROLE_TIMER & 1 && tk_anon_keeps_timers(anon))
        return rules[TK_TRACY_ROLE_TIMER];
    for (unsigned i = TK_TRACY_ROLES; i-- > 0;) {
        if (!(roles >> i & 1))
            continue;
        if (i == TK_TRACY_ROLE_EDIT)
            return rules[i];
        if (!found || tk_anon_has(anon->classes, rules[i].class))
            found = &rules[i];
    }
    return found ? *found : unknown;
}

/* ---- host ---- */

/* Lines of the host that say nothing about who it is. */
static bool is_public_line(const uint8_t *p, size_t n)
{
    static const char *const keys[] = {"OS:", "Compiler:", "Arch:", "CPU:", "CPU cores:", "RAM:"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (n >= strlen(keys[i]) && memcmp(p, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

typedef void line_fn(struct tk_tracy_texts *t, const uint8_t *p, size_t n, bool known);

static void each_line(struct tk_tracy_texts *t, struct tk_bytes text, line_fn *fn)
{
    for (size_t at = 0; at < text.n;) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        const size_t n = end ? (size_t)(end - text.p) - at : text.n - at;
        fn(t, text.p + at, n, is_public_line(text.p + at, n));
        if (end && t->learned)
            tk_anon_put(&t->text, "\n", 1);
        at += n + 1;
    }
}

/* "User: name@machine (full name)": each of its words is a name. */
static void learn_line(struct tk_tracy_texts *t, const uint8_t *p, size_t n, bool known)
{
    const uint8_t *colon = memchr(p, ':', n);
    size_t at = colon ? (size_t)(colon - p) + 1 : 0, start;
    while (!known && tk_anon_token(p, n, &at, &start))
        t->text.failed |=
            tk_anon_learn(t->anon, TK_ANON_USERS, TK_ANON_WHOLE, p + start, at - start) != TK_OK;
}

static void put_line(struct tk_tracy_texts *t, const uint8_t *p, size_t n, bool known)
{
    if (known || !tk_anon_has(t->anon->classes, TK_ANON_USERS)) {
        tk_anon_rewrite(t->anon, TK_ANON_CLASSES, TK_ANON_PARTS, p, n, &t->text);
        return;
    }
    const uint8_t *colon = memchr(p, ':', n);
    const size_t key = colon ? (size_t)(colon - p) + 1 : 0;
    size_t at = key, start, done = key;
    tk_anon_rewrite(t->anon, TK_ANON_CLASSES, TK_ANON_PARTS, p, key, &t->text);
    while (tk_anon_token(p, n, &at, &start)) {
        tk_anon_put(&t->text, p + done, start - done);
        tk_anon_rewrite(t->anon, TK_ANON_USERS, TK_ANON_WHOLE, p + start, at - start, &t->text);
        done = at;
    }
    tk_anon_put(&t->text, p + done, n - done);
}

/* ---- learning ---- */

int tk_tracy_texts_learn(struct tk_tracy_texts *t, const struct tk_tracy_pass *pass)
{
    const struct tk_tracy_strings *strings = &pass->c->strings;
    int rc = TK_OK;
    for (size_t i = 0; i < strings->v.n && i < pass->roles.n && rc == TK_OK; i++) {
        const uint8_t *p = (const uint8_t *)strings->v.v[i].p;
        const uint32_t roles = pass->roles.v[i];
        for (unsigned k = 0; k < TK_TRACY_ROLES && rc == TK_OK && !(roles >> TK_TRACY_ROLE_EDIT & 1); k++)
            if (roles >> k & 1)
                rc = tk_anon_learn(t->anon, rules[k].class, rules[k].form, p, strings->v.v[i].n);
    }
    t->learned = true;
    return t->text.failed ? TK_ENOMEM : rc;
}

/* ---- writing ---- */

/* A timer that is called otherwise now still says that it waits. */
static void put_kind(struct tk_tracy_texts *t, const uint8_t *p, size_t n)
{
    if (!t->kind || t->text.failed)
        return;
    const char *kind = t->kind(t->kind_ctx, p, n),
               *left = t->kind(t->kind_ctx, t->text.bytes.v, t->text.bytes.n);
    if (!kind || kind == left || tk_anon_find(t->anon, TK_ANON_TIMERS, (const uint8_t *)kind, strlen(kind)))
        return;
    tk_anon_put(&t->text, " ", 1);
    tk_anon_put(&t->text, kind, strlen(kind));
}

static bool give(struct tk_tracy_texts *t, enum tk_anon_class class, const void *p, size_t n,
                 struct tk_bytes *out)
{
    const bool other = t->text.bytes.n != n || (n && memcmp(t->text.bytes.v, p, n) != 0);
    t->replaced += other;
    if (t->learned && t->wants_kept && !other && n) {
        const struct tk_tracy_kept_text kept = {tk_arena_copy(&t->arena, p, n), (uint32_t)n, class};
        t->text.failed |= !kept.p || tk_vec_push(&t->kept, kept);
    }
    *out = (struct tk_bytes){t->text.bytes.v, t->text.bytes.n};
    return !t->text.failed;
}

bool tk_tracy_texts_string(void *ctx, uint32_t roles, const struct tk_str *text, struct tk_bytes *out)
{
    struct tk_tracy_texts *t = ctx;
    const uint8_t *p = (const uint8_t *)text->p;
    const struct rule rule = rule_of(t->anon, roles);
    t->text.bytes.n = 0;
    if (rule.class == TK_ANON_CLASSES)
        tk_anon_put(&t->text, p, text->n);
    else
        tk_anon_rewrite(t->anon, rule.class, rule.form, p, text->n, &t->text);
    if (roles >> TK_TRACY_ROLE_TIMER & 1)
        put_kind(t, p, text->n);
    if (rule.class == TK_ANON_TIMERS && tk_anon_keeps_timers(t->anon) && !t->text.failed)
        t->text.failed |= tk_map_put(&t->timers, tk_hash_bytes(t->text.bytes.v, t->text.bytes.n, 0), 1) != 0;
    return give(t, rule.class, p, text->n, out);
}

bool tk_tracy_texts_head(void *ctx, enum tk_tracy_head_text which, struct tk_bytes text, struct tk_bytes *out)
{
    struct tk_tracy_texts *t = ctx;
    const struct rule rule = head_rules[which];
    t->text.bytes.n = 0;
    if (which == TK_TRACY_HOST)
        each_line(t, text, t->learned ? put_line : learn_line);
    else if (t->learned)
        tk_anon_rewrite(t->anon, rule.class, rule.form, text.p, text.n, &t->text);
    else
        t->text.failed |= tk_anon_learn(t->anon, rule.class, rule.form, text.p, text.n) != TK_OK;
    return give(t, rule.class, text.p, text.n, out);
}

/* ---- looking ---- */

static int refuse(const struct tk_anon_entry *hit, const char *where, struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT,
                      "a text of the class '%s' that should have been replaced is still in the %s; nothing "
                      "was written. Remove what contains it with --drop, or keep the text with --keep-text",
                      tk_anon_class_name(hit->class), where);
}

static enum tk_anon_class class_in(const struct tk_tracy_texts *t, const struct tk_str *text)
{
    const uint32_t found = tk_map_get(&t->timers, tk_hash_bytes(text->p, text->n, 0));
    return found != TK_MAP_NONE ? TK_ANON_TIMERS : TK_ANON_CLASSES;
}

int tk_tracy_texts_inspect(const struct tk_tracy_texts *t, struct tk_tracy_capture *result,
                           struct tk_err *err)
{
    const struct tk_anon *anon = t->anon;
    if (result->strings.incomplete)
        return tk_err_set(err, TK_ELIMIT,
                          "not all texts of the result fit in the limit 'strings'; raise it with --limit");
    for (size_t i = 0; i < result->strings.v.n; i++) {
        const struct tk_str *text = &result->strings.v.v[i];
        const struct tk_anon_entry *hit =
            tk_tracy_edit_is(text) ? NULL
                                   : tk_anon_find(anon, class_in(t, text), (const uint8_t *)text->p, text->n);
        if (hit)
            return refuse(hit, "table of strings", err);
    }
    for (size_t i = 0; i < result->definitions.n; i++) { /* texts of the header are part of the session */
        const struct tk_fact *fact = &result->definitions.v[i];
        if (fact->kind != TK_FACT_SESSION || fact->u.session.value.kind != TK_TEXT)
            continue;
        const struct tk_anon_entry *hit =
            tk_anon_find(anon, TK_ANON_CLASSES, fact->u.session.value.v.p, fact->u.session.value.n);
        if (hit)
            return refuse(hit, "header", err);
    }
    return TK_OK;
}

void tk_tracy_texts_release(struct tk_tracy_texts *t)
{
    tk_vec_release(&t->text.bytes);
    tk_vec_release(&t->kept);
    tk_map_release(&t->timers);
    tk_arena_release(&t->arena);
}
