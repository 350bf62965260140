/*
 * Plots with the last value in front of the window, and memory with what was alive when it begins
 * (tracy-file 5.12). Part of a pass.
 */
#include "base/wrap.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"
#include "format/tracy/walk/own_tables.h"

#include <string.h>

/*
 * Strings, and the sections that say what they are names of (tracy-file 5.1 to 5.5, 5.13, 5.14, 5.19). Part
 * of a pass.
 */

/* ---- the table ---- */

static void put_string(struct tk_tracy_pass *p, uint64_t i, const struct tk_tracy_string *head)
{
    struct tk_tracy_string now = *head;
    struct tk_bytes text;
    if (!p->text) {
        tk_tracy_pass_put_string(p, head);
        tk_tracy_pass_copy(p, head->n);
        return;
    }
    tk_tracy_skip(p->in, head->n, "a string");
    if (!p->text(p->text_ctx, p->roles.v[i], &p->c->strings.v.v[i], &text)) {
        p->failed = true;
        return;
    }
    now.n = text.n;
    tk_tracy_pass_put_string(p, &now);
    tk_tracy_pass_put_bytes(p, text.p, text.n);
}

static uint64_t kept_strings(const struct tk_tracy_pass *p, uint64_t n)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < p->strings.n; i++)
        kept += p->strings.v[i] != UINT32_MAX;
    return p->collects ? kept : n;
}

/* The record is one more string, with a key that no other has. */
void tk_tracy_pass_strings(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "strings");
    uint64_t greatest = 0;
    p->n_strings = kept_strings(p, n);
    tk_tracy_pass_put(p, p->n_strings + (p->record != NULL), 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_string head;
        const bool known = i < p->roles.n;
        if (!tk_tracy_read_string(p->in, &head))
            return;
        greatest = head.key > greatest ? head.key : greatest;
        if (!p->out || (p->collects && (!known || p->strings.v[i] == UINT32_MAX)))
            tk_tracy_skip(p->in, head.n, "a string");
        else
            put_string(p, i, &head);
    }
    p->greatest_key = greatest;
    if (p->record && p->out) {
        tk_tracy_put_string(p->out, &(struct tk_tracy_string){greatest + 1, p->n_record});
        tk_tracy_put_bytes(p->out, p->record, p->n_record);
    }
}

/* Pointers of strings that went go, too. */
void tk_tracy_pass_pointers(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "pointers of strings");
    uint64_t kept = p->collects ? 0 : n;
    for (size_t i = 0; i < p->pointers.n && p->collects; i++)
        kept += p->pointers.v[i] < p->strings.n && p->strings.v[p->pointers.v[i]] != UINT32_MAX;
    tk_tracy_pass_put(p, kept, 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_pointer v;
        if (!tk_tracy_read_pointer(p->in, &v))
            return;
        const uint32_t string = tk_map_get(&p->c->strings.by_key, v.key);
        if (!p->out)
            p->failed |= p->collects && tk_vec_push(&p->pointers, string);
        else if (!p->collects || (string < p->strings.n && p->strings.v[string] != UINT32_MAX))
            tk_tracy_put_pointer(p->out, &v);
    }
}

/* ---- names ---- */

void tk_tracy_pass_thread_names(struct tk_tracy_pass *p)
{
    tk_tracy_pass_each(p, tk_tracy_pass_through_thread_name);
    tk_tracy_pass_each(p, tk_tracy_pass_through_external_name);
}

static void pass_static(struct tk_tracy_pass *p)
{
    tk_tracy_pass_copy(p, 8);
    tk_tracy_pass_through_location(p);
}

void tk_tracy_pass_locations(struct tk_tracy_pass *p)
{
    tk_tracy_pass_each(p, pass_static);
    tk_tracy_pass_copy(p, tk_tracy_pass_number(p) * 8);
    tk_tracy_pass_each(p, tk_tracy_pass_through_location);
}

/* ---- what the program says of itself ---- */

enum tk_tracy_role tk_tracy_pass_info_role(const struct tk_tracy_pass *p, struct tk_tracy_ref text)
{
    return tk_tracy_edit_is(tk_tracy_string_of_ref(&p->c->strings, text)) ? TK_TRACY_ROLE_EDIT
                                                                          : TK_TRACY_ROLE_INFO;
}

void tk_tracy_pass_put_record(struct tk_tracy_pass *p)
{
    if (p->out)
        tk_tracy_put_app_info(p->out, &(struct tk_tracy_app_info){{p->n_strings, TK_TRACY_REF_NUMBER}});
}

void tk_tracy_pass_app_info(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "application information");
    tk_tracy_pass_put(p, n + (p->record != NULL), 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        tk_tracy_pass_through_app_info(p);
    if (p->record)
        tk_tracy_pass_put_record(p);
}

static double real_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* ---- plots ---- */

/* A point outside of the window that stays: the last one in front of it, and the first one behind it, until
 * which the last one in it holds. */
struct outer_point {
    size_t place; /* of its number from 1 */
    int64_t time;
    double value;
};

/* Places of what is found of a plot. */
struct plot {
    size_t least, most, sum, count;
    struct outer_point before, behind;
    bool any;
};

/* What stands in front of the points is found with them. */
static void begin_plot(struct tk_tracy_pass *p, struct plot *plot)
{
    struct tk_tracy_plot v;
    plot->least = tk_tracy_pass_note(p);
    plot->most = tk_tracy_pass_note(p);
    plot->sum = tk_tracy_pass_note(p);
    plot->before.place = tk_tracy_pass_note(p);
    plot->behind.place = tk_tracy_pass_note(p);
    if (!tk_tracy_read_plot(p->in, &v))
        return;
    if (p->window.cut) {
        v.min = real_of(tk_tracy_pass_noted(p, plot->least));
        v.max = real_of(tk_tracy_pass_noted(p, plot->most));
        v.sum = real_of(tk_tracy_pass_noted(p, plot->sum));
    }
    tk_tracy_pass_put_plot(p, &v);
}

static void sum_point(struct tk_tracy_pass *p, struct plot *plot, double value)
{
    if (!p->window.cut)
        return;
    if (!plot->any || value < real_of(tk_tracy_pass_noted(p, plot->least)))
        tk_tracy_pass_set(p, plot->least, bits_of(value));
    if (!plot->any || value > real_of(tk_tracy_pass_noted(p, plot->most)))
        tk_tracy_pass_set(p, plot->most, bits_of(value));
    tk_tracy_pass_set(p, plot->sum,
                      bits_of((plot->any ? real_of(tk_tracy_pass_noted(p, plot->sum)) : 0) + value));
    plot->any = true;
}

static void find_outer(struct tk_tracy_pass *p, struct outer_point *outer, uint64_t i, int64_t time,
                       double value)
{
    outer->time = time;
    outer->value = value;
    tk_tracy_pass_set(p, outer->place, i + 1);
}

/* Before 0.13.3 points may stand in any order: those around the window are known at the end. */
static void pass_point(struct tk_tracy_pass *p, struct plot *plot, uint64_t i)
{
    struct tk_tracy_point v;
    if (!tk_tracy_read_point(p->in, &v))
        return;
    const bool inside = tk_tracy_window_has(&p->window, v.time);
    if (!p->out && v.time < p->window.from && v.time >= plot->before.time)
        find_outer(p, &plot->before, i, v.time, v.value);
    else if (!p->out && v.time >= p->window.to && v.time < plot->behind.time)
        find_outer(p, &plot->behind, i, v.time, v.value);
    if (!inside && (!p->out || (tk_tracy_pass_noted(p, plot->before.place) != i + 1 &&
                                tk_tracy_pass_noted(p, plot->behind.place) != i + 1)))
        return;
    if (!p->out)
        sum_point(p, plot, v.value);
    tk_tracy_pass_keep(p, plot->count);
    tk_tracy_pass_put_point(p, &v);
}

static void count_outer(struct tk_tracy_pass *p, struct plot *plot, const struct outer_point *outer)
{
    if (p->out || !tk_tracy_pass_noted(p, outer->place))
        return;
    sum_point(p, plot, outer->value);
    tk_tracy_pass_keep(p, plot->count);
}

void tk_tracy_pass_plots(struct tk_tracy_pass *p)
{
    const uint64_t plots = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < plots && tk_tracy_pass_going(p); i++) {
        struct plot plot = {.before = {.time = INT64_MIN}, .behind = {.time = INT64_MAX}};
        begin_plot(p, &plot);
        const uint64_t n = tk_tracy_u64(p->in, "points of a plot");
        plot.count = tk_tracy_pass_count(p, 8);
        tk_tracy_pass_start_times(p, 0);
        for (uint64_t k = 0; k < n && tk_tracy_pass_going(p); k++)
            pass_point(p, &plot, k);
        count_outer(p, &plot, &plot.before);
        count_outer(p, &plot, &plot.behind);
    }
    p->kept[p->section] = plots; /* points are none of their own */
}

/* ---- memory ---- */

struct pool {
    uint64_t n[2]; /* released, and not */
    uint64_t high, low, used;
};

/* What was released in front of the window goes, and what was allocated behind it. */
static void pass_allocation(struct tk_tracy_pass *p, struct pool *pool)
{
    struct tk_tracy_memory v;
    if (!tk_tracy_read_memory(p->in, &v))
        return;
    const int64_t freed = v.life < 0 ? INT64_MAX : tk_wrap_add(v.time, v.life);
    if (v.time >= p->window.to || freed < p->window.from)
        return;
    if (!p->out)
        p->kept[p->section]++;
    pool->n[v.life < 0]++;
    pool->used += v.life < 0 ? v.size : 0;
    if (v.address < pool->low)
        pool->low = v.address;
    if (v.address + v.size > pool->high)
        pool->high = v.address + v.size;
    tk_tracy_pass_put_memory(p, &v);
}

/* Highest and lowest address, bytes that are in use. */
static void end_pool(struct tk_tracy_pass *p, const struct pool *pool)
{
    struct tk_tracy_pool_end v;
    if (!tk_tracy_read_pool_end(p->in, &v))
        return;
    if (p->window.cut)
        v = (struct tk_tracy_pool_end){pool->high, pool->low, pool->used, v.name};
    tk_tracy_pass_put_pool_end(p, &v);
}

/* How many of its events stay. */
static uint64_t pass_pool(struct tk_tracy_pass *p)
{
    const size_t active = tk_tracy_pass_note(p), frees = tk_tracy_pass_note(p);
    struct pool pool = {.low = UINT64_MAX};
    struct tk_tracy_pool v;
    if (!tk_tracy_read_pool(p->in, &v))
        return 0;
    const uint64_t n = v.n;
    v.active = tk_tracy_pass_noted(p, active);
    v.frees = tk_tracy_pass_noted(p, frees);
    v.n = v.active + v.frees;
    tk_tracy_pass_put_pool(p, &v);
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_allocation(p, &pool);
    tk_tracy_pass_set(p, active, pool.n[1]);
    tk_tracy_pass_set(p, frees, pool.n[0]);
    end_pool(p, &pool);
    return pool.n[0] + pool.n[1];
}

void tk_tracy_pass_memory(struct tk_tracy_pass *p)
{
    if (!p->c->layout.named_pools) {
        pass_pool(p);
        return;
    }
    const uint64_t pools = tk_tracy_pass_number(p);
    tk_tracy_skip(p->in, 8, "memory events");
    const size_t total = tk_tracy_pass_count(p, 8);
    uint64_t events = 0;
    for (uint64_t i = 0; i < pools && tk_tracy_pass_going(p); i++)
        events += pass_pool(p);
    tk_tracy_pass_set(p, total, events);
}
