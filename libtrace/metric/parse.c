/*
 * Reads files of metrics. What is not understood is refused: a misspelled metric would be measured wrongly,
 * or never. Each mistake is reported with the metric and the key.
 */
#include "base/checksum.h"
#include "base/err.h"
#include "base/text/glob.h"
#include "compare/baseline/expect.h"
#include "metric/metric_in.h"

#include <math.h>
#include <string.h>

enum { MOST_NAME = 80, MOST_UNIT = 12, MOST_TEXT = 65536, USUAL_FLOOR = 2 /* percent */ };

static const char *const sources[TK_METRIC_SOURCES] = {"sql", "counter", "timer", "region", "log", "event"};

/* One metric while it is read. */
struct reader {
    struct tk_metric_set *set;
    struct tk_metric_definition *d;
    const cJSON *item;
    struct tk_err *err;
    char *key; /* in which there is a mistake; of WRONG_KEY bytes */
};

enum { WRONG_KEY = 64 };

/* For what is wrong with a key. */
static struct tk_err *at(const struct reader *r, const char *key)
{
    snprintf(r->key, WRONG_KEY, "%s", key);
    return r->err;
}

static int wrong(const struct reader *r, const char *key, const char *what)
{
    return tk_err_set(at(r, key), TK_EUSAGE, "key '%.60s': %s", key, what);
}

static const cJSON *value_of(const struct reader *r, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(r->item, key);
}

/* Is it printable UTF-8, without the NUL that JSON can have? */
static bool is_plain(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7f || (p[0] == 0xc0 && p[1] == 0x80))
            return false;
    return true;
}

static bool has_nul(const char *text)
{
    return strstr(text, TK_JSON_NUL) != NULL;
}

/* A text of an object; *out is NULL where there is none. */
static int read_text_of(const struct reader *r, const cJSON *object, const char *key, const char **out)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = NULL;
    if (!v)
        return TK_OK;
    if (!cJSON_IsString(v))
        return wrong(r, key, "it is not a text");
    const size_t n = strlen(v->valuestring);
    if (n == 0 || n > MOST_TEXT || has_nul(v->valuestring))
        return wrong(r, key, "a text has 1 to 65536 bytes, none of them NUL");
    *out = tk_arena_copy(&r->set->texts, v->valuestring, n + 1);
    return *out ? TK_OK : tk_err_nomem(r->err, "metrics");
}

static int read_text(const struct reader *r, const char *key, const char **out)
{
    return read_text_of(r, r->item, key, out);
}

/* ---- keys ---- */

static int check_keys(const struct reader *r, const cJSON *object, const char *const *keys, size_t n)
{
    for (const cJSON *c = object->child; c; c = c->next) {
        struct tk_nearest_search near;
        bool known = false;
        tk_nearest_begin(&near, c->string);
        for (size_t i = 0; i < n; i++) {
            known |= strcmp(c->string, keys[i]) == 0;
            tk_nearest_offer(&near, keys[i], strlen(keys[i]));
        }
        if (!known && near.n)
            return tk_err_set(at(r, c->string), TK_EUSAGE,
                              "key '%.60s': there is none of that name; did you mean '%.*s'?", c->string,
                              (int)near.names[0].n, near.names[0].p);
        if (!known)
            return wrong(r, c->string, "there is none of that name");
        if (tk_json_is_twice(c))
            return wrong(r, c->string, "it is there twice");
    }
    return TK_OK;
}

static int check_all_keys(const struct reader *r)
{
    static const char *const keys[] = {"name",     "unit",   "better", "help",  "floor", "floor_percent",
                                       "platform", "agg",    "thread", "field", "sql",   "counter",
                                       "timer",    "region", "log",    "event"};
    return check_keys(r, r->item, keys, sizeof keys / sizeof *keys);
}

static int read_number(const struct reader *r, const char *key, double *out)
{
    const cJSON *v = value_of(r, key);
    if (!v)
        return TK_OK;
    if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble) || v->valuedouble < 0)
        return wrong(r, key, "it is not a number from 0 on");
    *out = v->valuedouble;
    return TK_OK;
}

static int read_floors(const struct reader *r)
{
    double percent = USUAL_FLOOR;
    int rc = read_number(r, "floor", &r->d->metric.floor);
    if (rc == TK_OK)
        rc = read_number(r, "floor_percent", &percent);
    r->d->metric.floor_ratio = percent / 100;
    return rc;
}

static int read_better(const struct reader *r)
{
    const char *text;
    int rc = read_text(r, "better", &text);
    if (rc < 0)
        return rc;
    for (unsigned i = 0; text && i < TK_METRIC_BETTERS; i++)
        if (strcmp(text, tk_metric_better_name(i)) == 0) {
            r->d->metric.better = (uint8_t)i;
            return TK_OK;
        }
    return text ? tk_err_set(at(r, "better"), TK_EUSAGE,
                             "key 'better': '%.40s' is none of less, more, neither", text)
                : wrong(r, "better", "it is missing; it is less, more or neither");
}

static int read_unit(const struct reader *r)
{
    int rc = read_text(r, "unit", &r->d->metric.unit);
    if (rc < 0)
        return rc;
    const char *unit = r->d->metric.unit;
    if (!unit)
        return wrong(r, "unit", "it is missing; ms, bytes, count, percent, per_minute and so on");
    return strlen(unit) > MOST_UNIT || !is_plain(unit) || strchr(unit, ' ')
               ? wrong(r, "unit", "a unit is one word of at most 12 bytes")
               : TK_OK;
}

/* ---- sources ---- */

/* The only source there is. */
static int find_source(const struct reader *r)
{
    int found = -1;
    for (int i = 0; i < TK_METRIC_SOURCES; i++) {
        if (!value_of(r, sources[i]))
            continue;
        if (found >= 0)
            return tk_err_set(at(r, sources[i]), TK_EUSAGE, "key '%s': it has a source already, '%s'",
                              sources[i], sources[found]);
        found = i;
    }
    if (found < 0)
        return wrong(r, "sql", "it has no source: one of sql, counter, timer, region, log, event");
    r->d->metric.source = (uint8_t)found;
    return TK_OK;
}

static int read_log(const struct reader *r)
{
    static const char *const keys[] = {"category", "verbosity", "text"};
    const cJSON *log = value_of(r, "log");
    if (!cJSON_IsObject(log))
        return wrong(r, "log", "it is not an object of category, verbosity and text");
    int rc = check_keys(r, log, keys, sizeof keys / sizeof *keys);
    if (rc == TK_OK)
        rc = read_text_of(r, log, "category", &r->d->category);
    if (rc == TK_OK)
        rc = read_text_of(r, log, "verbosity", &r->d->verbosity);
    return rc == TK_OK ? read_text_of(r, log, "text", &r->d->text) : rc;
}

/* A key that only some sources have. */
static int check_only(const struct reader *r, const char *key, unsigned source)
{
    return value_of(r, key) && r->d->metric.source != source ? wrong(r, key, "its source has none") : TK_OK;
}

static int read_agg(const struct reader *r)
{
    char all[160], message[240];
    const char *text;
    int rc = read_text(r, "agg", &text);
    if (rc < 0)
        return rc;
    if (r->d->metric.source == TK_METRIC_SQL)
        return text ? wrong(r, "agg", "its source has none") : TK_OK;
    const int agg = text ? tk_metric_agg_of(text, r->d->metric.source) : -1;
    if (agg >= 0) {
        r->d->agg = (uint8_t)agg;
        return TK_OK;
    }
    tk_metric_aggs_of(r->d->metric.source, all, sizeof all);
    snprintf(message, sizeof message, "%s; of %s it is one of %s",
             text ? "there is none of that name" : "it is missing", sources[r->d->metric.source], all);
    return wrong(r, "agg", message);
}

/* Times are in a unit of time, numbers of things in none. */
static int check_unit(const struct reader *r)
{
    double factor;
    const enum tk_unit_kind kind = tk_metric_unit(r->d->metric.unit, &factor);
    const uint8_t source = r->d->metric.source;
    const bool timed = source == TK_METRIC_TIMER || source == TK_METRIC_REGION,
               counts = r->d->agg == TK_AGG_COUNT;
    if (source == TK_METRIC_SQL)
        return TK_OK;
    if (counts && (kind == TK_UNIT_OF_TIME || kind == TK_UNIT_OF_BYTES))
        return wrong(r, "unit",
                     "a number of things is in count, per_minute, per_frame, or a word of its own");
    if (!counts && (kind == TK_UNIT_PER_MINUTE || kind == TK_UNIT_PER_FRAME))
        return wrong(r, "unit", "only a count is per_minute or per_frame");
    if (timed && !counts && kind != TK_UNIT_OF_TIME)
        return wrong(r, "unit", "times are in ns, us, ms or s");
    return TK_OK;
}

static int read_source(const struct reader *r)
{
    const struct {
        const char *key;
        unsigned source;
        const char **text;
    } only[] = {{"thread", TK_METRIC_TIMER, &r->d->thread}, {"field", TK_METRIC_EVENT, &r->d->field}};
    int rc = find_source(r);
    if (rc == TK_OK && r->d->metric.source == TK_METRIC_LOG)
        rc = read_log(r);
    else if (rc == TK_OK)
        rc = read_text(r, sources[r->d->metric.source], &r->d->pattern);
    for (size_t i = 0; i < sizeof only / sizeof *only && rc == TK_OK; i++) {
        rc = check_only(r, only[i].key, only[i].source);
        if (rc == TK_OK)
            rc = read_text(r, only[i].key, only[i].text);
    }
    if (rc == TK_OK && r->d->metric.source == TK_METRIC_EVENT && !r->d->field)
        rc = wrong(r, "field", "it is missing: the field of the event that has the number");
    if (rc == TK_OK)
        rc = read_agg(r);
    return rc == TK_OK ? check_unit(r) : rc;
}

/* ---- one metric ---- */

/* Of all that decides what the value is. */
static uint64_t hash_of(const struct tk_metric_definition *d)
{
    const char *const texts[] = {d->metric.unit, d->pattern,   d->thread, d->field,
                                 d->category,    d->verbosity, d->text,   d->platform};
    const uint8_t kinds[] = {d->metric.source, d->metric.better, d->agg};
    uint64_t hash = tk_checksum(kinds, sizeof kinds, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = tk_checksum(texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 0, hash);
    return hash;
}

static int read_name(const struct reader *r)
{
    const char *help;
    int rc = read_text(r, "name", &r->d->metric.name);
    if (rc < 0)
        return rc;
    const char *name = r->d->metric.name;
    if (!name)
        return wrong(r, "name", "it is missing");
    if (strlen(name) > MOST_NAME || !is_plain(name))
        return wrong(r, "name", "a name has 1 to 80 bytes, and no control characters");
    for (size_t i = 0; i < r->set->all.n; i++)
        if (strcmp(r->set->all.v[i]->metric.name, name) == 0)
            return tk_err_set(at(r, "name"), TK_EUSAGE,
                              "key 'name': there is a metric of that name already, in '%.200s'",
                              r->set->all.v[i]->file);
    return read_text(r, "help", &help);
}

static int read_one(const struct reader *r)
{
    if (!cJSON_IsObject(r->item))
        return tk_err_set(r->err, TK_EUSAGE, "it is not an object");
    int rc = check_all_keys(r);
    if (rc == TK_OK)
        rc = read_name(r);
    if (rc == TK_OK)
        rc = read_unit(r);
    if (rc == TK_OK)
        rc = read_better(r);
    if (rc == TK_OK)
        rc = read_floors(r);
    if (rc == TK_OK)
        rc = read_text(r, "platform", &r->d->platform);
    if (rc == TK_OK)
        rc = read_source(r);
    r->d->metric.hash = rc == TK_OK ? hash_of(r->d) : 0;
    return rc;
}

/* A file that is read. */
struct source {
    const char *file, *text;
    size_t n;
};

static int add_one(struct tk_metric_set *set, const struct source *source, const cJSON *item, size_t number,
                   struct tk_err *err)
{
    char key[WRONG_KEY] = "";
    struct tk_metric_definition *d = tk_arena_alloc(&set->texts, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "metrics");
    *d = (struct tk_metric_definition){.file = source->file};
    if (cJSON_GetObjectItemCaseSensitive(item, "sql"))
        d->line = tk_json_line_of(source->text, source->n, "metrics", number, "sql");
    const struct reader r = {set, d, item, err, key};
    int rc = set->all.n < TK_METRICS_MOST ? read_one(&r)
                                          : tk_err_set(err, TK_EUSAGE, "there are more than 256 metrics");
    if (rc == TK_OK && tk_vec_push(&set->all, d))
        rc = tk_err_nomem(err, "metrics");
    if (rc == TK_EUSAGE && cJSON_IsString(value_of(&r, "name")))
        tk_err_add(err, "metric '%.80s'", value_of(&r, "name")->valuestring);
    else if (rc == TK_EUSAGE)
        tk_err_add(err, "metric %zu", number + 1);
    if (rc == TK_EUSAGE)
        tk_err_add(err, "line %zu", tk_json_line_of(source->text, source->n, "metrics", number, key));
    return rc;
}

static int add_all(struct tk_metric_set *set, const struct source *source, const cJSON *root,
                   struct tk_err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "metrics");
    size_t n = 0;
    int rc = TK_OK;
    if (!cJSON_IsArray(list) || !list->child || root->child->next)
        return tk_err_set(err, TK_EUSAGE,
                          "it is an object with one key, 'metrics', a list of 1 to 256 of them");
    for (const cJSON *c = list->child; c && rc == TK_OK; c = c->next)
        rc = add_one(set, source, c, n++, err);
    return rc;
}

int tk_metrics_parse(struct tk_metric_set *set, const char *file, const char *text, size_t n,
                     struct tk_err *err)
{
    cJSON *root;
    const char *name = tk_arena_copy(&set->texts, file, strlen(file) + 1);
    if (!name)
        return tk_err_nomem(err, "metrics");
    int rc = tk_json_read(&root, text, n, "the file", err);
    if (rc == TK_OK)
        rc = add_all(set, &(struct source){name, text, n}, root, err);
    cJSON_Delete(root);
    return rc;
}

/*
 * Units of metrics, and the words for what is made of values.
 */

static const struct {
    const char *name;
    uint8_t kind; /* enum tk_unit_kind */
    double factor;
} units[] = {
    {"ns", TK_UNIT_OF_TIME, 1},          {"us", TK_UNIT_OF_TIME, 1e3},
    {"ms", TK_UNIT_OF_TIME, 1e6},        {"s", TK_UNIT_OF_TIME, 1e9},
    {"bytes", TK_UNIT_OF_BYTES, 1},      {"KiB", TK_UNIT_OF_BYTES, 1024},
    {"MiB", TK_UNIT_OF_BYTES, 1048576},  {"per_minute", TK_UNIT_PER_MINUTE, 1},
    {"per_frame", TK_UNIT_PER_FRAME, 1},
};

enum tk_unit_kind tk_metric_unit(const char *unit, double *factor)
{
    *factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) {
            *factor = units[i].factor;
            return (enum tk_unit_kind)units[i].kind;
        }
    return TK_UNIT_OTHER;
}

#define OF(source) (1u << TK_METRIC_##source)

static const struct {
    const char *name;
    unsigned sources;
} aggs[TK_AGGS] = {
    [TK_AGG_NONE] = {"", 0},
    [TK_AGG_MEAN] = {"mean", OF(COUNTER) | OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_TIME_MEAN] = {"time_mean", OF(COUNTER)},
    [TK_AGG_MIN] = {"min", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_MAX] = {"max", OF(COUNTER) | OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_FIRST] = {"first", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_LAST] = {"last", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_P50] = {"p50", OF(COUNTER) | OF(TIMER) | OF(EVENT)},
    [TK_AGG_P95] = {"p95", OF(COUNTER) | OF(TIMER) | OF(EVENT)},
    [TK_AGG_P99] = {"p99", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_COUNT] = {"count", OF(TIMER) | OF(REGION) | OF(LOG) | OF(EVENT)},
    [TK_AGG_SUM] = {"sum", OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_FRAME_MEAN] = {"frame_mean", OF(TIMER)},
    [TK_AGG_FRAME_P95] = {"frame_p95", OF(TIMER)},
};

int tk_metric_agg_of(const char *name, unsigned source)
{
    for (int i = 0; i < TK_AGGS; i++)
        if (aggs[i].sources >> source & 1 && strcmp(aggs[i].name, name) == 0)
            return i;
    return -1;
}

void tk_metric_aggs_of(unsigned source, char *text, size_t n)
{
    size_t at = 0;
    *text = '\0';
    for (int i = 0; i < TK_AGGS; i++)
        if (aggs[i].sources >> source & 1 && at < n)
            at += (size_t)snprintf(text + at, n - at, "%s%s", at ? ", " : "", aggs[i].name);
}
