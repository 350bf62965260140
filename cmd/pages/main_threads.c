/*
 * Main threads: which threads of a capture a first page speaks of.
 */
#include "pages/summary_pages.h"

#include <string.h>

/* Roles of main threads, as the table `threads` has them, in the order of the page. */
static const char *const known[] = {"game", "render", "rhi"};

#define KNOWN (sizeof known / sizeof *known)

/* KNOWN: none of them. */
static unsigned rank_of_role(const struct tk_cell *role)
{
    unsigned i = 0;
    while (i < KNOWN && (role->kind != TK_TEXT || role->n != strlen(known[i]) ||
                         memcmp(role->v.p, known[i], role->n) != 0))
        i++;
    return i;
}

static int64_t span_at(const struct tk_answer *threads, size_t row, const char *column)
{
    const struct tk_cell *cell = tk_answer_cell(threads, row, column);
    return cell->kind == TK_DURATION ? cell->v.i : 0;
}

static bool comes_before(const struct tk_main_thread *a, const struct tk_main_thread *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->working != b->working ? a->working > b->working : a->busy > b->busy;
}

static void offer_thread(struct tk_main_threads *main, const struct tk_main_thread *thread)
{
    size_t at = main->n < TK_MAIN_THREADS_MOST ? main->n++ : TK_MAIN_THREADS_MOST;
    for (; at > 0 && comes_before(thread, &main->v[at - 1]); at--)
        if (at < TK_MAIN_THREADS_MOST)
            main->v[at] = main->v[at - 1];
    if (at < TK_MAIN_THREADS_MOST)
        main->v[at] = *thread;
}

/* Alongside several threads that have a role there are no others. */
static void keep_known(struct tk_main_threads *main)
{
    while (main->n > 2 && main->v[1].rank < KNOWN && main->v[main->n - 1].rank == KNOWN)
        main->n--;
}

void tk_main_threads_find(struct tk_main_threads *main, const struct tk_answer *threads)
{
    *main = (struct tk_main_threads){0};
    for (size_t i = 0; i < threads->n_rows; i++) {
        if (tk_answer_cell(threads, i, "scopes")->v.u == 0)
            continue;
        main->used++;
        offer_thread(main,
                     &(struct tk_main_thread){.row = i,
                                              .id = tk_answer_cell(threads, i, "thread_id")->v.u,
                                              .busy = span_at(threads, i, "busy"),
                                              .working = span_at(threads, i, "working"),
                                              .waiting = span_at(threads, i, "waiting"),
                                              .rank = rank_of_role(tk_answer_cell(threads, i, "role"))});
    }
    keep_known(main);
}

bool tk_main_threads_named(const struct tk_main_threads *main)
{
    return main->n && main->v[0].rank < KNOWN;
}

bool tk_main_threads_has(const struct tk_main_threads *main, uint64_t id)
{
    for (size_t i = 0; i < main->n; i++)
        if (main->v[i].id == id)
            return true;
    return false;
}
