/*
 * Functions of SQL, of which those that search and trim take linear time.
 */
#include "base/hash.h"
#include "base/text/text.h"
#include "sql/sql_in.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static double sign_free(double v)
{
    return v < 0 ? -v : v;
}

/* duration(ns): "12.3 ms". */
static void put_duration(sqlite3_context *to, int n, sqlite3_value **v)
{
    static const struct {
        double from, by;
        const char *unit;
    } units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
    char text[TK_PUT_FIXED + 8];
    (void)n;
    if (sqlite3_value_numeric_type(v[0]) != SQLITE_INTEGER &&
        sqlite3_value_numeric_type(v[0]) != SQLITE_FLOAT)
        return;
    const double ns = sqlite3_value_double(v[0]);
    size_t i = 0;
    while (sign_free(ns) < units[i].from)
        i++;
    const double displayed = ns / units[i].by;
    const unsigned decimals = units[i].by > 1 ? (sign_free(displayed) < 10    ? 3
                                                 : sign_free(displayed) < 100 ? 2
                                                                              : 1)
                                              : 0;
    size_t used = tk_put_fixed(text, displayed, decimals);
    used += (size_t)snprintf(text + used, 8, " %s", units[i].unit);
    sqlite3_result_text(to, text, (int)used, SQLITE_TRANSIENT);
}

/* span_overlap(begin, end, begin, end): how long two intervals overlap; an end that is NULL never comes. */
static void put_overlap(sqlite3_context *to, int n, sqlite3_value **v)
{
    int64_t at[4] = {0};
    for (int i = 0; i < n; i++) {
        at[i] = sqlite3_value_int64(v[i]);
        if (sqlite3_value_type(v[i]) == SQLITE_NULL) {
            if (i % 2 == 0)
                return;
            at[i] = INT64_MAX;
        }
    }
    const int64_t begin = at[0] > at[2] ? at[0] : at[2], end = at[1] < at[3] ? at[1] : at[3];
    if (end == INT64_MAX)
        return; /* neither ends */
    sqlite3_result_int64(to, end > begin ? (int64_t)((uint64_t)end - (uint64_t)begin) : 0);
}

/* text_hash(text, ...): 16 hexadecimal digits, the same everywhere and always (FNV-1a of 64 bits, a NUL
 * behind each text). */
static void put_hash(sqlite3_context *to, int n, sqlite3_value **v)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char text[20];
    for (int i = 0; i < n; i++) {
        const unsigned char *p = sqlite3_value_text(v[i]);
        const int length = sqlite3_value_bytes(v[i]);
        for (int k = 0; p && k <= length; k++)
            hash = (hash ^ (k < length ? p[k] : 0)) * UINT64_C(0x100000001b3);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    sqlite3_result_text(to, text, 16, SQLITE_TRANSIENT);
}

/* Perfetto: time_from_us(n), time_to_us(ns) and so on; the factor is the user data. */
static void put_from(sqlite3_context *to, int n, sqlite3_value **v)
{
    const int64_t by = *(const int64_t *)sqlite3_user_data(to), value = sqlite3_value_int64(v[0]);
    (void)n;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    if (value > INT64_MAX / by || value < INT64_MIN / by)
        sqlite3_result_error(to, "a time beyond 292 years", -1);
    else
        sqlite3_result_int64(to, value * by);
}

static void put_to(sqlite3_context *to, int n, sqlite3_value **v)
{
    (void)n;
    if (sqlite3_value_type(v[0]) != SQLITE_NULL)
        sqlite3_result_int64(to, sqlite3_value_int64(v[0]) / *(const int64_t *)sqlite3_user_data(to));
}

/* time_bucket(width, time, origin): the begin of the interval of this width that a time is in; intervals are
 * counted from the origin, 0 where there is none. */
static void put_bucket(sqlite3_context *to, int n, sqlite3_value **v)
{
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(v[i]) == SQLITE_NULL)
            return;
    const int64_t width = sqlite3_value_int64(v[0]), time = sqlite3_value_int64(v[1]);
    const int64_t origin = n == 3 ? sqlite3_value_int64(v[2]) : 0;
    if (width <= 0) {
        sqlite3_result_error(to, "time_bucket(width, time) takes a width above 0", -1);
        return;
    }
    /* How far the time is behind a begin, which is the same for the origin modulo the width. */
    const int64_t apart = time % width - origin % width;
    const int64_t behind = apart % width < 0 ? apart % width + width : apart % width;
    if (time < INT64_MIN + behind)
        sqlite3_result_error(to, "time_bucket: a time beyond 292 years", -1);
    else
        sqlite3_result_int64(to, time - behind);
}

/* ---- the list ---- */

static const int64_t ns = 1, us = 1000, ms = 1000000, s = 1000000000, minute = INT64_C(60000000000);

struct function {
    const char *name;
    int n;
    void (*put)(sqlite3_context *, int, sqlite3_value **);
    union {
        const void *constant;
        void *p; /* as SQLite takes it */
    } data;
};

static int register_all(sqlite3 *db, const struct function *functions, size_t n)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].n, flags, functions[i].data.p,
                                        functions[i].put, NULL, NULL, NULL);
    return rc;
}

static const struct function functions[] = {
    {"duration", 1, put_duration, {&ns}},  {"span_overlap", 4, put_overlap, {&ns}},
    {"text_hash", -1, put_hash, {&ns}},    {"time_from_ns", 1, put_from, {&ns}},
    {"time_from_us", 1, put_from, {&us}},  {"time_from_ms", 1, put_from, {&ms}},
    {"time_from_s", 1, put_from, {&s}},    {"time_from_min", 1, put_from, {&minute}},
    {"time_to_ns", 1, put_to, {&ns}},      {"time_to_us", 1, put_to, {&us}},
    {"time_to_ms", 1, put_to, {&ms}},      {"time_to_s", 1, put_to, {&s}},
    {"time_to_min", 1, put_to, {&minute}}, {"time_bucket", 2, put_bucket, {&ns}},
    {"time_bucket", 3, put_bucket, {&ns}},
};

int tk_sql_functions_register(sqlite3 *db)
{
    int rc = register_all(db, functions, sizeof functions / sizeof *functions);
    if (rc == SQLITE_OK)
        rc = tk_sql_statistics_register(db);
    return rc == SQLITE_OK ? tk_sql_perfetto_register(db) : rc;
}

/* ---- Knuth, Morris and Pratt ---- */

/* What is looked for, and for each of its prefixes the length of the longest one that also ends it. */
struct pattern {
    const unsigned char *p;
    size_t n;
    uint32_t *ends; /* owned */
};

static bool begin_pattern(struct pattern *of, const unsigned char *p, size_t n)
{
    *of = (struct pattern){p, n, calloc(n, sizeof(uint32_t))};
    uint32_t k = 0;
    for (size_t i = 1; of->ends && i < n; i++) {
        while (k && p[i] != p[k])
            k = of->ends[k - 1];
        k += p[i] == p[k];
        of->ends[i] = k;
    }
    return of->ends != NULL;
}

/* Where it is found in a text from a place on; n: nowhere. */
static size_t find_pattern(const struct pattern *of, const unsigned char *text, size_t n, size_t from)
{
    uint32_t k = 0;
    for (size_t i = from; i < n; i++) {
        while (k && text[i] != of->p[k])
            k = of->ends[k - 1];
        k += text[i] == of->p[k];
        if (k == of->n)
            return i + 1 - of->n;
    }
    return n;
}

static size_t count_characters(const unsigned char *p, size_t n)
{
    size_t characters = 0;
    for (size_t i = 0; i < n; i++)
        characters += (p[i] & 0xc0) != 0x80;
    return characters;
}

/* Text or, where both are that, bytes. NULL without memory. */
static const unsigned char *bytes_of(sqlite3_value *value, bool blob, size_t *n)
{
    const unsigned char *p = blob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    *n = (size_t)sqlite3_value_bytes(value);
    return p || *n ? p : (const unsigned char *)"";
}

/* instr(text, part): at which character the part begins first, from 1; 0: nowhere. */
static void put_instr(sqlite3_context *to, int count, sqlite3_value **v)
{
    const bool blobs = sqlite3_value_type(v[0]) == SQLITE_BLOB && sqlite3_value_type(v[1]) == SQLITE_BLOB;
    struct pattern part;
    size_t n, m;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL)
        return;
    const unsigned char *text = bytes_of(v[0], blobs, &n), *p = bytes_of(v[1], blobs, &m);
    if (!m) {
        sqlite3_result_int(to, 1);
        return;
    }
    if (!text || !p || !begin_pattern(&part, p, m)) {
        sqlite3_result_error_nomem(to);
        return;
    }
    const size_t at = find_pattern(&part, text, n, 0);
    free(part.ends);
    sqlite3_result_int64(to, at == n ? 0 : (sqlite3_int64)(blobs ? at : count_characters(text, at)) + 1);
}

/* ---- replacing ---- */

static void put_replaced(sqlite3_context *to, const struct pattern *part, sqlite3_value **v)
{
    size_t n, m;
    const unsigned char *text = bytes_of(v[0], false, &n), *by = bytes_of(v[2], false, &m);
    sqlite3_str *made = sqlite3_str_new(sqlite3_context_db_handle(to));
    for (size_t from = 0; from < n && !sqlite3_str_errcode(made);) {
        const size_t at = find_pattern(part, text, n, from);
        sqlite3_str_append(made, (const char *)text + from, (int)(at - from));
        if (at < n)
            sqlite3_str_append(made, (const char *)by, (int)m);
        from = at + part->n;
    }
    const int failed = sqlite3_str_errcode(made), length = sqlite3_str_length(made);
    char *result = sqlite3_str_finish(made);
    if (failed == SQLITE_TOOBIG)
        sqlite3_result_error_toobig(to);
    else if (failed)
        sqlite3_result_error_nomem(to);
    else if (result)
        sqlite3_result_text(to, result, length, sqlite3_free);
    else
        sqlite3_result_text(to, "", 0, SQLITE_STATIC);
    if (failed)
        sqlite3_free(result);
}

/* replace(text, part, by) */
static void put_replace(sqlite3_context *to, int count, sqlite3_value **v)
{
    struct pattern part;
    size_t n, m;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL)
        return;
    const unsigned char *text = bytes_of(v[0], false, &m), *p = bytes_of(v[1], false, &n);
    if (text && p && !n) { /* whatever takes its place */
        sqlite3_result_value(to, v[0]);
        return;
    }
    if (sqlite3_value_type(v[2]) == SQLITE_NULL)
        return;
    if (!text || !p || !begin_pattern(&part, p, n)) {
        sqlite3_result_error_nomem(to);
        return;
    }
    put_replaced(to, &part, v);
    free(part.ends);
}

/* ---- trimming ---- */

enum { AT_BEGIN = 1, AT_END = 2, LONGEST_CHARACTER = 4 };

/* The bytes of a character, with its length, as a number that is spread like a hash. */
static uint64_t hash_of_character(const unsigned char *p, size_t n)
{
    uint64_t bytes = n;
    for (size_t i = 0; i < n; i++)
        bytes = bytes << 8 | p[i];
    return bytes * UINT64_C(0x9e3779b97f4a7c15);
}

/* How long the first character of a text is, and the last one. */
static size_t first_length(const unsigned char *p, size_t n)
{
    size_t length = 1;
    while (length < n && length < LONGEST_CHARACTER && p[0] >= 0xc0 && (p[length] & 0xc0) == 0x80)
        length++;
    return length;
}

static size_t last_length(const unsigned char *p, size_t n)
{
    size_t length = 1;
    while (length < n && length < LONGEST_CHARACTER && (p[n - length] & 0xc0) == 0x80)
        length++;
    return length;
}

static bool take_characters(struct tk_hash_set *set, const unsigned char *p, size_t n)
{
    for (size_t i = 0, length; i < n; i += length) {
        length = first_length(p + i, n - i);
        if (tk_hash_set_add(set, hash_of_character(p + i, length)))
            return false;
    }
    return true;
}

static void put_trimmed(sqlite3_context *to, const struct tk_hash_set *set, sqlite3_value *value)
{
    const unsigned ends = *(const unsigned char *)sqlite3_user_data(to);
    size_t n, length;
    const unsigned char *p = bytes_of(value, false, &n);
    for (; ends & AT_BEGIN && n; p += length, n -= length) {
        length = first_length(p, n);
        if (!tk_hash_set_has(set, hash_of_character(p, length)))
            break;
    }
    for (; ends & AT_END && n; n -= length) {
        length = last_length(p, n);
        if (!tk_hash_set_has(set, hash_of_character(p + n - length, length)))
            break;
    }
    sqlite3_result_text(to, (const char *)p, (int)n, SQLITE_TRANSIENT);
}

/* trim(text, characters) and its kin; without characters they take spaces away. */
static void put_trim(sqlite3_context *to, int count, sqlite3_value **v)
{
    struct tk_hash_set set = {0};
    size_t n = 1;
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(v[i]) == SQLITE_NULL)
            return;
    const unsigned char *p = count > 1 ? bytes_of(v[1], false, &n) : (const unsigned char *)" ";
    if (!p || !bytes_of(v[0], false, &(size_t){0}) || !take_characters(&set, p, n))
        sqlite3_result_error_nomem(to);
    else
        put_trimmed(to, &set, v[0]);
    tk_hash_set_release(&set);
}

/* ---- the list ---- */

static const unsigned char at_begin = AT_BEGIN, at_end = AT_END, at_both = AT_BEGIN | AT_END;

static const struct function searches[] = {
    {"instr", 2, put_instr, {&at_both}}, {"replace", 3, put_replace, {&at_both}},
    {"trim", 1, put_trim, {&at_both}},   {"trim", 2, put_trim, {&at_both}},
    {"ltrim", 1, put_trim, {&at_begin}}, {"ltrim", 2, put_trim, {&at_begin}},
    {"rtrim", 1, put_trim, {&at_end}},   {"rtrim", 2, put_trim, {&at_end}},
};

int tk_sql_search_functions_register(sqlite3 *db)
{
    return register_all(db, searches, sizeof searches / sizeof *searches);
}
