/*
 * Pieces of texts.
 */
#include "edit/anonymise/pieces.h"

#include "edit/anonymise/dictionary.h"

#include <stdio.h>
#include <string.h>

/*
 * Words and identities.
 */

enum { CHECKED = TK_ANON_WORD - 2 };

static uint8_t check_of(const struct tk_hmac *key, const char *word)
{
    uint8_t code[TK_SHA256_BYTES];
    tk_hmac_of(key, word, CHECKED, code);
    return code[0];
}

size_t tk_anon_word_of(const struct tk_hmac *key, const uint8_t *p, size_t n, bool longer,
                       char out[TK_ANON_LONGEST])
{
    uint8_t code[TK_SHA256_BYTES];
    size_t at = 1, i = 0;
    tk_hmac_of(key, p, n, code);
    out[0] = 'w';
    for (; at < CHECKED; i++, at += 2)
        snprintf(out + at, 3, "%02x", code[i]);
    snprintf(out + at, 3, "%02x", check_of(key, out));
    at += 2;
    for (; longer && at < TK_ANON_LONG_WORD; i++, at += 2)
        snprintf(out + at, 3, "%02x", code[i]);
    return at;
}

/* Bytes from `at` on that are digits of words, or of numbers. */
static size_t digits_from(const uint8_t *p, size_t n, size_t at, bool hex)
{
    size_t i = at;
    while (i < n && ((p[i] >= '0' && p[i] <= '9') || (hex && p[i] >= 'a' && p[i] <= 'f')))
        i++;
    return i - at;
}

bool tk_anon_word_is_own(const struct tk_hmac *key, const uint8_t *p, size_t n)
{
    char check[3];
    if (n < TK_ANON_WORD || n > TK_ANON_LONGEST || p[0] != 'w' || digits_from(p, n, 1, true) != n - 1)
        return false;
    const size_t word = n >= TK_ANON_LONG_WORD ? TK_ANON_LONG_WORD : TK_ANON_WORD;
    if (digits_from(p, n, word, false) != n - word &&
        digits_from(p, n, TK_ANON_WORD, false) != n - TK_ANON_WORD)
        return false;
    snprintf(check, sizeof check, "%02x", check_of(key, (const char *)p));
    return memcmp(check, p + CHECKED, 2) == 0;
}

/* Two bytes that only the key gives to those before them. */
static void seal(const struct tk_hmac *key, const uint8_t *p, size_t n, uint8_t out[2])
{
    uint8_t code[TK_SHA256_BYTES];
    tk_hmac_of(key, p, n, code);
    memcpy(out, code, 2);
}

static void put_identity(const struct tk_hmac *key, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    enum { SEAL = 2 };
    uint8_t code[TK_SHA256_BYTES], end[SEAL];
    if (n > SEAL) {
        seal(key, p, n - SEAL, end);
        if (memcmp(end, p + n - SEAL, SEAL) == 0) {
            tk_anon_put(out, p, n);
            return;
        }
    }
    tk_hmac_of(key, p, n, code);
    if (n > SEAL)
        seal(key, code, n - SEAL, code + n - SEAL);
    tk_anon_put(out, code, n);
}

void tk_anon_identity(const struct tk_hmac *key, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    for (size_t at = 0; at < n; at += TK_SHA256_BYTES)
        put_identity(key, p + at, n - at < TK_SHA256_BYTES ? n - at : TK_SHA256_BYTES, out);
}

uint32_t tk_anon_key_check(const struct tk_hmac *key)
{
    uint8_t code[TK_SHA256_BYTES];
    tk_hmac_of(key, "", 0, code);
    return (uint32_t)code[0] << 24 | (uint32_t)code[1] << 16 | (uint32_t)code[2] << 8 | code[3];
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Up to three digits. */
static bool skip_octet(const uint8_t *p, size_t n, size_t *at)
{
    const size_t from = *at;
    while (*at < n && *at - from < 4 && is_digit(p[*at]))
        ++*at;
    return *at > from && *at - from <= 3;
}

static bool is_quad(const uint8_t *p, size_t n, size_t at)
{
    for (unsigned i = 0; i < 4; i++) {
        if (i && (at >= n || p[at++] != '.'))
            return false;
        if (!skip_octet(p, n, &at))
            return false;
    }
    return at >= n || !tk_anon_is_word(p[at]);
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Groups of up to four hex digits with two colons or more between them: of IPv6, of a network card, and, as
 * they look the same, times of day. Without a digit it is rather the name of something in a namespace. */
static bool is_colons(const uint8_t *p, size_t n, size_t at)
{
    enum { MOST_GROUPS = 8, MOST_DIGITS = 4 };
    size_t colons = 0;
    bool digit = false;
    for (unsigned i = 0; i < MOST_GROUPS; i++) {
        const size_t from = at;
        for (; at < n && is_hex(p[at]); at++)
            digit |= is_digit(p[at]);
        if (at == from || at - from > MOST_DIGITS)
            return false;
        if (colons >= 2 && digit && (at >= n || !tk_anon_is_word(p[at])))
            return true;
        for (unsigned k = 0; k < 2 && at < n && p[at] == ':'; k++, at++)
            colons++;
    }
    return false;
}

/* An address of a host, a mail address, or a URL. */
static bool has_address(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '@' && i && i + 1 < n && tk_anon_is_word(p[i - 1]) && tk_anon_is_word(p[i + 1]))
            return true;
        if (p[i] == ':' && i + 2 < n && p[i + 1] == '/' && p[i + 2] == '/')
            return true;
        if (i && tk_anon_is_word(p[i - 1]))
            continue;
        if ((is_digit(p[i]) && is_quad(p, n, i)) || (is_hex(p[i]) && is_colons(p, n, i)))
            return true;
    }
    return false;
}

void tk_anon_pieces_begin(struct tk_anon_pieces *s, enum tk_anon_class class, enum tk_anon_form form,
                          const uint8_t *p, size_t n)
{
    *s = (struct tk_anon_pieces){.p = p, .n = n, .form = form, .class = class};
    s->address = form != TK_ANON_WHOLE && form != TK_ANON_COMMAND && has_address(p, n);
    s->whose = !s->address && n > 2 && p[0] == p[1] && (p[0] == '\\' || p[0] == '/'); /* \\machine\... */
}

static bool is_break(uint8_t c)
{
    return c == '/' || c == '\\' || c == '.' || c == ':';
}

static bool is_among(uint8_t c, const char *set)
{
    return c && strchr(set, c);
}

/* Skips up to `most` of these characters. */
static size_t skip(const uint8_t *p, size_t n, size_t at, const char *set, size_t most)
{
    for (size_t left = most; left && at < n && is_among(p[at], set); left--)
        at++;
    return at;
}

/* Where the conversion at p (a percent sign) ends: %[flags][width][.precision][length]letter. A percent sign
 * that begins none stands for itself. */
static size_t conversion(const uint8_t *p, size_t n)
{
    static const char *const digits = "0123456789*";
    size_t at = skip(p, n, skip(p, n, 1, "-+ #0", 5), digits, 3);
    if (at < n && p[at] == '.')
        at = skip(p, n, at + 1, digits, 3);
    at = skip(p, n, at, "hjlztL", 2);
    return at < n && is_among(p[at], "diouxXeEfFgGaAcCsSpn%") ? at + 1 : 1;
}

/* Is a text in pieces at all? One with an address only at conversions. */
static bool is_cut(const struct tk_anon_pieces *s)
{
    return !s->address && (s->form == TK_ANON_PARTS || s->form == TK_ANON_FORMAT);
}

static bool ends_piece(const struct tk_anon_pieces *s, uint8_t c)
{
    return (is_cut(s) && is_break(c)) || (s->form == TK_ANON_FORMAT && c == '%');
}

/* Bytes from here on that belong together. */
static size_t piece_size(const struct tk_anon_pieces *s)
{
    size_t at = s->at, end = s->at;
    for (; at < s->n; at++) {
        if (ends_piece(s, s->p[at]))
            break;
        if (tk_anon_is_word(s->p[at]))
            end = at + 1;
    }
    return end - s->at;
}

/* Bytes from here on that belong to no piece. */
static size_t literal_size(const struct tk_anon_pieces *s)
{
    size_t at = s->at;
    while (at < s->n && !tk_anon_is_word(s->p[at])) {
        if (s->form == TK_ANON_FORMAT && s->p[at] == '%')
            at += conversion(s->p + at, s->n - at);
        else
            at++;
    }
    return at - s->at;
}

static bool is_text(const struct tk_anon_piece *piece, const char *text)
{
    const size_t n = strlen(text);
    if (piece->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((piece->p[i] | 0x20) != text[i])
            return false;
    return true;
}

bool tk_anon_pieces_next(struct tk_anon_pieces *s, struct tk_anon_piece *out)
{
    const size_t literal = s->at < s->n ? literal_size(s) : 0;
    if (s->at >= s->n)
        return false;
    *out = (struct tk_anon_piece){s->p + s->at, literal, true, s->class};
    if (!literal) {
        out->n = piece_size(s);
        out->literal = false;
        if (s->address)
            out->class = TK_ANON_ADDRESSES;
        else if (s->whose)
            out->class = TK_ANON_USERS;
        s->whose = is_cut(s) && s->at + out->n < s->n && is_break(s->p[s->at + out->n]) &&
                   (is_text(out, "users") || is_text(out, "home"));
    }
    s->at += out->n;
    return true;
}

bool tk_anon_token(const uint8_t *p, size_t n, size_t *at, size_t *start)
{
    while (*at < n && !tk_anon_is_word(p[*at]))
        ++*at;
    *start = *at;
    while (*at < n && tk_anon_is_word(p[*at]))
        ++*at;
    return *at > *start;
}

size_t tk_anon_stem(const uint8_t *p, size_t n)
{
    size_t stem = n;
    while (stem && is_digit(p[stem - 1]))
        stem--;
    if (stem == n || n - stem > 4)
        return n;
    while (stem && strchr(" #_-", p[stem - 1]))
        stem--;
    return stem ? stem : n;
}
