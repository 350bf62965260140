/*
 * Main threads: which threads of a capture a first page speaks of.
 */
#include "pages/summary_pages.h"

#include <string.h>

static const char *const known[] = {"GameThread", "RenderThread", "RHIThread"};

#define KNOWN (sizeof known / sizeof *known)

/* KNOWN: none of them. Numbers are added to some, as in "RenderThread 1". */
static unsigned rank_of_name(const struct tk_cell *name)
{
    for (unsigned i = 0; name->kind == TK_TEXT && i < KNOWN; i++) {
        const size_t n = strlen(known[i]);
        const char *p = name->v.p;
        if (name->n >= n && memcmp(p, known[i], n) == 0 && (name->n == n || p[n] == ' '))
            return i;
    }
    return KNOWN;
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

/* Alongside threads that are known by name there are no others. */
static void keep_known(struct tk_main_threads *main)
{
    while (main->n && main->v[0].rank < KNOWN && main->v[main->n - 1].rank == KNOWN)
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
                                              .rank = rank_of_name(tk_answer_cell(threads, i, "thread"))});
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
