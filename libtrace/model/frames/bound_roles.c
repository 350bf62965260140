/*
 * Who plays which role. See bound_roles.h.
 */
#include "model/frames/bound_roles.h"

#include "base/text/glob.h"

#include <string.h>

#define MOST_QUEUES 8u

static const struct {
    const char *pattern; /* case does not count */
    enum tk_bound_role role;
} names[] = {
    {"gamethread*", TK_BOUND_GAME},   {"game thread*", TK_BOUND_GAME}, {"main thread*", TK_BOUND_GAME},
    {"mainthread*", TK_BOUND_GAME},   {"rhithread*", TK_BOUND_RHI},    {"rhi thread*", TK_BOUND_RHI},
    {"rhisubmission*", TK_BOUND_RHI}, {"render*", TK_BOUND_RENDER},    {"rendering*", TK_BOUND_RENDER},
};

/* TK_BOUND_ROLES: none. */
static enum tk_bound_role role_of_name(const struct tk_str *name)
{
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (tk_glob(names[i].pattern, strlen(names[i].pattern), name->p, name->n, true))
            return names[i].role;
    return TK_BOUND_ROLES;
}

int tk_bound_roles_learn(struct tk_bound_lanes *l)
{
    const struct tk_dict *dict = l->view->dict;
    for (size_t i = 0; i < dict->threads.n; i++)
        if (tk_map_put(&l->names, dict->threads.v[i].id, role_of_name(dict->threads.v[i].shown)))
            return -1;
    return 0;
}

static bool marks_frames(const struct tk_bound_lanes *l, const struct tk_bound_lane *lane)
{
    return lane->kind == TK_LANE_THREAD && l->frame_thread != TK_NO_THREAD && lane->thread == l->frame_thread;
}

static bool is_game(const struct tk_bound_lanes *l, const struct tk_bound_lane *lane)
{
    return lane->kind == TK_LANE_THREAD &&
           (marks_frames(l, lane) || tk_map_get(&l->names, lane->thread) == TK_BOUND_GAME);
}

void tk_bound_roles_spare(struct tk_bound_lanes *l)
{
    bool has_game = false;
    for (size_t i = 0; i < l->v.n && !has_game; i++)
        has_game = l->v.v[i] && is_game(l, l->v.v[i]);
    for (size_t i = 0; i < l->v.n && has_game; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (lane && lane->kind == TK_LANE_THREAD && !marks_frames(l, lane))
            lane->idle = tk_map_get(&l->names, lane->thread) == TK_BOUND_ROLES;
    }
}

static void give(struct tk_bound_lane *lane, enum tk_bound_role role)
{
    lane->has_role = true;
    lane->role = role;
}

/* Who did nothing in the frames that are selected plays no role: a part of the recording does not know that
 * it is there. */
static bool does_something(const struct tk_bound_lane *lane)
{
    return lane->all > 0;
}

/* The lane with most time of those that `role` says; NULL: there is none. */
static struct tk_bound_lane *busiest(const struct tk_bound_lanes *l, enum tk_bound_role role)
{
    struct tk_bound_lane *found = NULL;
    for (size_t i = 0; i < l->v.n; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || lane->kind != TK_LANE_THREAD || lane->has_role || !does_something(lane) ||
            role_of_name(tk_dict_thread_name(l->view->dict, lane->thread)) != role)
            continue;
        if (!found || lane->all > found->all)
            found = lane;
    }
    return found;
}

static struct tk_bound_lane *lane_of_thread(const struct tk_bound_lanes *l, uint32_t thread)
{
    for (size_t i = 0; i < l->v.n && thread != TK_NO_THREAD; i++)
        if (l->v.v[i] && l->v.v[i]->kind == TK_LANE_THREAD && l->v.v[i]->thread == thread &&
            does_something(l->v.v[i]))
            return l->v.v[i];
    return NULL;
}

static void give_threads(struct tk_bound_lanes *l)
{
    struct tk_bound_lane *game = lane_of_thread(l, l->frame_thread), *lane;
    if (!game)
        game = busiest(l, TK_BOUND_GAME);
    if (!game)
        game = busiest(l, TK_BOUND_ROLES);
    if (game)
        give(game, TK_BOUND_GAME);
    static const enum tk_bound_role others[] = {TK_BOUND_RENDER, TK_BOUND_RHI};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if ((lane = busiest(l, others[i])))
            give(lane, others[i]);
}

static bool has_work(const struct tk_bound_lanes *l, uint32_t queue)
{
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i] && l->v.v[i]->kind == TK_LANE_GPU_WORK && l->v.v[i]->thread == queue)
            return true;
    return false;
}

static struct tk_bound_lane *busiest_queue(const struct tk_bound_lanes *l)
{
    struct tk_bound_lane *found = NULL;
    for (size_t i = 0; i < l->v.n; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || lane->kind == TK_LANE_THREAD || lane->has_role || !does_something(lane) ||
            (lane->kind == TK_LANE_GPU && has_work(l, lane->thread)))
            continue;
        if (!found || lane->all > found->all)
            found = lane;
    }
    return found;
}

void tk_bound_roles_give(struct tk_bound_lanes *l)
{
    struct tk_bound_lane *queue;
    give_threads(l);
    for (unsigned i = 0; i < MOST_QUEUES && (queue = busiest_queue(l)); i++)
        give(queue, TK_BOUND_GPU);
}
