/*
 * Reads budget files. Numbers must be finite, and not negative where values cannot be; unknown keys are
 * refused, because a misspelled budget would never fail.
 */
#include "base/text/glob.h"
#include "compare/baseline/expect.h"
#include "compare/report/budget.h"

#include <math.h>
#include <string.h>

#define MOST_BUDGETS 10000
#define INCREASE     "increase" /* of a counter that only rises */

static int wrong(struct tk_err *err, int number, const char *what)
{
    return tk_err_set(err, TK_EUSAGE, "budget %d: %s", number + 1, what);
}

/* The kind; of the words of studios TK_CHANGE_SMOOTHNESS. -1: there is none of that name. */
static int find_kind(const char *name)
{
    if (tk_smoothness_word_of(name, strlen(name)) < TK_SMOOTHNESS_WORDS && strcmp(name, "hitches") != 0)
        return TK_CHANGE_SMOOTHNESS;
    if (strcmp(name, INCREASE) == 0)
        return TK_CHANGE_COUNTER;
    for (int k = 0; k < TK_CHANGE_KINDS; k++)
        if (k != TK_CHANGE_PATH && k != TK_CHANGE_COMMON && k != TK_CHANGE_SMOOTHNESS &&
            k != TK_CHANGE_FUNCTION && k != TK_CHANGE_CELL &&
            strcmp(name, tk_change_kind_name((enum tk_change_kind)k)) == 0)
            return k;
    return -1;
}

static int unknown_key(const cJSON *item, int number, struct tk_err *err)
{
    static const char *const keys[] = {"kind",   "name", "thread",  "region",
                                       "target", "cell", "warning", "error"};
    for (const cJSON *c = item->child; c; c = c->next) {
        struct tk_nearest_search near;
        bool known = false;
        tk_nearest_begin(&near, c->string);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            known |= strcmp(c->string, keys[i]) == 0;
            tk_nearest_offer(&near, keys[i], strlen(keys[i]));
        }
        if (!known)
            return tk_err_set(err, TK_EUSAGE, "budget %d: there is no key '%.60s'%s%.*s%s", number + 1,
                              c->string, near.n ? "; did you mean '" : "", near.n ? (int)near.names[0].n : 0,
                              near.n ? near.names[0].p : "", near.n ? "'?" : "");
        if (tk_json_is_twice(c))
            return tk_err_set(err, TK_EUSAGE, "budget %d: key '%.60s' is there twice", number + 1, c->string);
    }
    return TK_OK;
}

static int read_limit(const cJSON *item, const char *key, bool negative, double *out, int number,
                      struct tk_err *err)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, key);
    *out = NAN;
    if (!v)
        return TK_OK;
    if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble) || (!negative && v->valuedouble < 0))
        return tk_err_set(err, TK_EUSAGE, "budget %d: '%s' is not a number%s", number + 1, key,
                          negative ? "" : " from 0 on");
    *out = v->valuedouble;
    return TK_OK;
}

static int read_text(struct tk_budgets *b, const cJSON *item, const char *key, const struct tk_str **out,
                     int number, struct tk_err *err)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, key);
    *out = NULL;
    if (!v)
        return TK_OK;
    if (!cJSON_IsString(v))
        return tk_err_set(err, TK_EUSAGE, "budget %d: '%s' is not a string", number + 1, key);
    *out = tk_json_text(&b->names, v);
    return *out ? TK_OK : tk_err_nomem(err, "budgets");
}

/* What is meant where no name is given; NULL: one has to be. */
static const char *usual_name(uint8_t kind)
{
    return kind == TK_CHANGE_HITCH     ? "hitches"
           : kind == TK_CHANGE_LOG     ? "errors"
           : kind == TK_CHANGE_LOADING ? "loading"
           : kind == TK_CHANGE_ADDED   ? "added cost"
                                       : NULL;
}

static bool is_usual_name(const struct tk_budget *b)
{
    const char *usual = usual_name(b->kind);
    return b->name->n == strlen(usual) && memcmp(b->name->p, usual, b->name->n) == 0;
}

static bool needs_target(const struct tk_budget *b)
{
    const enum tk_smoothness_word word =
        b->kind == TK_CHANGE_SMOOTHNESS ? tk_smoothness_word_of(b->name->p, b->name->n) : TK_SMOOTHNESS_WORDS;
    return word == TK_SMOOTHNESS_MISSED || word == TK_SMOOTHNESS_LATE;
}

/* What is wrong with what was read; NULL: nothing. */
static const char *flaw_of(const struct tk_budget *b)
{
    if (isnan(b->warning) && isnan(b->error))
        return "it has neither 'warning' nor 'error'";
    if (tk_change_is_of_frames(b->kind) && b->thread)
        return "its kind has no 'thread'";
    if (b->kind == TK_CHANGE_METRIC && b->thread)
        return "its kind has no 'thread'";
    if (b->target != 0 && b->kind != TK_CHANGE_SMOOTHNESS)
        return "its kind has no 'target'";
    if (b->cell != 0 && b->kind != TK_CHANGE_FRAME)
        return "only the kind 'frame' has a 'cell', the side of the cells of a level";
    if (!(b->target > 0) && needs_target(b))
        return "its kind needs a 'target', the frames a second that are wanted";
    if (b->kind == TK_CHANGE_HITCH && b->name && !is_usual_name(b))
        return "its kind has no 'name'";
    if (b->kind == TK_CHANGE_ADDED && b->name && !is_usual_name(b))
        return "its kind has no 'name'";
    return b->name || usual_name(b->kind) ? NULL : "it has no 'name'";
}

/* With a NUL, which interned texts are without. */
static const char *text_of_parse(struct tk_budgets *b, const struct tk_str *s)
{
    char *copy = tk_arena_alloc(&b->arena, s->n + UINT32_C(1));
    if (copy) {
        memcpy(copy, s->p, s->n);
        copy[s->n] = 0;
    }
    return copy;
}

/* Of the words of studios the kind is the name. */
static int read_word(struct tk_budgets *b, const char *kind, struct tk_budget *budget, int number,
                     struct tk_err *err)
{
    if (budget->name)
        return wrong(err, number, "its kind has no 'name'");
    budget->name = tk_intern_c(&b->names, kind);
    if (!budget->name)
        return tk_err_nomem(err, "budgets");
    const enum tk_smoothness_word word = tk_smoothness_word_of(kind, strlen(kind));
    budget->least = word == TK_SMOOTHNESS_LOW1 || word == TK_SMOOTHNESS_LOW01;
    return TK_OK;
}

static int read_one(struct tk_budgets *b, const cJSON *item, int number, struct tk_err *err)
{
    struct tk_budget budget = {0};
    const struct tk_str *region = NULL;
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
    if (!cJSON_IsObject(item) || !cJSON_IsString(kind) || find_kind(kind->valuestring) < 0)
        return wrong(
            err, number,
            "its kind must be one of frame, hitches, hitch_ratio, hitch_time, missed, late, low1, low01, "
            "uneven, oscillation, pacing, thread, timer, gpu, counter, increase, memory, log, loading, "
            "metric, added");
    budget.kind = (uint8_t)find_kind(kind->valuestring);
    budget.increase = strcmp(kind->valuestring, INCREASE) == 0;
    bool negative = (budget.kind == TK_CHANGE_COUNTER && !budget.increase) ||
                    budget.kind == TK_CHANGE_MEMORY || budget.kind == TK_CHANGE_METRIC;
    int rc = unknown_key(item, number, err);
    if (rc == TK_OK)
        rc = read_text(b, item, "name", &budget.name, number, err);
    if (rc == TK_OK)
        rc = read_text(b, item, "thread", &budget.thread, number, err);
    if (rc == TK_OK)
        rc = read_text(b, item, "region", &region, number, err);
    if (rc == TK_OK)
        rc = read_limit(item, "target", false, &budget.target, number, err);
    if (rc == TK_OK)
        rc = read_limit(item, "cell", false, &budget.cell, number, err);
    if (rc == TK_OK && budget.cell <= 0)
        rc = wrong(err, number, "'cell' is the side of the cells of a level, a number above 0");
    if (isnan(budget.target))
        budget.target = 0;
    if (isnan(budget.cell))
        budget.cell = 0;
    if (rc == TK_OK && budget.kind == TK_CHANGE_SMOOTHNESS)
        rc = read_word(b, kind->valuestring, &budget, number, err);
    if (rc == TK_OK)
        rc = read_limit(item, "warning", negative, &budget.warning, number, err);
    if (rc == TK_OK)
        rc = read_limit(item, "error", negative, &budget.error, number, err);
    if (rc == TK_OK && region && budget.kind == TK_CHANGE_ADDED)
        rc = wrong(err, number, "its kind has no 'region'");
    if (rc == TK_OK && budget.kind == TK_CHANGE_METRIC && region)
        rc = wrong(err, number, "its kind has no 'region'");
    if (rc == TK_OK && flaw_of(&budget))
        rc = wrong(err, number, flaw_of(&budget));
    if (rc == TK_OK && !budget.name)
        budget.name = tk_intern_c(&b->names, usual_name(budget.kind));
    if (rc == TK_OK && region && !(budget.region = text_of_parse(b, region)))
        rc = tk_err_nomem(err, "budgets");
    if (rc == TK_OK && (!budget.name || tk_vec_push(&b->v, budget)))
        rc = tk_err_nomem(err, "budgets");
    return rc;
}

static int read_all(struct tk_budgets *b, const cJSON *root, int *number, struct tk_err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "budgets");
    int rc = TK_OK, n = 0;
    *number = -1;
    if (!cJSON_IsArray(list) || !list->child)
        return tk_err_set(err, TK_EUSAGE, "the budget file has no list 'budgets', or the list is empty");
    if (root->child->next)
        return tk_err_set(err, TK_EUSAGE, "the budget file must have one key, 'budgets'");
    for (const cJSON *c = list->child; c && rc == TK_OK; c = c->next, n++) {
        *number = n;
        rc = n < MOST_BUDGETS ? read_one(b, c, n, err) : wrong(err, n, "there are too many budgets");
    }
    return rc;
}

int tk_budgets_parse(struct tk_budgets *b, const char *text, size_t n, struct tk_err *err)
{
    *b = (struct tk_budgets){0};
    cJSON *root;
    int rc = tk_json_read(&root, text, n, "the budget file", err), number;
    if (rc == TK_OK && (rc = read_all(b, root, &number, err)) == TK_EUSAGE && number >= 0)
        tk_err_add(err, "line %zu", tk_json_line_of(text, n, "budgets", (size_t)number, NULL));
    if (rc == TK_OK && tk_budgets_watch(b) != TK_OK)
        rc = tk_err_nomem(err, "budgets");
    cJSON_Delete(root);
    return rc;
}

void tk_budgets_release(struct tk_budgets *b)
{
    tk_vec_release(&b->v);
    tk_vec_release(&b->watch.v);
    tk_intern_release(&b->names);
    tk_run_faults_release(&b->faults);
    tk_sides_release(&b->sides);
    tk_arena_release(&b->arena);
}
