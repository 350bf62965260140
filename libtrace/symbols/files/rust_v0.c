/*
 * Names of Rust of version 0, by the grammar of RFC 2603. Each function takes what it is called after and
 * appends its text; what is not known makes the whole fail.
 */
#include "symbols/files/files_in.h"

#include <stdio.h>
#include <string.h>

/*
 * Identifiers in punycode (RFC 3492) with `_` as the separator.
 */

enum { MOST_CODES = 256, BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, BIAS = 72, FIRST = 128 };

struct codes {
    uint32_t v[MOST_CODES];
    size_t n;
};

static uint32_t adapt(uint32_t delta, uint32_t n, bool first)
{
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / n;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static bool digit_of(char c, uint32_t *digit)
{
    const bool letter = c >= 'a' && c <= 'z';
    *digit = letter ? (uint32_t)(c - 'a') : (uint32_t)(c - '0') + 26;
    return letter || (c >= '0' && c <= '9');
}

/* A number of variable length, at most 2^28. */
static bool take_delta(const char **p, const char *end, uint32_t bias, uint32_t *delta)
{
    uint64_t sum = 0, weight = 1;
    for (uint32_t k = BASE; *p < end; k += BASE) {
        const uint32_t t = k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
        uint32_t digit;
        if (!digit_of(*(*p)++, &digit))
            return false;
        sum += digit * weight;
        if (sum >> 28 || weight >> 28)
            return false;
        *delta = (uint32_t)sum;
        if (digit < t)
            return true;
        weight *= BASE - t;
    }
    return false;
}

static bool insert(struct codes *codes, size_t at, uint32_t code)
{
    if (codes->n >= MOST_CODES || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    memmove(codes->v + at + 1, codes->v + at, (codes->n - at) * sizeof codes->v[0]);
    codes->v[at] = code;
    codes->n++;
    return true;
}

static bool decode(struct codes *codes, const char *p, const char *end)
{
    uint32_t code = FIRST, bias = BIAS, at = 0, delta;
    for (bool first = true; p < end; first = false, at++) {
        if (!take_delta(&p, end, bias, &delta))
            return false;
        const uint32_t n = (uint32_t)codes->n + 1;
        bias = adapt(delta, n, first);
        at += delta;
        code += at / n;
        at %= n;
        if (!insert(codes, at, code))
            return false;
    }
    return true;
}

bool tk_rust_put_punycode(struct tk_rust_name *out, const char *p, size_t n)
{
    struct codes codes = {.n = 0};
    size_t plain = n;
    while (plain && p[plain - 1] != '_')
        plain--;
    if (plain == n || plain > MOST_CODES)
        return false;
    for (size_t i = 0; i + 1 < plain; i++)
        codes.v[codes.n++] = (uint8_t)p[i];
    if (!decode(&codes, p + plain, p + n))
        return false;
    for (size_t i = 0; i < codes.n; i++)
        tk_rust_put_code(out, codes.v[i]);
    return true;
}

enum { MOST_DEPTH = 96, MOST_STEPS = 20000, MOST_LIFETIMES = 1000 };

struct reading {
    struct tk_rust_name *out;
    const char *p; /* behind _R: places of back references count from there */
    size_t n, at;
    unsigned depth, steps;
    uint64_t lifetimes; /* that are bound around */
    bool silent, failed;
};

struct identifier {
    const char *p;
    size_t n;
    bool punycode;
};

static void type(struct reading *r);
static void constant(struct reading *r);
static void path(struct reading *r, bool in_value, bool *open);

static void put(struct reading *r, const char *text)
{
    if (!r->silent)
        tk_rust_put(r->out, text, strlen(text));
}

static char peek(const struct reading *r)
{
    return !r->failed && r->at < r->n ? r->p[r->at] : '\0';
}

static bool eat(struct reading *r, char c)
{
    const bool there = peek(r) == c;
    r->at += there;
    return there;
}

static char take(struct reading *r)
{
    char c = peek(r);
    r->failed |= c == '\0';
    r->at += !r->failed;
    return c;
}

/* Goes one level down. false: there are too many, or there was too much to do. */
static bool enter(struct reading *r)
{
    r->failed |= r->depth >= MOST_DEPTH || r->steps >= MOST_STEPS || r->out->full;
    r->depth++;
    r->steps++;
    return !r->failed;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- numbers and identifiers ---- */

static int digit62(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                  : -1;
}

static uint64_t base62(struct reading *r)
{
    uint64_t v = 0;
    if (eat(r, '_'))
        return 0;
    while (!r->failed && !eat(r, '_')) {
        int digit = digit62(take(r));
        r->failed |= digit < 0 || v > (UINT64_MAX - 62) / 62;
        v = r->failed ? 0 : v * 62 + (uint64_t)digit;
    }
    return v == UINT64_MAX ? v : v + 1;
}

/* A number with a letter in front; 0: the letter is not there. */
static uint64_t optional62(struct reading *r, char letter)
{
    const uint64_t v = eat(r, letter) ? base62(r) + 1 : 0;
    r->failed |= v == UINT64_MAX;
    return v;
}

static struct identifier identifier(struct reading *r)
{
    struct identifier id = {.punycode = eat(r, 'u')};
    r->failed |= !is_digit(peek(r));
    if (!eat(r, '0')) {
        while (is_digit(peek(r)) && id.n <= r->n)
            id.n = id.n * 10 + (size_t)(take(r) - '0');
    }
    eat(r, '_');
    r->failed |= id.n > r->n - r->at;
    id.n = r->failed ? 0 : id.n;
    id.p = r->p + r->at;
    r->at += id.n;
    return id;
}

static void put_identifier(struct reading *r, struct identifier id)
{
    if (r->silent || r->failed)
        return;
    if (!id.punycode)
        tk_rust_put(r->out, id.p, id.n);
    else if (!tk_rust_put_punycode(r->out, id.p, id.n))
        r->failed = true;
}

/* ---- back references, lifetimes ---- */

/* Behind B: reads what was in front again. */
static size_t back_reference(struct reading *r)
{
    const size_t from = r->at - 1;
    const uint64_t to = base62(r);
    const size_t back = r->at;
    r->failed |= to >= from;
    if (!r->failed)
        r->at = (size_t)to;
    return back;
}

static void put_lifetime(struct reading *r, uint64_t index)
{
    char text[32];
    const uint64_t place = r->lifetimes - index;
    r->failed |= index > r->lifetimes;
    if (index == 0)
        snprintf(text, sizeof text, "'_");
    else if (place < 26)
        snprintf(text, sizeof text, "'%c", (char)('a' + (int)place));
    else
        snprintf(text, sizeof text, "'_%u", (unsigned)place);
    put(r, text);
}

/* Lifetimes that are bound for what follows; to be taken off again. */
static uint64_t binder(struct reading *r)
{
    const uint64_t n = optional62(r, 'G');
    r->failed |= n > MOST_LIFETIMES || r->lifetimes > MOST_LIFETIMES;
    if (r->failed || !n)
        return 0;
    put(r, "for<");
    for (uint64_t i = 0; i < n; i++) {
        put(r, i ? ", " : "");
        r->lifetimes++;
        put_lifetime(r, 1);
    }
    put(r, "> ");
    return n;
}

/* ---- constants ---- */

static void put_character(struct reading *r, uint64_t v)
{
    const char *known = v == '\n' ? "'\\n'" : v == '\r' ? "'\\r'" : v == '\t' ? "'\\t'" : NULL;
    if (known) {
        put(r, known);
        return;
    }
    r->failed |= v < ' ' || v == 0x7f || v > 0x10ffff || (v >= 0xd800 && v < 0xe000);
    put(r, v == '\'' || v == '\\' ? "'\\" : "'");
    if (!r->failed && !r->silent)
        tk_rust_put_code(r->out, (uint32_t)v);
    put(r, "'");
}

static uint64_t value_of(const char *digits, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 4 | (uint64_t)digit62(digits[i]);
    return v;
}

static void put_value(struct reading *r, const char *digits, size_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value_of(digits, n <= 16 ? n : 0));
    put(r, n <= 16 ? text : "0x");
    if (n > 16 && !r->silent)
        tk_rust_put(r->out, digits, n);
}

static void data(struct reading *r, char kind)
{
    const bool minus = strchr("aslxni", kind) && eat(r, 'n');
    const size_t from = r->at;
    while (is_digit(peek(r)) || (peek(r) >= 'a' && peek(r) <= 'f'))
        r->at++;
    const char *digits = r->p + from;
    const size_t n = r->at - from;
    r->failed |= !eat(r, '_') || n > 32 || (strchr("bc", kind) && n > 8);
    if (r->failed)
        return;
    put(r, minus ? "-" : "");
    if (kind == 'b')
        put(r, value_of(digits, n) ? "true" : "false");
    else if (kind == 'c')
        put_character(r, value_of(digits, n));
    else
        put_value(r, digits, n);
}

static void constant(struct reading *r)
{
    if (!enter(r))
        return;
    const char kind = take(r);
    if (kind == 'B') {
        const size_t back = back_reference(r);
        if (!r->silent)
            constant(r);
        r->at = back;
    } else if (kind == 'p') {
        put(r, "_");
    } else if (kind && strchr("hmtyojaslxnibc", kind)) {
        data(r, kind);
    } else {
        r->failed = true;
    }
    r->depth--;
}

/* ---- types ---- */

static const char *basic(char c)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
        ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
        ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
        ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
        ['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!",
    };
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Types up to E. How many there are. */
static size_t types(struct reading *r)
{
    size_t n = 0;
    for (; !r->failed && !eat(r, 'E'); n++) {
        put(r, n ? ", " : "");
        type(r);
    }
    return n;
}

static void put_abi(struct reading *r)
{
    put(r, "extern \"");
    if (eat(r, 'C')) {
        put(r, "C");
    } else {
        const struct identifier abi = identifier(r);
        r->failed |= abi.punycode || !abi.n;
        for (size_t i = 0; i < abi.n; i++)
            put(r, (char[2]){abi.p[i] == '_' ? '-' : abi.p[i], '\0'});
    }
    put(r, "\" ");
}

static void function(struct reading *r)
{
    const uint64_t bound = binder(r);
    put(r, eat(r, 'U') ? "unsafe " : "");
    if (eat(r, 'K'))
        put_abi(r);
    put(r, "fn(");
    types(r);
    put(r, ")");
    if (!eat(r, 'u')) {
        put(r, " -> ");
        type(r);
    }
    r->lifetimes -= bound;
}

static void dynamic_trait(struct reading *r)
{
    bool open = false;
    path(r, false, &open);
    while (eat(r, 'p')) {
        put(r, open ? ", " : "<");
        open = true;
        put_identifier(r, identifier(r));
        put(r, " = ");
        type(r);
    }
    put(r, open ? ">" : "");
}

static void dynamic(struct reading *r)
{
    put(r, "dyn ");
    const uint64_t bound = binder(r);
    for (size_t n = 0; !r->failed && !eat(r, 'E'); n++) {
        put(r, n ? " + " : "");
        dynamic_trait(r);
    }
    r->lifetimes -= bound;
    r->failed |= !eat(r, 'L');
    const uint64_t lifetime = r->failed ? 0 : base62(r);
    if (lifetime) {
        put(r, " + ");
        put_lifetime(r, lifetime);
    }
}

static void reference(struct reading *r, bool mutable)
{
    put(r, "&");
    const uint64_t lifetime = eat(r, 'L') ? base62(r) : 0;
    if (lifetime) {
        put_lifetime(r, lifetime);
        put(r, " ");
    }
    put(r, mutable ? "mut " : "");
    type(r);
}

static void array(struct reading *r, bool sized)
{
    put(r, "[");
    type(r);
    put(r, sized ? "; " : "");
    if (sized)
        constant(r);
    put(r, "]");
}

static void pointer(struct reading *r, bool mutable)
{
    put(r, mutable ? "*mut " : "*const ");
    type(r);
}

static void tuple(struct reading *r)
{
    put(r, "(");
    put(r, types(r) == 1 ? ",)" : ")");
}

static void type_again(struct reading *r)
{
    const size_t back = back_reference(r);
    if (!r->silent)
        type(r);
    r->at = back;
}

static void other_type(struct reading *r, char kind)
{
    switch (kind) {
    case 'A':
    case 'S':
        array(r, kind == 'A');
        break;
    case 'R':
    case 'Q':
        reference(r, kind == 'Q');
        break;
    case 'P':
    case 'O':
        pointer(r, kind == 'O');
        break;
    case 'T':
        tuple(r);
        break;
    case 'F':
        function(r);
        break;
    case 'D':
        dynamic(r);
        break;
    case 'B':
        type_again(r);
        break;
    default:
        r->at--;
        path(r, false, NULL);
    }
}

static void type(struct reading *r)
{
    if (!enter(r))
        return;
    const char kind = take(r);
    if (basic(kind))
        put(r, basic(kind));
    else if (!r->failed)
        other_type(r, kind);
    r->depth--;
}

/* ---- paths ---- */

static void silently(struct reading *r)
{
    const bool silent = r->silent;
    r->silent = true;
    path(r, false, NULL);
    r->silent = silent;
}

/* Of an implementation: M, X; and Y. Where it stands is not part of its text. */
static void implementation(struct reading *r, char kind)
{
    if (kind != 'Y') {
        optional62(r, 's');
        silently(r);
    }
    put(r, "<");
    type(r);
    if (kind != 'M') {
        put(r, " as ");
        path(r, false, NULL);
    }
    put(r, ">");
}

static void put_special(struct reading *r, char space, struct identifier id, uint64_t number)
{
    char text[32];
    put(r, "::{");
    put(r, space == 'C' ? "closure" : space == 'S' ? "shim" : (char[2]){space, '\0'});
    put(r, id.n ? ":" : "");
    put_identifier(r, id);
    snprintf(text, sizeof text, "#%llu}", (unsigned long long)number);
    put(r, text);
}

static void nested(struct reading *r, bool in_value)
{
    const char space = take(r);
    path(r, in_value, NULL);
    const uint64_t number = optional62(r, 's');
    const struct identifier id = identifier(r);
    if (space >= 'A' && space <= 'Z') {
        put_special(r, space, id, number);
    } else if (space >= 'a' && space <= 'z') {
        put(r, id.n ? "::" : "");
        put_identifier(r, id);
    } else {
        r->failed = true;
    }
}

static void argument(struct reading *r)
{
    if (eat(r, 'L'))
        put_lifetime(r, base62(r));
    else if (eat(r, 'K'))
        constant(r);
    else
        type(r);
}

/* open: who calls puts the last bracket. */
static void generic(struct reading *r, bool in_value, bool *open)
{
    path(r, in_value, NULL);
    put(r, in_value ? "::<" : "<");
    for (size_t n = 0; !r->failed && !eat(r, 'E'); n++) {
        put(r, n ? ", " : "");
        argument(r);
    }
    if (open)
        *open = true;
    else
        put(r, ">");
}

static void path_again(struct reading *r, bool in_value, bool *open)
{
    const size_t back = back_reference(r);
    if (!r->silent)
        path(r, in_value, open);
    r->at = back;
}

static void path(struct reading *r, bool in_value, bool *open)
{
    if (!enter(r))
        return;
    const char kind = take(r);
    switch (kind) {
    case 'C':
        optional62(r, 's');
        put_identifier(r, identifier(r));
        break;
    case 'M':
    case 'X':
    case 'Y':
        implementation(r, kind);
        break;
    case 'N':
        nested(r, in_value);
        break;
    case 'I':
        generic(r, in_value, open);
        break;
    case 'B':
        path_again(r, in_value, open);
        break;
    default:
        r->failed = true;
    }
    r->depth--;
}

bool tk_rust_demangle_v0(struct tk_rust_name *out, const char *p, size_t n, size_t *used)
{
    struct reading r = {.out = out, .p = p + 2, .n = n - 2};
    path(&r, true, NULL);
    if (peek(&r) >= 'A' && peek(&r) <= 'Z') /* the crate that it was made for */
        silently(&r);
    *used = r.at + 2;
    return !r.failed && !out->full && out->n;
}
