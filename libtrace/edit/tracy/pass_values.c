/*
 * Plots with the last value in front of the window, and memory with what was alive when it begins
 * (tracy-file 5.12). Part of a pass.
 */
#include "base/wrap.h"
#include "edit/tracy/edit_tracy.h"
#include "format/tracy/walk/own_tables.h"

#include <string.h>

/*
 * Strings, and the sections that say what they are names of (tracy-file 5.1 to 5.5, 5.13, 5.14, 5.19). Part
 * of a pass.
 */

enum { REF = 9, LOCATION_REST = 8, SYMBOL_REST = 4 };

/* ---- the table ---- */

static void put_string(struct tk_tracy_pass *p, uint64_t i, uint64_t key, uint64_t n)
{
    struct tk_bytes now;
    tk_tracy_pass_put(p, key, 8);
    if (!p->text) {
        tk_tracy_pass_put(p, n, 8);
        tk_tracy_pass_copy(p, n);
        return;
    }
    tk_tracy_skip(p->in, n, "a string");
    const uint32_t roles = p->roles.v[i];
    if (!p->text(p->text_ctx, roles, &p->c->strings.v.v[i], &now)) {
        p->failed = true;
        return;
    }
    tk_tracy_pass_put(p, now.n, 8);
    tk_tracy_pass_put_bytes(p, now.p, now.n);
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
        const uint64_t key = tk_tracy_u64(p->in, "key of a string"), size = tk_tracy_u64(p->in, "length");
        const bool known = i < p->roles.n;
        greatest = key > greatest ? key : greatest;
        if (!p->out || (p->collects && (!known || p->strings.v[i] == UINT32_MAX)))
            tk_tracy_skip(p->in, size, "a string");
        else
            put_string(p, i, key, size);
    }
    p->greatest_key = greatest;
    if (p->record && p->out) {
        tk_tracy_put(p->out, greatest + 1, 8);
        tk_tracy_put_text(p->out, p->record, p->n_record);
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
        const uint64_t pointer = tk_tracy_u64(p->in, "pointer"), key = tk_tracy_u64(p->in, "key");
        const uint32_t string = tk_map_get(&p->c->strings.by_key, key);
        if (!p->out)
            p->failed |= p->collects && tk_vec_push(&p->pointers, string);
        else if (!p->collects || (string < p->strings.n && p->strings.v[string] != UINT32_MAX)) {
            tk_tracy_put(p->out, pointer, 8);
            tk_tracy_put(p->out, key, 8);
        }
    }
}

/* ---- names ---- */

static void pass_key(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    tk_tracy_pass_mark_key(p, tk_tracy_pass_number(p), role);
}

void tk_tracy_pass_thread_names(struct tk_tracy_pass *p)
{
    const uint64_t own = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < own && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_key(p, TK_TRACY_ROLE_THREAD);
    }
    const uint64_t others = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < others && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_key(p, TK_TRACY_ROLE_PROCESS);
        pass_key(p, TK_TRACY_ROLE_THREAD);
    }
}

/* The string that is meant; NULL: none that is known. */
static const struct tk_str *string_of(const struct tk_tracy_pass *p, const uint8_t ref[REF])
{
    const struct tk_tracy_string_ref r = {tk_load64(ref), ref[8]};
    return tk_tracy_string_of_ref(&p->c->strings, r);
}

static bool pass_ref(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    uint8_t ref[REF] = {0};
    tk_tracy_copy(p->in, ref, sizeof ref, "a string");
    if (role == TK_TRACY_ROLE_INFO && tk_tracy_edit_is(string_of(p, ref)))
        role = TK_TRACY_ROLE_EDIT;
    tk_tracy_pass_mark_ref(p, ref, role);
    tk_tracy_pass_put_ref(p, ref);
    return ref[8] & 2;
}

/* What is displayed of a zone is its name, else its function. */
static void pass_location(struct tk_tracy_pass *p)
{
    const bool named = pass_ref(p, TK_TRACY_ROLE_TIMER);
    pass_ref(p, named ? TK_TRACY_ROLE_FUNCTION : TK_TRACY_ROLE_TIMER);
    pass_ref(p, TK_TRACY_ROLE_FILE);
    tk_tracy_pass_copy(p, LOCATION_REST);
}

void tk_tracy_pass_locations(struct tk_tracy_pass *p)
{
    const uint64_t statics = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < statics && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_location(p);
    }
    tk_tracy_pass_copy(p, tk_tracy_pass_number(p) * 8);
    const uint64_t dynamics = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < dynamics && tk_tracy_pass_going(p); i++)
        pass_location(p);
}

/* ---- code ---- */

void tk_tracy_pass_callstack_frames(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        const uint8_t places = tk_tracy_u8(p->in, "positions of a frame");
        tk_tracy_pass_put(p, places, 1);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_MODULE);
        for (unsigned k = 0; k < places && tk_tracy_pass_going(p); k++) {
            tk_tracy_pass_index(p, TK_TRACY_ROLE_FUNCTION);
            tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
            tk_tracy_pass_copy(p, 4 + 8);
        }
    }
}

void tk_tracy_pass_symbols(struct tk_tracy_pass *p)
{
    tk_tracy_pass_copy(p, 16);
    const uint64_t n = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FUNCTION);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
        tk_tracy_pass_copy(p, 4);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_MODULE);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
        tk_tracy_pass_copy(p, 4 + SYMBOL_REST);
    }
}

/* ---- what the program says of itself ---- */

void tk_tracy_pass_put_record(struct tk_tracy_pass *p)
{
    enum { NUMBER = 3 };
    tk_tracy_pass_put(p, p->n_strings, 8);
    tk_tracy_pass_put(p, NUMBER, 1);
}

void tk_tracy_pass_app_info(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "application information");
    tk_tracy_pass_put(p, n + (p->record != NULL), 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_ref(p, TK_TRACY_ROLE_INFO);
    if (p->record)
        tk_tracy_pass_put_record(p);
}

enum { POINT = 16, EVENT = 42 };

static void put_real(struct tk_tracy_pass *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tk_tracy_pass_put(p, bits, 8);
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
    const struct tk_tracy_layout *layout = &p->c->layout;
    uint64_t stated[3] = {0};
    size_t *places[] = {&plot->least, &plot->most, &plot->sum};
    tk_tracy_pass_copy(p, 2 + (layout->plot_style ? 6u : 0u));
    tk_tracy_pass_pointer(p, TK_TRACY_ROLE_NAME);
    for (unsigned i = 0; i < (layout->plot_sum ? 3u : 2u); i++) {
        stated[i] = tk_tracy_u64(p->in, "values of a plot");
        *places[i] = tk_tracy_pass_count(p, 8);
        tk_tracy_pass_set(p, *places[i], p->window.cut ? bits_of(0) : stated[i]);
    }
    plot->before.place = tk_tracy_pass_note(p);
    plot->behind.place = tk_tracy_pass_note(p);
}

static void sum_point(struct tk_tracy_pass *p, struct plot *plot, double value)
{
    if (!p->window.cut)
        return;
    if (!plot->any || value < real_of(tk_tracy_pass_noted(p, plot->least)))
        tk_tracy_pass_set(p, plot->least, bits_of(value));
    if (!plot->any || value > real_of(tk_tracy_pass_noted(p, plot->most)))
        tk_tracy_pass_set(p, plot->most, bits_of(value));
    if (p->c->layout.plot_sum)
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
static void pass_point(struct tk_tracy_pass *p, struct plot *plot, uint64_t i, int64_t *time)
{
    const int64_t at = tk_tracy_time(p->in, time, "time of a point");
    const double value = tk_tracy_f64(p->in, "value of a point");
    if (!tk_tracy_ok(p->in))
        return;
    const bool inside = tk_tracy_window_has(&p->window, at);
    if (!p->out && at < p->window.from && at >= plot->before.time)
        find_outer(p, &plot->before, i, at, value);
    else if (!p->out && at >= p->window.to && at < plot->behind.time)
        find_outer(p, &plot->behind, i, at, value);
    if (!inside && (!p->out || (tk_tracy_pass_noted(p, plot->before.place) != i + 1 &&
                                tk_tracy_pass_noted(p, plot->behind.place) != i + 1)))
        return;
    if (!p->out)
        sum_point(p, plot, value);
    tk_tracy_pass_keep(p, plot->count);
    tk_tracy_pass_put_time(p, at);
    put_real(p, value);
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
        int64_t time = 0;
        begin_plot(p, &plot);
        const uint64_t n = tk_tracy_u64(p->in, "points of a plot");
        plot.count = tk_tracy_pass_count(p, 8);
        tk_tracy_pass_start_times(p, 0);
        for (uint64_t k = 0; k < n && tk_tracy_pass_going(p); k++)
            pass_point(p, &plot, k, &time);
        count_outer(p, &plot, &plot.before);
        count_outer(p, &plot, &plot.behind);
    }
    p->kept[p->section] = plots; /* points are none of their own */
}

/* ---- memory ---- */

struct pool {
    size_t count;
    uint64_t n[2]; /* released, and not */
    uint64_t high, low, used;
};

/* What was released in front of the window goes, and what was allocated behind it. */
static void pass_allocation(struct tk_tracy_pass *p, struct pool *pool, int64_t *time)
{
    const uint8_t *bytes = tk_tracy_take(p->in, EVENT, "memory event");
    if (!bytes)
        return;
    const int64_t at = tk_tracy_after(time, bytes + 22), life = (int64_t)tk_load64(bytes + 30);
    const uint64_t address = tk_load64(bytes), size = tk_load64(bytes + 8);
    const int64_t freed = life < 0 ? INT64_MAX : tk_wrap_add(at, life);
    if (at >= p->window.to || freed < p->window.from)
        return;
    tk_tracy_pass_keep(p, pool->count);
    pool->n[life < 0]++;
    pool->used += life < 0 ? size : 0;
    if (address < pool->low)
        pool->low = address;
    if (address + size > pool->high)
        pool->high = address + size;
    tk_tracy_pass_put_bytes(p, bytes, 22);
    tk_tracy_pass_put_time(p, at);
    tk_tracy_pass_put_bytes(p, bytes + 30, EVENT - 30);
}

/* Highest and lowest address, bytes that are in use. */
static void end_pool(struct tk_tracy_pass *p, const struct pool *pool)
{
    const uint64_t found[] = {pool->high, pool->low, pool->used};
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t stated = tk_tracy_u64(p->in, "addresses of a memory pool");
        tk_tracy_pass_put(p, p->window.cut ? found[i] : stated, 8);
    }
    if (p->c->layout.named_pools)
        tk_tracy_pass_pointer(p, TK_TRACY_ROLE_NAME);
}

/* How many of its events stay. */
static uint64_t pass_pool(struct tk_tracy_pass *p)
{
    struct pool pool = {.low = UINT64_MAX};
    int64_t time = 0;
    if (p->c->layout.named_pools)
        tk_tracy_pass_pointer(p, TK_TRACY_ROLE_NAME);
    const uint64_t n = tk_tracy_u64(p->in, "events of a memory pool");
    tk_tracy_skip(p->in, 16, "numbers of a memory pool");
    pool.count = tk_tracy_pass_count(p, 8);
    const size_t active = tk_tracy_pass_count(p, 8), frees = tk_tracy_pass_count(p, 8);
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_allocation(p, &pool, &time);
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
