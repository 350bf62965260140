/*
 * Lives of tasks.
 */
#include "model/threads/task_counts.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_LINK    UINT32_MAX
#define NOT_A_TASK UINT64_MAX
#define BIT(stage) (1u << (stage))

/* A task that waits for another one. It is in a list of both, until both have been let go. */
struct tk_task_link {
    uint64_t subsequent;
    uint32_t next_out, next_in; /* in the lists of the one that is waited for, and of the one that waits */
    bool out, in;               /* it is still in them */
    bool ended;                 /* what is waited for has run */
    int64_t finished, chain;    /* then: when, and the time of its chain */
    uint32_t chain_length;
};

int tk_task_list_init(struct tk_task_list *list, const struct tk_query_context *view,
                      int (*done)(void *ctx, const struct tk_task_life *task), void *ctx)
{
    *list = (struct tk_task_list){.view = view, .done = done, .ctx = ctx, .free_link = NO_LINK};
    tk_record_map_init(&list->tasks, sizeof(struct tk_task_life));
    list->lingering = malloc(TK_TASK_LINGER * sizeof *list->lingering);
    for (size_t i = 0; list->lingering && i < TK_TASK_LINGER; i++)
        list->lingering[i] = NOT_A_TASK;
    return list->lingering ? 0 : -1;
}

void tk_task_list_release(struct tk_task_list *list)
{
    tk_record_map_release(&list->tasks);
    tk_vec_release(&list->links);
    tk_vec_release(&list->changed);
    free(list->lingering);
    list->lingering = NULL;
}

/* ---- links ---- */

static uint32_t new_link(struct tk_task_list *list, int *rc)
{
    const struct tk_task_link link = {0};
    uint32_t at = list->free_link;
    if (at != NO_LINK) {
        list->free_link = list->links.v[at].next_out;
        return at;
    }
    if (list->links.n >= list->view->ctx->limits.tasks)
        return NO_LINK;
    if (tk_vec_push(&list->links, link)) {
        *rc = -1;
        return NO_LINK;
    }
    return (uint32_t)list->links.n - 1;
}

static uint32_t add_link(struct tk_task_list *list, struct tk_task_life *task, struct tk_task_life *waiting,
                         int *rc)
{
    uint32_t at = new_link(list, rc);
    if (at == NO_LINK)
        return at;
    list->links.v[at] = (struct tk_task_link){.subsequent = waiting->id,
                                              .next_out = task->links,
                                              .next_in = waiting->links_in,
                                              .out = true,
                                              .in = true};
    task->links = at;
    waiting->links_in = at;
    return at;
}

static void free_link(struct tk_task_list *list, uint32_t at)
{
    if (list->links.v[at].out || list->links.v[at].in)
        return;
    list->links.v[at].next_out = list->free_link;
    list->free_link = at;
}

static void free_links(struct tk_task_list *list, struct tk_task_life *task)
{
    for (uint32_t i = task->links, next; i != NO_LINK; i = next) {
        next = list->links.v[i].next_out;
        list->links.v[i].out = false;
        free_link(list, i);
    }
    for (uint32_t i = task->links_in, next; i != NO_LINK; i = next) {
        next = list->links.v[i].next_in;
        list->links.v[i].in = false;
        free_link(list, i);
    }
    task->links = task->links_in = NO_LINK;
}

/* ---- chains ---- */

/*
 * What a task waited for held it up when it finished running before the task began, by their times: steps of
 * several threads may be reported in another order. So a chain may still change when a task has run, and with
 * it those of all that waited for it.
 */

/* The longest chain of those that held a task up. Has it changed? */
static bool find_before(const struct tk_task_list *list, struct tk_task_life *task)
{
    const int64_t was = task->before;
    const uint32_t was_length = task->before_length;
    task->before = 0;
    task->before_length = 0;
    for (uint32_t i = task->links_in; i != NO_LINK; i = list->links.v[i].next_in) {
        const struct tk_task_link *link = &list->links.v[i];
        if (!link->ended ||
            (tk_task_knows(task, TK_TASK_STARTED) && link->finished > task->time[TK_TASK_STARTED]))
            continue;
        if (task->before_length &&
            (link->chain < task->before ||
             (link->chain == task->before && link->chain_length <= task->before_length)))
            continue;
        task->before = link->chain;
        task->before_length = link->chain_length;
    }
    return task->before != was || task->before_length != was_length;
}

/* Does it say something new? */
static bool tell_link(struct tk_task_link *link, const struct tk_task_life *task)
{
    const struct tk_task_link was = *link;
    link->ended = true;
    link->finished = task->time[TK_TASK_FINISHED];
    link->chain = tk_task_chain(task);
    link->chain_length = task->before_length + 1;
    return !was.ended || was.finished != link->finished || was.chain != link->chain ||
           was.chain_length != link->chain_length;
}

/* Hands the chain of a task that has run to those that wait for it. Who has run already is to be queried
 * again. 0, or -1 if out of memory. */
static int hand_chain(struct tk_task_list *list, const struct tk_task_life *task)
{
    for (uint32_t i = task->links; i != NO_LINK; i = list->links.v[i].next_out) {
        struct tk_task_link *link = &list->links.v[i];
        if (!tell_link(link, task) || !link->in)
            continue;
        const struct tk_task_life *s = tk_record_map_get(&list->tasks, link->subsequent);
        if (s && s->ended && tk_vec_push(&list->changed, s->id))
            return -1;
    }
    return 0;
}

/* One that has run, whose chain was requested again: times that are damaged must not make this endless. */
static int ask_again(struct tk_task_list *list, uint64_t id)
{
    struct tk_task_life *task = tk_record_map_get(&list->tasks, id);
    if (!task || !task->ended)
        return 0;
    if (list->requested++ == list->view->ctx->limits.tasks)
        tk_health_limit(&list->view->ctx->health, TK_LIMIT_tasks, TK_NO_OFFSET, 1,
                        "chains of tasks that ended out of order are too short");
    if (list->requested > list->view->ctx->limits.tasks)
        return 0;
    return find_before(list, task) ? hand_chain(list, task) : 0;
}

/* A task has run, or a time of one that has changed. */
static int end_chain(struct tk_task_list *list, struct tk_task_life *task)
{
    task->ended = true;
    find_before(list, task);
    int rc = hand_chain(list, task);
    for (size_t i = 0; i < list->changed.n && rc == 0; i++)
        rc = ask_again(list, list->changed.v[i]);
    list->changed.n = 0;
    return rc;
}

/* ---- tasks ---- */

static void note_full(struct tk_task_list *list)
{
    struct tk_health *health = &list->view->ctx->health;
    if (list->full)
        health->counts[TK_HEALTH_LIMIT_REACHED]++;
    else
        tk_health_limit(health, TK_LIMIT_tasks, TK_NO_OFFSET, 1,
                        "tasks were left out, as too many are alive at one time");
    list->full = true;
}

/* A new task; NULL when there is no space (*rc 0) or memory. */
static struct tk_task_life *add_task(struct tk_task_list *list, uint64_t id, int *rc)
{
    *rc = 0;
    if (list->tasks.count >= list->view->ctx->limits.tasks) {
        note_full(list);
        return NULL;
    }
    struct tk_task_life *task = tk_record_map_put(&list->tasks, id);
    *rc = task ? 0 : -1;
    if (task) {
        task->id = id;
        task->links = task->links_in = NO_LINK;
        task->gaps = list->gaps;
    }
    return task;
}

static struct tk_task_life *find_or_add(struct tk_task_list *list, uint64_t id, int *rc)
{
    struct tk_task_life *task = tk_record_map_get(&list->tasks, id);
    *rc = 0;
    return task ? task : add_task(list, id, rc);
}

static int let_go(struct tk_task_list *list, uint64_t id)
{
    struct tk_task_life *task = tk_record_map_get(&list->tasks, id);
    if (!task)
        return 0;
    int rc = tk_task_knows(task, TK_TASK_LAUNCHED) ? list->done(list->ctx, task) : 0;
    free_links(list, task);
    tk_record_map_remove(&list->tasks, id);
    return rc;
}

/* Keeps a destroyed task a while; the one that was kept longest goes. */
static int linger(struct tk_task_list *list, struct tk_task_life *task)
{
    uint64_t old = list->lingering[list->linger_at];
    if (task->lingers)
        return 0;
    task->lingers = true;
    list->lingering[list->linger_at] = task->id;
    list->linger_at = (list->linger_at + 1) % TK_TASK_LINGER;
    return old == NOT_A_TASK ? 0 : let_go(list, old);
}

static void set_stage(struct tk_task_life *task, const struct tk_fact *fact, unsigned stage, bool reported)
{
    task->time[stage] = fact->time;
    task->thread[stage] = fact->thread;
    task->known |= (uint8_t)BIT(stage);
    if (reported)
        task->reported |= (uint8_t)BIT(stage);
}

/* What came before and was not reported happened at the latest now. It may have been reported where events
 * are lost.
 */
static void reach_task_list(struct tk_task_list *list, struct tk_task_life *task, const struct tk_fact *fact,
                            unsigned stage)
{
    bool made_up = false;
    for (unsigned i = TK_TASK_LAUNCHED; i < stage; i++)
        made_up |= !(task->known & BIT(i));
    for (unsigned i = 0; i < stage; i++)
        if (!(task->known & BIT(i)))
            set_stage(task, fact, i, false);
    list->torn += made_up && task->gaps != list->gaps;
    task->gaps = list->gaps;
    set_stage(task, fact, stage, true);
}

static int step_task_list(const struct tk_task_list *list, const struct tk_task_life *before,
                          const struct tk_task_life *task, const struct tk_fact *fact)
{
    return list->stepped ? list->stepped(list->ctx, before, task, fact) : 0;
}

static int launch(struct tk_task_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_task *info = &fact->u.task;
    int rc;
    struct tk_task_life *task = find_or_add(list, info->id, &rc);
    if (!task)
        return rc;
    struct tk_task_life before = *task;
    task->bytes = info->bytes ? info->bytes : task->bytes;
    if (info->what == TK_TASK_CREATED) {
        set_stage(task, fact, TK_TASK_CREATED, true);
        return step_task_list(list, &before, task, fact);
    }
    task->name = info->name;
    task->tracked = info->tracked;
    task->target = info->target;
    reach_task_list(list, task, fact, TK_TASK_LAUNCHED);
    return step_task_list(list, &before, task, fact);
}

static int take_stage(struct tk_task_list *list, const struct tk_fact *fact)
{
    uint8_t stage = fact->u.task.what;
    if (stage <= TK_TASK_LAUNCHED)
        return launch(list, fact);
    struct tk_task_life *task = tk_record_map_get(&list->tasks, fact->u.task.id);
    if (!task || !tk_task_knows(task, TK_TASK_LAUNCHED)) {
        list->unmatched++;
        return 0;
    }
    struct tk_task_life before = *task;
    reach_task_list(list, task, fact, stage);
    if (step_task_list(list, &before, task, fact))
        return -1;
    if ((stage >= TK_TASK_FINISHED || task->ended) && end_chain(list, task))
        return -1;
    return stage == TK_TASK_DESTROYED ? linger(list, task) : 0;
}

static bool had_started(const struct tk_task_life *task, int64_t time)
{
    return tk_task_knows(task, TK_TASK_STARTED) && task->time[TK_TASK_STARTED] <= time;
}

/* Task `other` waits for task `id`; where it already runs, it got a task inside. */
static int take_subsequent(struct tk_task_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_task *info = &fact->u.task;
    int rc;
    struct tk_task_life *waiting = find_or_add(list, info->other, &rc);
    if (!waiting)
        return rc;
    if (had_started(waiting, fact->time)) {
        waiting->nested++;
        return 0;
    }
    waiting->prerequisites++;
    struct tk_task_life *task = find_or_add(list, info->id, &rc);
    if (!task)
        return rc;
    task->subsequents++;
    /* found again: the other one may have moved it */
    waiting = tk_record_map_get(&list->tasks, info->other);
    const uint32_t link = waiting ? add_link(list, task, waiting, &rc) : NO_LINK;
    if (link != NO_LINK && task->ended)
        tell_link(&list->links.v[link], task);
    return rc;
}

static int take_nested(struct tk_task_list *list, const struct tk_fact *fact)
{
    int rc;
    struct tk_task_life *task = find_or_add(list, fact->u.task.id, &rc);
    if (task)
        task->nested++;
    return rc;
}

/* Ids count up; what has a lower one than the first that was seen belongs to before the recording. */
static bool is_old(struct tk_task_list *list, uint64_t id)
{
    if (!list->has_base)
        list->base = id;
    list->has_base = true;
    list->unmatched += id < list->base;
    return id < list->base;
}

int tk_task_list_feed(struct tk_task_list *list, const struct tk_fact *fact)
{
    list->gaps += fact->kind == TK_FACT_GAP;
    if (fact->kind != TK_FACT_TASK || is_old(list, fact->u.task.id))
        return 0;
    if (fact->u.task.what == TK_TASK_SUBSEQUENT)
        return take_subsequent(list, fact);
    if (fact->u.task.what == TK_TASK_NESTED)
        return take_nested(list, fact);
    return take_stage(list, fact);
}

int tk_task_list_finish(struct tk_task_list *list)
{
    int rc = 0;
    for (uint32_t i = 0; i < list->tasks.n && rc == 0; i++) {
        uint64_t id;
        const struct tk_task_life *task = tk_record_map_at(&list->tasks, i, &id);
        if (task && tk_task_knows(task, TK_TASK_LAUNCHED))
            rc = list->done(list->ctx, task);
    }
    if (list->torn)
        tk_health_note(
            &list->view->ctx->health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->torn,
            "stages of tasks that may be lost with other events stand at the time of the next one");
    if (list->unmatched)
        tk_health_note(&list->view->ctx->health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->unmatched,
                       "%" PRIu64 " steps of tasks whose launch is not in the capture", list->unmatched);
    return rc;
}

bool tk_task_selected(const struct tk_query_context *view, const struct tk_task_life *task)
{
    unsigned last = TK_TASK_DESTROYED, ran = TK_TASK_STARTED;
    while (!(task->known & BIT(last)))
        last--;
    if (!tk_task_knows(task, TK_TASK_STARTED))
        ran = TK_TASK_LAUNCHED;
    int64_t begin = task->time[TK_TASK_LAUNCHED],
            end = last < TK_TASK_FINISHED ? INT64_MAX : task->time[last];
    return tk_select_touches(view->select, begin, end > begin ? end : begin) &&
           tk_select_thread(view->select, view->dict, task->thread[ran]);
}
