/*
 * Insights: the list of counters, and the changes of each. Counters are numbered in the order of the list.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "presets/presets_in.h"

int tk_insights_counters(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Type", "Name"};
    static const char *const types[2][2] = {{"Int64", "Int64|ResetEveryFrame"},
                                            {"Double", "Double|ResetEveryFrame"}};
    struct tk_counter_list list = {.spill = NULL};
    struct tk_page page;
    int rc = tk_counter_list_read(&list, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 3);
        for (size_t i = 0; i < list.v.n; i++) {
            tk_page_u64(&page, i);
            tk_page_c(&page, types[list.v.v[i].real][list.v.v[i].clears]);
            tk_page_text(&page, *list.v.v[i].name);
            tk_page_end(&page);
        }
        rc = tk_page_commit(&page, err);
    }
    tk_counter_list_release(&list);
    return rc;
}

/* ---- values ---- */

struct values {
    struct tk_insights *x;
    struct tk_counter_list list;
    struct tk_intern names;
    struct tk_map counts; /* address of a name of files -> counters so far */
    const struct tk_interval *interval;
    struct tk_page page;
};

/* Wants the counters whose names fit, letters of either case. */
static int pick_pattern(struct values *v, const char *pattern, struct tk_err *err)
{
    bool any = false;
    for (size_t i = 0; i < v->list.v.n; i++) {
        struct tk_counter_entry *c = &v->list.v.v[i];
        const bool fits = tk_glob(pattern, strlen(pattern), c->name->p, c->name->n, true);
        c->wanted |= fits;
        any |= fits;
    }
    return any ? TK_OK : tk_err_set(err, TK_EMATCH, "no counter matches '%s'", pattern);
}

/* Picks counters by their names; all of them where no name is requested. */
static int pick(struct values *v, size_t *n, struct tk_err *err)
{
    const struct tk_export_options *opt = v->x->job->options;
    int rc = TK_OK;
    for (size_t i = 0; i < v->list.v.n; i++)
        v->list.v.v[i].wanted = opt->n_counters == 0;
    for (size_t k = 0; k < opt->n_counters && rc == TK_OK; k++)
        rc = pick_pattern(v, opt->counters[k], err);
    *n = 0;
    for (size_t i = 0; i < v->list.v.n; i++)
        *n += v->list.v.v[i].wanted;
    return rc;
}

static int put_value_counters(void *ctx, const struct tk_counter_value *value, struct tk_err *err)
{
    struct values *v = ctx;
    (void)err;
    if (value->time < v->interval->from || value->time >= v->interval->to)
        return TK_OK;
    tk_page_fixed(&v->page, tk_calls_seconds(&v->x->intervals.clock, value->time), 9);
    if (value->real)
        tk_page_fixed(&v->page, value->v.r, 9);
    else
        tk_page_i64(&v->page, value->v.i);
    tk_page_end(&v->page);
    return tk_page_status(&v->page);
}

static int write_page(struct values *v, const char *pattern, size_t counter, const struct tk_str *name,
                      uint32_t number, struct tk_err *err)
{
    static const char *const head[] = {"Time", "Value"};
    int rc = tk_insights_open(v->x, &v->page, pattern, v->interval, name, number, 0, err);
    if (rc < 0)
        return rc;
    tk_page_head(&v->page, head, 2);
    rc = tk_counter_list_walk(&v->list, counter, put_value_counters, v, err);
    return tk_insights_close(&v->page, 1, rc, err);
}

static int write_counter(struct values *v, const char *pattern, size_t counter, struct tk_err *err)
{
    const struct tk_str *name = tk_interval_name(&v->names, v->list.v.v[counter].name);
    const uint32_t before = name ? tk_map_get(&v->counts, (uint64_t)(uintptr_t)name) : TK_MAP_NONE;
    const uint32_t number = before == TK_MAP_NONE ? 0 : before;
    int rc = TK_OK;
    if (!name || tk_map_put(&v->counts, (uint64_t)(uintptr_t)name, number + 1))
        return tk_err_nomem(err, "counters");
    for (size_t i = 0; i < v->x->intervals.v.n && rc == TK_OK; i++) {
        v->interval = &v->x->intervals.v.v[i];
        rc = write_page(v, pattern, counter, name, number, err);
    }
    return rc;
}

int tk_insights_counter_values(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    struct values v = {.x = x};
    size_t n = 0;
    int rc = tk_counter_list_read(&v.list, x->job, err);
    if (rc == TK_OK && x->job->query->n_columns)
        rc = tk_err_set(err, TK_EUSAGE, "the columns of table 'counter_values' cannot be chosen");
    if (rc == TK_OK)
        rc = pick(&v, &n, err);
    if (rc == TK_OK && n > 1 && !tk_interval_has_counter(pattern))
        rc = tk_err_set(err, TK_EUSAGE, "several counters need {counter} in the name of the file");
    if (rc == TK_OK)
        rc = tk_counter_list_values(&v.list, x->job, &x->intervals.clock, err);
    for (size_t i = 0; i < v.list.v.n && rc == TK_OK; i++)
        if (v.list.v.v[i].wanted)
            rc = write_counter(&v, pattern, i, err);
    tk_counter_list_release(&v.list);
    tk_map_release(&v.counts);
    tk_intern_release(&v.names);
    return rc;
}
