/*
 * Copies the session of a capture to the run being collected. collect.c calls it at the end of the reading.
 */
#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "compare/collect/collect.h"
#include "compare/collect/collect_in.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Copies what health knows to the run being collected.
 */

/* The text of the first fault of a kind, with its place; the help of the kind where none is listed. */
static const struct tk_str *text_of(struct tk_base_run *run, const struct tk_health *health,
                                    enum tk_health_kind kind)
{
    char text[640];
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        if (item->kind != kind)
            continue;
        if (item->offset == TK_NO_OFFSET)
            return tk_intern_c(&run->names, item->text);
        snprintf(text, sizeof text, "offset %llu: %s", (unsigned long long)item->offset, item->text);
        return tk_intern_c(&run->names, text);
    }
    return tk_intern_c(&run->names, tk_health_help(kind));
}

int tk_collect_faults(struct tk_base_run *run, const struct tk_health *health, bool cut_off)
{
    for (int i = 0; i < TK_HEALTH_COUNT; i++) {
        enum tk_health_kind kind = (enum tk_health_kind)i;
        uint64_t count = health->counts[i];
        bool cut = kind == TK_HEALTH_FILE_TRUNCATED && cut_off;
        if ((!count && !cut) || (!cut && !tk_health_is_damage(kind) && !tk_health_is_loss(kind)))
            continue;
        struct tk_base_fault fault = {.tier = cut                         ? TK_FAULT_CUT_OFF
                                              : tk_health_is_damage(kind) ? TK_FAULT_DAMAGE
                                                                          : TK_FAULT_LOST,
                                      .count = count ? count : 1,
                                      .kind = tk_intern_c(&run->names, tk_health_name(kind)),
                                      .text = text_of(run, health, kind)};
        if (!fault.kind || !fault.text || tk_vec_push(&run->faults, fault))
            return -1;
    }
    return 0;
}

#define FRAMES_OF_AN_END 2

static int add_item(struct tk_base_run *run, const struct tk_str *key, const char *p, size_t n, uint8_t enc)
{
    struct tk_run_fact item = {tk_intern(&run->names, key->p, key->n, (enum tk_encoding)key->enc),
                               tk_intern(&run->names, p, n, (enum tk_encoding)enc)};
    return item.key && item.value && !tk_vec_push(&run->session, item) ? 0 : -1;
}

/* ---- when it was recorded ---- */

#define DAY         86400
#define LAST_SECOND 253402300799.0 /* of the year 9999 */

/* The day, counted from 1970, as a date: years begin in March, so that leap days end them. */
static void split_day(int64_t day, int *year, int *month, int *of_month)
{
    int64_t from = day + 719468, era = from / 146097, in_era = from % 146097;
    int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * y + y / 4 - y / 100), m = (5 * in_year + 2) / 153;
    *of_month = (int)(in_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

/* ISO 8601, in UTC; nothing where the capture does not say. */
static int add_time(struct tk_base_run *run, const struct tk_fact_clock *clock)
{
    char text[32];
    int year, month, day;
    if (!clock->frequency || !(clock->epoch > 0 && clock->epoch <= LAST_SECOND))
        return 0;
    int64_t ms = (int64_t)(clock->epoch * 1e3 + 0.5), second = ms / 1000 % DAY;
    split_day(ms / 1000 / DAY, &year, &month, &day);
    int n = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month, day,
                     (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60), (int)(ms % 1000));
    const struct tk_str key = {.p = "time", .n = 4, .enc = TK_ENC_UTF8};
    return add_item(run, &key, text, (size_t)n, TK_ENC_UTF8);
}

static int by_name_collect_session(const void *a, const void *b)
{
    const struct tk_str *const *x = a, *const *y = b;
    return tk_str_order(*x, *y);
}

/* Was it on, in the end or for a while? */
static bool was_on(const struct tk_dict *dict, const struct tk_fact_channel *c)
{
    bool on = c->enabled;
    for (size_t i = 0; i < dict->toggles.n && !on; i++)
        on = dict->toggles.v[i].id == c->id && dict->toggles.v[i].enabled;
    return on && c->name && c->name->enc == TK_ENC_UTF8;
}

static int note_channels(struct tk_base_run *run, const struct tk_str *const *names, size_t n)
{
    TK_VEC(char) text = {0};
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = tk_vec_reserve(&text, text.n + names[i]->n + 1);
        if (rc == 0 && i)
            text.v[text.n++] = ',';
        if (rc == 0)
            memcpy(text.v + text.n, names[i]->p, names[i]->n);
        text.n += rc == 0 ? names[i]->n : 0;
    }
    if (rc == 0)
        rc = tk_base_run_note(run, "channels", text.v, text.n, TK_ENC_UTF8);
    tk_vec_release(&text);
    return rc;
}

/* The channels that were on, in the order of their names. */
static int add_channels(struct tk_base_run *run, const struct tk_dict *dict)
{
    const struct tk_str **names = calloc(dict->channels.n + 1, sizeof *names);
    size_t n = 0;
    if (!names)
        return -1;
    for (size_t i = 0; i < dict->channels.n; i++)
        if (was_on(dict, &dict->channels.v[i]))
            names[n++] = dict->channels.v[i].name;
    qsort(names, n, sizeof *names, by_name_collect_session);
    const int rc = n ? note_channels(run, names, n) : 0;
    free(names);
    return rc;
}

static const struct tk_str *item_of(const struct tk_base_run *run, const char *key)
{
    for (size_t i = 0; i < run->session.n; i++)
        if (run->session.v[i].key->n == strlen(key) &&
            memcmp(run->session.v[i].key->p, key, strlen(key)) == 0)
            return run->session.v[i].value;
    return NULL;
}

/* The rest of a line of the host that begins with such a word, or only its first word. */
static int note_line(struct tk_base_run *run, const struct tk_str *host, const char *begin, const char *key,
                     bool word)
{
    const size_t n = strlen(begin);
    for (size_t at = 0, end; at < host->n; at = end + 1) {
        for (end = at; end < host->n && host->p[end] != '\n'; end++)
            ;
        if (end - at <= n || memcmp(host->p + at, begin, n) != 0)
            continue;
        size_t length = end - at - n;
        const char *space = word ? memchr(host->p + at + n, ' ', length) : NULL;
        if (space)
            length = (size_t)(space - (host->p + at + n));
        return length ? tk_base_run_note(run, key, host->p + at + n, length, host->enc) : 0;
    }
    return 0;
}

/* Some captures tell of the host in lines. */
static int add_host(struct tk_base_run *run)
{
    const struct tk_str *host = item_of(run, "HostInfo");
    if (!host || host->enc != TK_ENC_UTF8)
        return 0;
    return note_line(run, host, "OS: ", "platform", true) || note_line(run, host, "OS: ", "os", false) ||
                   note_line(run, host, "CPU: ", "cpu", false) ||
                   note_line(run, host, "CPU cores: ", "cores", false) ||
                   note_line(run, host, "RAM: ", "memory", false)
               ? -1
               : 0;
}

/* Other threads may end the frames that they are in. */
static bool goes_on(const struct tk_frames *frames, int64_t fatal_at)
{
    size_t n = 0;
    for (size_t i = frames->n; i-- > 0 && frames->v[i].from > fatal_at;)
        n += frames->v[i].to != INT64_MAX;
    return n > FRAMES_OF_AN_END;
}

int tk_collect_end(struct tk_base_run *run, const struct tk_frames *frames, const char *fatal,
                   int64_t fatal_at)
{
    char text[256];
    const struct tk_str *thread = item_of(run, "CrashThread"), *why = item_of(run, "CrashMessage");
    const int64_t last = run->duration < INT64_MAX ? (int64_t)run->duration : INT64_MAX;
    const int64_t second = run->frequency < INT64_MAX ? (int64_t)run->frequency : INT64_MAX;
    if (thread) {
        size_t n = 0;
        while (why && why->enc == TK_ENC_UTF8 && n < why->n && (uint8_t)why->p[n] >= 0x20)
            n++;
        int length = snprintf(text, sizeof text, "a crash%s", n ? ": " : "");
        const size_t capacity = sizeof text - (size_t)length;
        while (n > capacity || (n && why && n < why->n && ((uint8_t)why->p[n] & 0xc0) == 0x80))
            n--; /* not in the middle of a character */
        if (n && why)
            memcpy(text + length, why->p, n);
        return tk_base_run_note(run, "end", text, (size_t)length + n, TK_ENC_UTF8);
    }
    if (fatal_at == INT64_MIN || (fatal_at < last && last - fatal_at > second) || goes_on(frames, fatal_at))
        return 0;
    const int n = snprintf(text, sizeof text, "a fatal error%s%s", *fatal ? ": " : "", fatal);
    return tk_base_run_note(run, "end", text, (size_t)n, TK_ENC_UTF8);
}

int tk_collect_session(struct tk_base_run *run, const struct tk_dict *dict)
{
    char digits[32];
    if (add_time(run, &dict->clock) || add_channels(run, dict))
        return -1;
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_session_item *item = &dict->session.v[i];
        const struct tk_cell *v = &item->value;
        int n = 0;
        if (v->kind == TK_TEXT && add_item(run, item->key, v->v.p, v->n, v->enc))
            return -1;
        if (v->kind == TK_UINT || v->kind == TK_BOOL)
            n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v->v.u);
        else if (v->kind == TK_INT)
            n = snprintf(digits, sizeof digits, "%lld", (long long)v->v.i);
        if (n > 0 && add_item(run, item->key, digits, (size_t)n, TK_ENC_UTF8))
            return -1;
    }
    return add_host(run);
}
