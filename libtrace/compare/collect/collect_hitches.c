/*
 * The reasons of hitches of a run, from rows of the table `hitches`.
 */
#include "base/text/text.h"
#include "compare/collect/collect.h"
#include "model/timers/thread_class.h"
#include "table/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAME, DURATION, EXCESS, TIMER, THREAD, ROLE, GROWTH, COLUMNS };

static const char *const columns[COLUMNS] = {"frame", "dur", "excess", "timer", "thread", "role", "growth"};

void tk_collect_hitches_init(struct tk_collect_hitches *h, struct tk_base_run *run,
                             const struct tk_selection *select)
{
    static const char *const names[] = {"hitches"};
    *h = (struct tk_collect_hitches){.query = TK_INIT(struct tk_query), .run = run};
    h->query.tables = names;
    h->query.n_tables = 1;
    h->query.columns = columns;
    h->query.n_columns = COLUMNS;
    h->query.hitches.reasons = 2; /* the first, and what it waited for */
    h->query.startup_hitches = true;
    if (select)
        h->query.select = *select;
}

/* The next frame of the run that is a hitch and as long; the number of frames where there is none. Both are
 * in order, and which of them are hitches was judged by the same rule. */
static size_t next_hitch(const struct tk_base_run *run, size_t from, int64_t ns)
{
    const double slack = 1e-3; /* ms */
    for (size_t i = from; i < run->judged.n; i++)
        if (run->judged.is[i] & TK_FRAME_IS_HITCH &&
            fabs(tk_base_ms(run, (double)run->frames.v[i]) - (double)ns / 1e6) < slack)
            return i;
    return run->judged.n;
}

static enum tk_role role_of(const struct tk_cell *cell)
{
    unsigned role = 0;
    for (; role < TK_ROLE_OTHER; role++) {
        const char *name = tk_role_name((enum tk_role)role);
        if (cell->kind == TK_TEXT && cell->n == strlen(name) && memcmp(cell->v.p, name, cell->n) == 0)
            break;
    }
    return (enum tk_role)role;
}

static const struct tk_str *text_of(struct tk_base_run *run, const struct tk_cell *cell)
{
    return cell->kind == TK_TEXT ? tk_intern(&run->names, cell->v.p, cell->n, (enum tk_encoding)cell->enc)
                                 : tk_intern_c(&run->names, "");
}

static double ms_of(const struct tk_cell *cell)
{
    return cell->kind == TK_DURATION ? (double)cell->v.i / 1e6 : 0;
}

static const struct tk_str *class_of(struct tk_base_run *run, const struct tk_cell *cell)
{
    const struct tk_str *thread = text_of(run, cell);
    return thread ? tk_thread_class(&run->names, thread, NULL) : NULL;
}

static int take_hitch(struct tk_collect_hitches *h, const struct tk_cell *row)
{
    const size_t at = next_hitch(h->run, h->next, row[DURATION].v.i);
    struct tk_base_hitch hitch = {.number = (uint32_t)at,
                                  .frame = row[FRAME].v.u,
                                  .role = (uint8_t)role_of(&row[ROLE]),
                                  .thread = class_of(h->run, &row[THREAD]),
                                  .timer = text_of(h->run, &row[TIMER]),
                                  .excess = ms_of(&row[EXCESS]),
                                  .growth = ms_of(&row[GROWTH])};
    h->taken = at < h->run->judged.n;
    if (!h->taken)
        return 0;
    hitch.cause_role = hitch.role;
    hitch.cause_thread = hitch.thread;
    hitch.cause = hitch.timer;
    h->next = at + 1;
    return !hitch.thread || !hitch.timer ? -1 : tk_vec_push(&h->run->reasons, hitch);
}

/* Behind a wait comes what it waited for, if that is known: it is of another thread. */
static int take_second(struct tk_collect_hitches *h, const struct tk_cell *row)
{
    struct tk_base_hitch *hitch = h->taken ? &h->run->reasons.v[h->run->reasons.n - 1] : NULL;
    const struct tk_str *thread = hitch ? class_of(h->run, &row[THREAD]) : NULL,
                        *timer = hitch ? text_of(h->run, &row[TIMER]) : NULL;
    if (!hitch || (thread && tk_str_order(thread, hitch->thread) == 0))
        return 0;
    hitch->cause_role = (uint8_t)role_of(&row[ROLE]);
    hitch->cause_thread = thread;
    hitch->cause = timer;
    hitch->growth = ms_of(&row[GROWTH]);
    return thread && timer ? 0 : -1;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_collect_hitches *h = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const bool second = h->any && row[FRAME].v.u == h->last;
        h->any = true;
        h->last = row[FRAME].v.u;
        if (second ? take_second(h, row) : take_hitch(h, row))
            return tk_err_nomem(err, "the hitches of a run");
    }
    return TK_OK;
}

struct tk_sink tk_collect_hitches_sink(struct tk_collect_hitches *h)
{
    return (struct tk_sink){.self = h, .rows = take_rows};
}

/* ---- what bounds frames ---- */

enum { BOUND_BY, BOUND_FRAMES, BOUND_COLUMNS };

static const char *const bound_columns[BOUND_COLUMNS] = {"bound_by", "frames"};

void tk_collect_bound_init(struct tk_collect_bound *b, struct tk_base_run *run,
                           const struct tk_selection *select)
{
    static const char *const names[] = {"bound_shares"};
    *b = (struct tk_collect_bound){.query = TK_INIT(struct tk_query), .run = run};
    b->query.mixed = true; /* one reading */
    b->query.tables = names;
    b->query.n_tables = 1;
    b->query.columns = bound_columns;
    b->query.n_columns = BOUND_COLUMNS;
    if (select)
        b->query.select = *select;
}

/* "game 12,limiter 588" */
static int take_bound(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct tk_collect_bound *b = self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (row[BOUND_BY].kind != TK_TEXT || b->n + row[BOUND_BY].n + 24 > sizeof b->text)
            continue;
        b->n += (size_t)snprintf(b->text + b->n, sizeof b->text - b->n, "%s%.*s %llu", b->n ? "," : "",
                                 (int)row[BOUND_BY].n, (const char *)row[BOUND_BY].v.p,
                                 (unsigned long long)tk_cell_int(&row[BOUND_FRAMES]));
    }
    return TK_OK;
}

struct tk_sink tk_collect_bound_sink(struct tk_collect_bound *b)
{
    return (struct tk_sink){.self = b, .rows = take_bound};
}
