/*
 * What threads and processes are called in facts: by the ids of the file, whatever stands first in it. A
 * thread has the id of the file as its number where no other has it; of several with one id in different
 * processes that of the lowest process has it, and the others get numbers that no thread of a system has.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "format/events/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers from here on are made up. */
#define MADE_UP UINT32_C(1000000000)

struct numbered {
    const struct tk_ev_thread *thread;
    const struct tk_ev_process *process;
    uint32_t place;
};

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Numbers stand before texts. */
static int by_id(const struct tk_ev_id *a, const struct tk_ev_id *b)
{
    if (a->text && b->text)
        return tk_str_order(a->text, b->text);
    return a->text || b->text ? (a->text ? 1 : -1) : by_number(a->number, b->number);
}

static int by_ids(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = by_id(&x->thread->id, &y->thread->id);
    if (order == 0)
        order = by_id(&x->process->id, &y->process->id);
    if (order == 0)
        order = (x->thread->track > y->thread->track) - (x->thread->track < y->thread->track);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void number_in_order(const struct numbered *v, size_t n)
{
    uint32_t made = MADE_UP, last = MADE_UP;
    for (size_t i = 0; i < n; i++) {
        struct tk_ev_thread *t = (struct tk_ev_thread *)(uintptr_t)v[i].thread;
        const int64_t id = t->id.number;
        const bool own = !t->id.text && !t->is_hidden && id >= 0 && id < MADE_UP && (uint32_t)id != last;
        t->number = own ? (uint32_t)id : made++;
        last = own ? t->number : last;
    }
}

static int number_threads(struct tk_ev_capture *c)
{
    TK_VEC(struct numbered) list = {0};
    int rc = tk_vec_reserve(&list, c->threads.n);
    for (uint32_t i = 0; i < c->threads.n && rc == 0; i++)
        list.v[list.n++] = (struct numbered){c->threads.v[i], &c->processes.v[c->threads.v[i]->process], i};
    if (rc == 0)
        rc = tk_sort(list.v, list.n, sizeof *list.v, by_ids);
    if (rc == 0)
        number_in_order(list.v, list.n);
    tk_vec_release(&list);
    return rc;
}

/* "Thread 20" of a thread that has no name but an id. */
static const struct tk_str *called(struct tk_ev_capture *c, const char *what, int64_t id)
{
    char text[48];
    const int n = snprintf(text, sizeof text, "%s %" PRId64, what, id);
    return tk_ev_text(&c->names, text, (size_t)n);
}

bool tk_ev_process_has_id(const struct tk_ev_process *p)
{
    return !p->id.text && !p->unknown && !p->is_beyond;
}

static int call_processes(struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->processes.n; i++) {
        struct tk_ev_process *p = &c->processes.v[i];
        if (!p->name && tk_ev_process_has_id(p) && !(p->name = called(c, "Process", p->id.number)))
            return -1;
    }
    return 0;
}

int tk_ev_number_threads(struct tk_ev_capture *c)
{
    if (number_threads(c) || call_processes(c))
        return -1;
    for (size_t i = 0; i < c->threads.n; i++) {
        struct tk_ev_thread *t = c->threads.v[i];
        if (!t->name && !t->id.text && !t->is_hidden && !(t->name = called(c, "Thread", t->id.number)))
            return -1;
    }
    return 0;
}
