/*
 * The reasons of hitches of a run, from rows of the table `hitches`.
 */
#include "compare/collect/collect.h"
#include "model/timers/thread_class.h"
#include "table/cell.h"

#include <math.h>
#include <string.h>

enum { FRAME, DURATION, EXCESS, TIMER, THREAD, ROLE, COLUMNS };

static const char *const columns[COLUMNS] = {"frame", "dur", "excess", "timer", "thread", "role"};

void tk_collect_hitches_init(struct tk_collect_hitches *h, struct tk_base_run *run,
                             const struct tk_selection *select)
{
    static const char *const names[] = {"hitches"};
    *h = (struct tk_collect_hitches){.query = TK_INIT(struct tk_query), .run = run};
    h->query.tables = names;
    h->query.n_tables = 1;
    h->query.columns = columns;
    h->query.n_columns = COLUMNS;
    h->query.hitches.reasons = 1;
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

static int take_hitch(struct tk_collect_hitches *h, const struct tk_cell *row)
{
    const size_t at = next_hitch(h->run, h->next, row[DURATION].v.i);
    const struct tk_str *thread = text_of(h->run, &row[THREAD]);
    struct tk_base_hitch hitch = {.number = (uint32_t)at,
                                  .frame = row[FRAME].v.u,
                                  .role = (uint8_t)role_of(&row[ROLE]),
                                  .thread = thread ? tk_thread_class(&h->run->names, thread, NULL) : NULL,
                                  .timer = text_of(h->run, &row[TIMER]),
                                  .excess =
                                      row[EXCESS].kind == TK_DURATION ? (double)row[EXCESS].v.i / 1e6 : 0};
    if (at >= h->run->judged.n)
        return 0;
    h->next = at + 1;
    return !hitch.thread || !hitch.timer ? -1 : tk_vec_push(&h->run->reasons, hitch);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_collect_hitches *h = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (h->any && row[FRAME].v.u == h->last)
            continue;
        h->any = true;
        h->last = row[FRAME].v.u;
        if (take_hitch(h, row))
            return tk_err_nomem(err, "the hitches of a run");
    }
    return TK_OK;
}

struct tk_sink tk_collect_hitches_sink(struct tk_collect_hitches *h)
{
    return (struct tk_sink){.self = h, .rows = take_rows};
}
