/*
 * Functions of SQL.
 */
#include "base/text/text.h"
#include "sql/sql_in.h"

#include <stdint.h>
#include <stdio.h>
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

static const struct {
    const char *name;
    int n;
    void (*put)(sqlite3_context *, int, sqlite3_value **);
    const int64_t *by;
} functions[] = {
    {"duration", 1, put_duration, &ns},  {"span_overlap", 4, put_overlap, &ns},
    {"text_hash", -1, put_hash, &ns},    {"time_from_ns", 1, put_from, &ns},
    {"time_from_us", 1, put_from, &us},  {"time_from_ms", 1, put_from, &ms},
    {"time_from_s", 1, put_from, &s},    {"time_from_min", 1, put_from, &minute},
    {"time_to_ns", 1, put_to, &ns},      {"time_to_us", 1, put_to, &us},
    {"time_to_ms", 1, put_to, &ms},      {"time_to_s", 1, put_to, &s},
    {"time_to_min", 1, put_to, &minute}, {"time_bucket", 2, put_bucket, &ns},
    {"time_bucket", 3, put_bucket, &ns},
};

int tk_sql_functions_register(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
        union {
            const int64_t *by;
            void *data;
        } data = {.by = functions[i].by};
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].n, flags, data.data,
                                        functions[i].put, NULL, NULL, NULL);
    }
    if (rc == SQLITE_OK)
        rc = tk_sql_statistics_register(db);
    return rc == SQLITE_OK ? tk_sql_perfetto_register(db) : rc;
}
