/*
 * Words and identities. See word.h.
 */
#include "edit/anonymise/word.h"

#include <stdio.h>

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
