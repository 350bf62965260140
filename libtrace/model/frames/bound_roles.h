/*
 * Roles of threads and queues in a frame, by who marks the frames, and by names. See bound_lanes.h.
 */
#ifndef TK_MODEL_BOUNDS_BOUND_ROLES_H
#define TK_MODEL_BOUNDS_BOUND_ROLES_H

#include "model/frames/bound_lanes.h"

/* Takes from the dictionary of the view what roles the names of its threads give. 0, or -1 without memory. */
int tk_bound_roles_learn(struct tk_bound_lanes *l);

/* Marks the lanes as idle that no lane to come can help to a role: with a game thread, threads of other
 * names. It is settled who marks the game frames. */
void tk_bound_roles_spare(struct tk_bound_lanes *l);

/*
 * Gives lanes their roles. The game thread is the one that marks the game frames, else the one that is called
 * so, else of all threads without another role the one with most time inside scopes. Render and RHI thread go
 * by their names. Each queue of the GPU is one by its work where that is told, else by its passes; of more
 * than eight those with most time.
 */
void tk_bound_roles_give(struct tk_bound_lanes *l);

#endif
