/*
 * Keys and values that are said of runs.
 */
#include "compare/baseline/run_info.h"

#include "base/text/glob.h"
#include "base/text/text.h"
#include "compare/baseline/expect.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one list. `stated` are the items of a session that say the same. */
static const struct {
    struct tk_run_key key;
    const char *stated[2];
} list[] = {
    {{"application", "the program that was recorded"}, {"AppName", "ProgramName"}},
    {{"build", "what was built: a version or the number of a build"}, {"BuildVersion", NULL}},
    {{"commit", "the state of the sources"}, {"Changelist", NULL}},
    {{"branch", "the branch of the sources"}, {"Branch", NULL}},
    {{"platform", "what it ran on: Linux, Windows, a console"}, {"Platform", NULL}},
    {{"machine", "a name of the machine, which is compared instead of what it has"}, {NULL, NULL}},
    {{"host", "the name of the host, which is shown and not compared"}, {NULL, NULL}},
    {{"config", "how it was built: Development, Shipping, ..."}, {"ConfigurationType", NULL}},
    {{"map", "the map, level or scenario that was played"}, {NULL, NULL}},
    {{"time", "when it ran: 2026-11-23T21:05:42Z, 2026-11-23 21:05, or seconds since 1970"}, {"time", NULL}},
    {{"engine", "the version of the engine or recorder"}, {"EngineVersion", NULL}},
    {{"cpu", "the processor"}, {NULL, NULL}},
    {{"cores", "the number of its cores"}, {NULL, NULL}},
    {{"memory", "the memory of the machine, such as 64 GB"}, {NULL, NULL}},
    {{"gpu", "the graphics processor"}, {NULL, NULL}},
    {{"driver", "the version of the graphics driver"}, {NULL, NULL}},
    {{"os", "the operating system and its version"}, {NULL, NULL}},
    {{"job", "the CI job: its number or URL"}, {NULL, NULL}},
    {{"capture", "the name of the file; set when a capture is read"}, {NULL, "CaptureName"}},
    {{"channels", "the enabled trace channels; set when a capture is read"}, {NULL, NULL}},
    {{"end", "a crash or fatal error that it ended in; set when a capture is read"}, {NULL, NULL}},
    {{"unit", "'run' where there are no frames, 'each NAME' with --per; set when a capture is read"},
     {NULL, NULL}},
    {{"selection", "the part of the capture; set when one is selected"}, {NULL, NULL}},
    {{"size", "its bytes; set when a capture is read"}, {NULL, NULL}},
};

#define KEYS (sizeof list / sizeof *list)

const struct tk_run_key *tk_base_run_key(size_t i)
{
    return i < KEYS ? &list[i].key : NULL;
}

/* ---- reading what is said ---- */

static size_t key_length(const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
    return strspn(word, letters);
}

bool tk_run_info_is_word(const char *word)
{
    const size_t n = key_length(word);
    return n > 0 && word[n] == '=';
}

static bool is_printable(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)p[i] < 0x20 || p[i] == 0x7f)
            return false;
    return tk_utf8_valid(p, n);
}

static int check_pair(const char *key, size_t n_key, const char *value, struct tk_err *err)
{
    const size_t n = strlen(value);
    if (n_key == 0 || n_key >= TK_RUN_INFO_KEY || key_length(key) < n_key)
        return tk_err_set(
            err, TK_EUSAGE,
            "'%.*s' cannot be a key: keys are words of lower-case letters and digits, such as 'build'",
            (int)(n_key < TK_RUN_INFO_KEY ? n_key : TK_RUN_INFO_KEY), key);
    if (n == 0)
        return tk_err_set(err, TK_EUSAGE, "key '%.*s' of a run has no value", (int)n_key, key);
    if (n > TK_RUN_INFO_VALUE || !is_printable(value, n))
        return tk_err_set(
            err, TK_EUSAGE,
            "key '%.*s' of a run: its value is not one line of UTF-8, or has more than %u bytes", (int)n_key,
            key, TK_RUN_INFO_VALUE);
    return TK_OK;
}

/* Puts an item into its place by key, or in the place of the one with that key. 0, or -1. */
static int put_item(struct tk_run_info *info, struct tk_run_fact item)
{
    size_t at = 0;
    while (at < info->v.n && tk_str_order(info->v.v[at].key, item.key) < 0)
        at++;
    if (at < info->v.n && tk_str_order(info->v.v[at].key, item.key) == 0) {
        info->v.v[at] = item;
        return 0;
    }
    if (tk_vec_push(&info->v, item))
        return -1;
    memmove(&info->v.v[at + 1], &info->v.v[at], (info->v.n - 1 - at) * sizeof item);
    info->v.v[at] = item;
    return 0;
}

static int put_pair(struct tk_run_info *info, const char *key, size_t n_key, const char *value,
                    struct tk_err *err)
{
    char when[TK_WHEN_TEXT];
    int64_t seconds;
    int rc = check_pair(key, n_key, value, err);
    if (rc < 0)
        return rc;
    if (n_key == 4 && memcmp(key, "time", 4) == 0) {
        if (!tk_when_read(value, &seconds))
            return tk_err_set(
                err, TK_EUSAGE,
                "'%.60s' is not a time: write 2026-11-23T21:05:42Z, 2026-11-23 21:05, or seconds "
                "since 1970",
                value);
        tk_when_put(when, seconds);
        value = when;
    }
    if (info->v.n >= TK_RUN_INFO_MOST)
        return tk_err_set(err, TK_EUSAGE, "a run has more than %u facts", TK_RUN_INFO_MOST);
    const struct tk_run_fact item = {tk_intern(&info->names, key, n_key, TK_ENC_UTF8),
                                     tk_intern(&info->names, value, strlen(value), TK_ENC_UTF8)};
    return item.key && item.value && !put_item(info, item) ? TK_OK : tk_err_nomem(err, "facts about a run");
}

int tk_run_info_word(struct tk_run_info *info, const char *word, struct tk_err *err)
{
    const size_t n = strcspn(word, "=");
    if (!word[n])
        return tk_err_set(err, TK_EUSAGE, "'%.60s' is not of the form KEY=VALUE", word);
    return put_pair(info, word, n, word + n + 1, err);
}

static int take_member(struct tk_run_info *info, const cJSON *item, struct tk_err *err)
{
    char number[32];
    const char *value = NULL;
    if (cJSON_IsString(item))
        value = item->valuestring;
    else if (cJSON_IsBool(item))
        value = cJSON_IsTrue(item) ? "true" : "false";
    else if (cJSON_IsNumber(item)) {
        number[tk_put_real(number, item->valuedouble)] = '\0';
        value = number;
    }
    if (!value)
        return tk_err_set(err, TK_EUSAGE, "'%.60s' of a run is neither a text nor a number", item->string);
    return put_pair(info, item->string, strlen(item->string), value, err);
}

/* Is a key one that is known with a letter too many, too few, or another one? The first letter is seldom
 * wrong, and a number is not a slip: `npu` and `gpu2` are keys of one's own. */
static bool is_misspelled(const char *key, const char *known)
{
    const size_t n = strlen(key), most = strlen(known);
    return n > 2 && strcmp(key, known) != 0 && tolower((unsigned char)*key) == *known &&
           !strpbrk(key, "0123456789") && tk_distance(key, n, known, most, 2) < 2;
}

/* A file has each key once. Keys of one's own are allowed, but none that is a known one misspelled. */
static int check_key(const cJSON *item, struct tk_err *err)
{
    if (tk_json_is_twice(item))
        return tk_err_set(err, TK_EUSAGE, "key '%.60s' is there twice", item->string);
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(item->string, list[i].key.name) == 0)
            return TK_OK;
    for (size_t i = 0; i < KEYS; i++)
        if (is_misspelled(item->string, list[i].key.name))
            return tk_err_set(err, TK_EUSAGE,
                              "key '%.60s' is nearly '%s'; did you mean that? A key of your own needs "
                              "another name",
                              item->string, list[i].key.name);
    return TK_OK;
}

int tk_run_info_parse(struct tk_run_info *info, const char *text, size_t n, struct tk_err *err)
{
    cJSON *root;
    int rc = tk_json_read(&root, text, n, "facts about a run", err);
    if (rc == TK_OK && !cJSON_IsObject(root))
        rc = tk_err_set(err, TK_EUSAGE, "the facts about a run must be a JSON object");
    for (const cJSON *c = rc == TK_OK ? root->child : NULL; c && rc == TK_OK; c = c->next) {
        rc = check_key(c, err);
        rc = rc == TK_OK ? take_member(info, c, err) : rc;
        if (rc == TK_EUSAGE)
            tk_err_add(err, "line %zu", tk_json_line_of(text, n, NULL, 0, c->string));
    }
    cJSON_Delete(root);
    return rc;
}

void tk_run_info_release(struct tk_run_info *info)
{
    tk_vec_release(&info->v);
    tk_intern_release(&info->names);
}

/* ---- runs ---- */

static bool is_text(const struct tk_str *s, const char *text)
{
    return s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

int tk_base_run_note(struct tk_base_run *run, const char *key, const char *value, size_t n, uint8_t enc)
{
    const struct tk_run_fact item = {tk_intern_c(&run->names, key),
                                     tk_intern(&run->names, value, n, (enum tk_encoding)enc)};
    if (!item.key || !item.value)
        return -1;
    for (size_t i = 0; i < run->said.n; i++)
        if (is_text(run->said.v[i].key, key)) {
            run->said.v[i] = item;
            return 0;
        }
    return tk_vec_push(&run->said, item);
}

int tk_base_run_say(struct tk_base_run *run, const struct tk_run_info *info, struct tk_err *err)
{
    for (size_t i = 0; i < info->v.n; i++) {
        const struct tk_run_fact *item = &info->v.v[i];
        char key[TK_RUN_INFO_KEY];
        memcpy(key, item->key->p, item->key->n); /* its length was checked */
        key[item->key->n] = '\0';
        if (tk_base_run_note(run, key, item->value->p, item->value->n, item->value->enc))
            return tk_err_nomem(err, "facts about a run");
    }
    return TK_OK;
}

/* By the numbers that captures have for it. */
static const struct tk_str *config_of(const struct tk_str *number)
{
    static const struct tk_str names[] = {{.p = "Debug", .n = 5},
                                          {.p = "DebugGame", .n = 9},
                                          {.p = "Development", .n = 11},
                                          {.p = "Shipping", .n = 8},
                                          {.p = "Test", .n = 4}};
    return number->n == 1 && number->p[0] >= '1' && number->p[0] <= '5' ? &names[number->p[0] - '1'] : NULL;
}

#define HOST "host." /* keys of what is known of the host, which counts where nothing better does */

/* What recorded a capture has a version by its own name. */
static bool is_version(const struct tk_str *key)
{
    static const char end[] = "Version";
    const size_t n = sizeof end - 1;
    return key->n > n && memcmp(key->p + key->n - n, end, n) == 0 && !is_text(key, "BuildVersion");
}

static const struct tk_str *stated(const struct tk_base_run *run, size_t key)
{
    const bool engine = strcmp(list[key].key.name, "engine") == 0;
    for (size_t i = 0; engine && i < run->session.n; i++)
        if (is_version(run->session.v[i].key) && run->session.v[i].value->n)
            return run->session.v[i].value;
    for (size_t i = 0; i < run->session.n; i++)
        for (size_t k = 0; k < 2; k++)
            if (list[key].stated[k] && run->session.v[i].value->n &&
                is_text(run->session.v[i].key, list[key].stated[k]))
                return strcmp(list[key].key.name, "config") == 0 ? config_of(run->session.v[i].value)
                                                                 : run->session.v[i].value;
    return NULL;
}

static const struct tk_str *find_said(const struct tk_base_run *run, const char *key)
{
    for (size_t i = 0; i < run->said.n; i++)
        if (is_text(run->said.v[i].key, key))
            return run->said.v[i].value;
    return NULL;
}

const struct tk_str *tk_base_run_about(const struct tk_base_run *run, const char *key)
{
    char of_host[TK_RUN_INFO_KEY + sizeof HOST];
    const struct tk_str *found = find_said(run, key);
    for (size_t i = 0; i < KEYS && !found; i++)
        if (strcmp(list[i].key.name, key) == 0)
            found = stated(run, i);
    if (found)
        return found;
    snprintf(of_host, sizeof of_host, HOST "%s", key);
    return find_said(run, of_host);
}

bool tk_base_run_is_unit(const struct tk_base_run *run)
{
    const struct tk_str *unit = tk_base_run_about(run, "unit");
    return unit && is_text(unit, "run") && run->frames.n == 1;
}

#define EACH "each "

struct tk_str tk_base_run_per(const struct tk_base_run *run)
{
    const struct tk_str *unit = tk_base_run_about(run, "unit");
    const uint32_t n = sizeof EACH - 1;
    if (!unit || unit->n <= n || memcmp(unit->p, EACH, n) != 0)
        return (struct tk_str){.p = NULL};
    return (struct tk_str){unit->p + n, unit->n - n, unit->enc};
}

int tk_base_run_note_per(struct tk_base_run *run, const char *per)
{
    const size_t n = strlen(per) + sizeof EACH;
    char *text = malloc(n);
    if (!text)
        return -1;
    snprintf(text, n, EACH "%s", per);
    const int rc = tk_base_run_note(run, "unit", text, n - 1, TK_ENC_UTF8);
    free(text);
    return rc;
}

enum tk_run_unit tk_base_run_unit(const struct tk_base_run *run)
{
    if (tk_base_run_per(run).p)
        return TK_RUN_UNIT_OCCURRENCE;
    return tk_base_run_is_unit(run) ? TK_RUN_UNIT_RUN : TK_RUN_UNIT_FRAME;
}

const char *tk_run_unit_time(enum tk_run_unit unit)
{
    static const char *const times[] = {"ms/frame", "ms/run", "ms/occurrence"};
    return times[unit];
}

bool tk_base_run_when(const struct tk_base_run *run, int64_t *seconds)
{
    const struct tk_str *s = tk_base_run_about(run, "time");
    char text[64];
    if (!s || s->n >= sizeof text)
        return false;
    memcpy(text, s->p, s->n);
    text[s->n] = '\0';
    return tk_when_read(text, seconds);
}

/*
 * What matters of a machine: processor, cores, class of memory, graphics processor and driver, system. Its
 * name says nothing of that, and counts only where somebody gives it.
 */

/* ---- parts ---- */

/* Without a number: 0. "24105 MB", "65795264 kB", "16 GB" in GB. */
static double gigabytes(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    end += strspn(end, " ");
    const double of[] = {1, 1e-9, 1.0 / (1 << 20), 1.0 / 1024, 1, 1024};
    const char *const letters = " BkMGT", *at = *end ? strchr(letters, *end == 'K' ? 'k' : *end) : letters;
    return at && v > 0 ? v * of[at - letters] : 0;
}

/* Powers of two, and half way between them: what is free of 16 GB is less than that. */
static void put_memory(char *to, size_t n, const char *text)
{
    const double gb = gigabytes(text), half = gb > 0 ? round(2 * log2(gb)) : 0;
    const double power = exp2(floor(half / 2));
    if (gb > 0)
        snprintf(to, n, "%.3g GB", fmod(half, 2) != 0 ? 1.5 * power : power);
}

static void put_cores(char *to, size_t n, const char *text)
{
    const int digits = (int)strspn(text, "0123456789");
    if (digits)
        snprintf(to, n, "%.*s cores", digits, text);
}

static void put_word(char *to, size_t n, const char *text)
{
    snprintf(to, n, "%.*s", (int)strcspn(text, " "), text);
}

static void put_all(char *to, size_t n, const char *text)
{
    snprintf(to, n, "%s", text);
}

static const struct {
    const char *key;
    void (*put)(char *to, size_t n, const char *text);
} parts[] = {{"cpu", put_all}, {"cores", put_cores}, {"memory", put_memory},
             {"gpu", put_all}, {"driver", put_all},  {"os", put_word}};

#define PARTS (sizeof parts / sizeof *parts)
#define PART  128 /* bytes of one */

/* The part of a key as it is compared; empty where it is not known. */
static void read_part(char to[PART], const struct tk_base_run *run, size_t i)
{
    char text[PART];
    const struct tk_str *s = tk_base_run_about(run, parts[i].key);
    *to = '\0';
    if (!s)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(s->n < PART ? s->n : PART - 1), s->p);
    parts[i].put(to, PART, text);
}

void tk_base_run_machine(char text[TK_MACHINE_TEXT], const struct tk_base_run *run)
{
    char part[PART];
    size_t n = 0;
    *text = '\0';
    for (size_t i = 0; i < PARTS; i++) {
        read_part(part, run, i);
        if (*part)
            n += (size_t)snprintf(text + n, TK_MACHINE_TEXT - n, "%s%s", n ? ", " : "", part);
        if (n >= TK_MACHINE_TEXT)
            return;
    }
}

/* ---- two machines ---- */

static bool same(const struct tk_str *a, const struct tk_str *b)
{
    return tk_str_order(a, b) == 0;
}

/* By parts that both know. */
static enum tk_machine_match match_parts(const struct tk_base_run *a, const struct tk_base_run *b)
{
    enum tk_machine_match match = TK_MACHINE_UNKNOWN;
    char x[PART], y[PART];
    for (size_t i = 0; i < PARTS; i++) {
        read_part(x, a, i);
        read_part(y, b, i);
        if (!*x || !*y)
            continue;
        if (strcmp(x, y) != 0)
            return TK_MACHINE_OTHER;
        match = i < 2 ? TK_MACHINE_SAME : match; /* a system alone is no machine */
    }
    return match;
}

/* One was given a name, of the other that of its host is known. */
static enum tk_machine_match match_host(const struct tk_str *name, const struct tk_base_run *run)
{
    const struct tk_str *host = tk_base_run_about(run, "host");
    if (!name || !host)
        return TK_MACHINE_UNKNOWN;
    return same(name, host) ? TK_MACHINE_BY_NAME : TK_MACHINE_OTHER;
}

enum tk_machine_match tk_base_run_machines(const struct tk_base_run *a, const struct tk_base_run *b)
{
    const struct tk_str *x = tk_base_run_about(a, "machine"), *y = tk_base_run_about(b, "machine");
    if (x && y)
        return same(x, y) ? TK_MACHINE_SAME : TK_MACHINE_OTHER;
    const enum tk_machine_match match = match_parts(a, b);
    if (match != TK_MACHINE_UNKNOWN)
        return match;
    return x ? match_host(x, b) : match_host(y, a);
}

bool tk_base_run_knows_machine(const struct tk_base_run *run)
{
    char cpu[PART], cores[PART];
    read_part(cpu, run, 0);
    read_part(cores, run, 1);
    return tk_base_run_about(run, "machine") || *cpu || *cores;
}
