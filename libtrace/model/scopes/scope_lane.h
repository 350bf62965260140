/*
 * Scope lanes: the inside of the scope model. A lane holds the stack of one thread; ops go through a kernel,
 * which does what is common fast and stops at anything else, and through tk_scope_step(), which can do
 * everything.
 *
 *   run --> kernel --> slices in a tk_slice_space --> take
 *            |  ^
 *            v  |
 *        tk_scope_step   one op, exactly
 */
#ifndef TK_MODEL_SCOPES_SCOPE_LANE_H
#define TK_MODEL_SCOPES_SCOPE_LANE_H

#include "base/err.h"
#include "base/health/health.h"
#include "base/health/limits.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "fact/scopes.h"
#include "io/scratch/pool.h"
#include "model/scopes/call_paths.h"
#include "query/builder.h"
#include "query/select.h"
#include "query/slices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Folding of paths: where there are as many stacks as allowed, those that are used least go together by where
 * they are, so that there is space for new ones. What stays keeps all that it has.
 */

/* How much a node of a lane is used, and what follows when nodes have gone together (query/builder.h). */
struct tk_path_folding {
    uint64_t (*uses)(void *ctx, uint32_t lane, uint32_t node);
    int (*fold)(void *ctx, uint32_t lane, const uint32_t *to, size_t n);
    void *ctx;
};

#define TK_PATH_STAYS UINT64_MAX /* uses: a node that stays, with all around it */

/* Uses in steps of an eighth: what a node weighs. */
uint16_t tk_path_weight(uint64_t uses);

/* How many stacks are known to lie beyond the limit, 10 to 12 bytes each: a multiple of those that have a
 * node, and so many in any case. */
#define TK_PATHS_FOLDED       2u
#define TK_PATHS_FOLDED_LEAST 4096u
static inline size_t tk_paths_most_folded(const struct tk_paths *p)
{
    const size_t most = tk_paths_count(p) * TK_PATHS_FOLDED;
    return most < TK_PATHS_FOLDED_LEAST ? TK_PATHS_FOLDED_LEAST : most;
}

/*
 * Takes a sixteenth of the nodes, later a quarter, out of the paths of a lane, those with the fewest uses and
 * none below them with more: their scopes are beyond the limit from now on (tk_paths_beyond). weight: of each
 * node that of its uses (tk_path_weight); changed. Nodes get new numbers: node i is to[i] in the
 * end, at most i, and each number that is new is the next one; with TK_PATH_INSIDE what was around it has
 * gone, too, and whatever was inside of node i stays so. 0; 1 where all have to stay, or -1 without memory,
 * when nothing has changed.
 */
int tk_paths_fold(struct tk_paths *p, uint16_t *weight, uint32_t *to);

/*
 * Scope model: rebuilds the stacks of all lanes from scope runs and hands closed scopes on as slices.
 *
 * Facts in, slices out; the hot path. Lanes are independent: the runs of one batch are worked on in parallel,
 * one task a lane. The rules are those of events 2.5 to 2.7 as far as they belong to no format (two writers
 * on one stack, unmatched ends, times that go backwards, open scopes, clipping).
 */

struct tk_scope_model;

struct tk_scope_setup {
    const struct tk_limits *limits;
    const struct tk_select *select;
    const struct tk_frames *frames; /* for TK_SLICE_FRAME */
    bool by_source;                 /* timers are apart by their places */
    const struct tk_dict *dict;     /* says what late timers turned out to be; NULL: nobody knows */
    struct tk_pool *pool;
    unsigned columns; /* TK_SLICE_... that anybody wants */
    /* Gets the slices of a lane; called by several workers at one time, for one lane in order. Negative
     * stops. */
    int (*take)(void *ctx, const struct tk_slices *slices, unsigned worker);
    /* As the hooks of builders (query/builder.h); both NULL: nodes stay what they are. */
    uint64_t (*uses)(void *ctx, uint32_t lane, uint32_t node);
    int (*fold)(void *ctx, uint32_t lane, const uint32_t *to, size_t n);
    uint64_t (*least)(void *ctx, uint32_t lane); /* NULL: all slices need their nodes */
    void *ctx;
};

/* The setup is copied, what it points to borrowed. TK_OK or TK_ENOMEM. */
int tk_scope_model_open(struct tk_scope_model **out, const struct tk_scope_setup *setup, struct tk_err *err);

/* Works off all runs of a batch. TK_OK, TK_ENOMEM, or what take said. */
int tk_scope_model_feed(struct tk_scope_model *m, const struct tk_batch *batch, struct tk_err *err);

/* Says about each lane, in order of lane number. Notes what health should know (unmatched, raised, too deep,
 * open). */
int tk_scope_model_finish(struct tk_scope_model *m, struct tk_health *health,
                          int (*lane)(void *ctx, const struct tk_lane_end *end, struct tk_err *err),
                          void *ctx, struct tk_err *err);

/* Least and greatest time of all lanes; false when there was none. */
bool tk_scope_model_span(const struct tk_scope_model *m, int64_t *first, int64_t *last);

void tk_scope_model_close(struct tk_scope_model *m);

/*
 * The stack of a lane: the scopes that are open, in columns, so that several that begin in a row are put
 * there at once.
 */

/* Elements above the capacity that can be written, as scopes are put there before it is known how many. */
#define TK_SCOPE_STACK_ABOVE 8u

/*
 * Scopes are in elements 1 to the depth. Element 0 is the floor, whose children are the roots. Zeroed it has
 * no space.
 */
struct tk_scope_stack {
    int64_t *begin;   /* cycles since the start; owned, with the other columns behind it */
    uint64_t *before; /* what the closed scopes of the lane had for themselves when it began */
    uint64_t *id;
    uint32_t *op;
    uint8_t *outer; /* no scope of the same timer was open when it began */
};

/* An open scope: a value of each column. */
struct tk_stacked {
    int64_t begin;
    uint64_t before;
    uint64_t id;
    uint32_t op;
    uint8_t outer;
};

/* Makes space for `cap` scopes, at least as many as `depth`, which are there. The first time it makes the
 * floor. 0, or -1 without memory. */
int tk_scope_stack_resize(struct tk_scope_stack *stack, size_t depth, size_t cap);

void tk_scope_stack_release(struct tk_scope_stack *stack);

static inline struct tk_stacked tk_scope_stack_at(const struct tk_scope_stack *s, size_t k)
{
    return (struct tk_stacked){s->begin[k], s->before[k], s->id[k], s->op[k], s->outer[k]};
}

static inline void tk_scope_stack_set(struct tk_scope_stack *s, size_t k, const struct tk_stacked *scope)
{
    s->begin[k] = scope->begin;
    s->before[k] = scope->before;
    s->id[k] = scope->id;
    s->op[k] = scope->op;
    s->outer[k] = scope->outer;
}

#define TK_SLICE_SPACE     1024u /* slices: a few of their columns stay in the nearest cache */
#define TK_PART_SPACE      512u
#define TK_SLICE_PARTS_MAX 3u /* parts of one scope: two frames in part, others in full */

/* Flag of an op on the stack: began before the lane's segment. */
#define TK_SCOPE_OLD UINT32_C(0x10000000)

/* A stretch of time inside which neither the frame nor being selected changes: [floor, border). */
struct tk_segment {
    int64_t floor, border;
    uint32_t frame; /* or TK_FRAME_NONE */
    bool selected;
    bool counts; /* times are taken from what the scopes around have for themselves */
};

/* Which slices need a node. */
struct tk_path_needs {
    uint64_t (*least)(void *ctx, uint32_t lane); /* those of this total or more (query/builder.h) */
    void *ctx;
};

/* A scope around others, while their nodes are set. */
struct tk_scope_around {
    uint64_t hash;
    uint32_t node;
    uint32_t beyond; /* of scopes right inside of it that have no node; TK_PATH_ROOT: not known yet */
};

struct tk_scope_lane {
    uint32_t thread, lane;
    uint8_t kind; /* enum tk_lane_kind */
    bool seen;    /* had a run */

    struct tk_scope_stack stack; /* owned; its scopes are 1 .. depth */
    uint64_t *hashes;            /* owned, alongside the stack: of the path to each; NULL without paths */
    struct tk_paths paths;
    const struct tk_path_folding *folding; /* borrowed; NULL: nodes stay what they are */
    const struct tk_path_needs *needs;     /* borrowed; NULL: all slices need theirs */
    size_t most_nodes;                     /* that the paths had when a batch began */
    const struct tk_str **texts; /* owned, as hashes: what scopes were begun with; NULL without texts */
    uint64_t
        own; /* cycles that the closed scopes had for themselves: a scope's children are what comes to it */
    size_t depth, cap;              /* cap: greatest depth there is space for */
    struct tk_scopes_beyond beyond; /* the limit */

    int64_t first, last;
    uint64_t begun; /* scopes that began; the last id, where they are numbered */
    uint64_t scopes, unmatched, raised, too_deep;
    uint64_t yielded; /* scopes that ended when the next one had begun (TK_OP_YIELD) */
    size_t max_depth;
    TK_VEC(struct tk_open_scope) lost;
    uint64_t cut; /* of them those where bytes were missing */

    struct tk_segment segment;
    size_t next_frame, next_range; /* first that ends behind the segment's floor */

    size_t ahead; /* ops that the next block has at most: few where the last one ended early */
    size_t first_run, last_run, entries; /* of the batch under way */
};

/* Ops that a kernel does at a time; each may be a slice, and a scope on the stack. */
#define TK_SCOPE_BLOCK 64u

/* What a worker has for the lane it works on: open scopes by timer, and the slices on their way to take. */
struct tk_slice_space {
    /* How many scopes of a timer are open, for timers below n_open (not 0); one element more is writable. The
       lane's at work: tk_scope_enter() and tk_scope_leave(). NULL where the kernel does without. */
    uint32_t *open;
    uint32_t n_open;

    /* By timer, for as many: the one that its scopes are counted with, where any timers are the same; NULL:
       each is itself. */
    uint32_t *same;
    const struct tk_timer_keys *keys; /* borrowed; NULL: timers are apart by their places */
    uint32_t keys_changes;            /* as in the keys when `same` was filled */

    size_t n, n_parts;
    size_t n_nodes; /* slices whose node is set; before they are taken all are */
    uint64_t total[TK_SLICE_SPACE], excl[TK_SLICE_SPACE];
    uint32_t timer[TK_SLICE_SPACE], key[TK_SLICE_SPACE];
    uint8_t outer[TK_SLICE_SPACE];
    int64_t begin[TK_SLICE_SPACE], end[TK_SLICE_SPACE];
    uint64_t id[TK_SLICE_SPACE], parent[TK_SLICE_SPACE];
    uint32_t depth[TK_SLICE_SPACE], frame[TK_SLICE_SPACE];
    uint64_t hash[TK_SLICE_SPACE]; /* of the path */
    uint32_t node[TK_SLICE_SPACE];
    const struct tk_str *text[TK_SLICE_SPACE];
    struct tk_slice_part parts[TK_PART_SPACE];
    TK_VEC(struct tk_scope_around)
    around; /* while nodes are set: those that may be around the next, root first */
};

/* What steps need to know. */
struct tk_scope_rules {
    const struct tk_select *select;
    const struct tk_frames *frames;        /* NULL without TK_SLICE_FRAME */
    const struct tk_dict *dict;            /* may be NULL */
    const struct tk_path_folding *folding; /* NULL: none */
    const struct tk_path_needs *needs;     /* NULL: all slices need their nodes */
    const uint64_t *frame_sums; /* selected cycles of all frames before frame i; one more than frames */
    unsigned columns;
    size_t limit;   /* open scopes */
    bool by_source; /* timers are apart by their places */
};

/* The totals of the direct children that are closed of the scope k on the stack, clipped to the selection.
 * Time that closed scopes had for themselves, since one began, is that of all inside of it. */
static inline uint64_t tk_scope_children(const struct tk_scope_lane *lane, size_t k)
{
    return (k < lane->depth ? lane->stack.before[k + 1] : lane->own) - lane->stack.before[k];
}

/* A lane for the runs of this one's, with an empty stack. NULL if out of memory. */
struct tk_scope_lane *tk_scope_lane_new(const struct tk_scope_rules *rules, const struct tk_scope_run *run);

/* NULL is allowed. */
void tk_scope_lane_free(struct tk_scope_lane *lane);

/* Makes space above the stack for the next n ops, or as many as a kernel should do at a time; not beyond the
 * limit. 0, or -1 without memory. */
int tk_scope_lane_grow(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, size_t n);

/* Makes space for what is open at the end of a lane whose scopes came closed. 0, or -1 without memory. */
int tk_scope_lane_reserve(struct tk_scope_lane *lane, size_t depth);

/* The scopes that are open as such that never end, without their nodes: into `open`, which has space for as
 * many as the lane is deep. */
void tk_scope_lane_open(const struct tk_scope_lane *lane, int64_t end, struct tk_open_scope *open);

/* The node of an open scope, by its place on the stack and the node of the scope around it; TK_PATH_NONE
 * without memory. */
uint32_t tk_scope_node(struct tk_scope_lane *lane, size_t k, uint32_t above);

/* Sets their nodes, where there are paths. 0, or -1 without memory. */
int tk_scope_open_nodes(struct tk_scope_lane *lane, struct tk_open_scope *open);

/* What is known of a lane when all is read. Borrowed from the lane and `open`, which has space for as many as
 * it is deep. */
struct tk_lane_end tk_scope_lane_end(const struct tk_scope_lane *lane, struct tk_open_scope *open);

/*
 * Works off ops as far as all is common: begins and ends of the top scope's writer, inside the lane's
 * segment, while there is space for the slices of a block and above the stack. Returns how many were done.
 * text is only read by kernels that fill TK_SLICE_TEXT.
 */
typedef size_t tk_scope_kernel_fn(struct tk_scope_lane *lane, struct tk_slice_space *out, const int64_t *time,
                                  const uint32_t *op, const struct tk_str *const *text, size_t n);

struct tk_scope_kernel {
    tk_scope_kernel_fn *run;
    unsigned columns; /* TK_SLICE_... that it fills */
};

/* The kernel that fills the columns of the rules, and perhaps more. Static. */
const struct tk_scope_kernel *tk_scope_kernel_for(const struct tk_scope_rules *rules);

/* Works off any one op; space for a slice with its parts, and for one scope more on the stack. 0, or -1
 * without memory. */
int tk_scope_step(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, struct tk_slice_space *out,
                  int64_t time, uint32_t op, const struct tk_str *text);

/* Closed scopes as slices. */
struct tk_slices tk_scope_closed_slices(const struct tk_closed_scopes *closed);

/* Takes over what a source says at the end of a lane whose scopes came closed; the stack has space for all
 * that are open. 0, or -1 without memory. */
int tk_scope_closed_end(struct tk_scope_lane *lane, const struct tk_closed_lane *end);

/* Sets the nodes of slices that have none yet; to be done while the scopes around them are open, or among the
 * slices. leaving: a scope that is open will be left in another way than as the top, so all of these get
 * theirs. 0, or -1 without memory. */
int tk_scope_set_nodes(struct tk_scope_lane *lane, struct tk_slice_space *out, bool leaving);

/* The node of a stack that has none and lies right inside of a node; TK_PATH_NONE without memory. */
uint32_t tk_scope_beyond(struct tk_scope_lane *lane, uint64_t hash, uint32_t above);

/* Makes space for nodes where the lane may fold its paths; slices from `set` on have their nodes. 0; 1 where
 * there is nothing to fold, -1 without memory. */
int tk_scope_fold(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t set);

/* The timer that the scopes of this one are counted with: what a late one is known to be, the first of its
 * key. Late ones that nothing has named are one: they are displayed as one. */
uint32_t tk_scope_reported(const struct tk_scope_rules *rules, uint32_t timer);

/* Counts the open scopes of a lane in, before its ops are worked off, and out. 0, or -1 without memory. */
int tk_scope_enter(const struct tk_scope_lane *lane, struct tk_slice_space *space);
void tk_scope_leave(const struct tk_scope_lane *lane, struct tk_slice_space *space);

/* Makes the space count scopes of a timer (not of a late one). 0, or -1 without memory. */
int tk_scope_count(struct tk_slice_space *space, uint32_t timer);

/* Learns which timers are the same, while no lane is at work. 0, or -1 without memory. */
int tk_scope_learn_keys(struct tk_slice_space *space);

/* Sets the lane's segment to the one that t, not before the last one's floor, lies in; all open scopes become
 * old. */
void tk_scope_segment(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, int64_t t);

/* Sets frame and parts of slice out->n for a scope that leaves its segment. */
void tk_scope_split(const struct tk_scope_rules *rules, struct tk_slice_space *out, int64_t begin,
                    int64_t end);

/*
 * What the scope model knows of a lane at a moment of a reading, as plain data: to go on from there in a
 * later reading that does not read what was in front of it.
 */

/* An open scope. */
struct tk_state_scope {
    int64_t begin;
    uint64_t id; /* where scopes are numbered, else 0 */
    uint32_t op; /* timer, perhaps with TK_OP_STAMPED */
};

struct tk_lane_state {
    uint32_t thread;
    uint8_t kind; /* enum tk_lane_kind */
    bool seen;    /* it had a run; else all else is 0 */
    int64_t first, last;
    uint64_t begun, unmatched, raised, max_depth;
    TK_VEC(struct tk_state_scope) open; /* outermost first; owned */
};

/* Are scopes numbered? They are where somebody requests it (TK_SLICE_PLACE). */
bool tk_scope_model_numbers(const struct tk_scope_model *m);

/* Is it the same scope? One that has gone and another one differ unless both are as old as the moment itself.
 */
static inline bool tk_state_scope_is(const struct tk_state_scope *a, int64_t begin, uint32_t op)
{
    return a->begin == begin && a->op == op;
}

/* How many lanes have had a run, or come before one that had. */
size_t tk_scope_model_lanes(const struct tk_scope_model *m);

/* The greatest time of a lane so far; INT64_MIN: it has had no run. */
int64_t tk_scope_model_last(const struct tk_scope_model *m, uint32_t lane);

/* The state of a lane, whose vector is used again. TK_OK; TK_ENOMEM; TK_ELIMIT: it cannot be reported, as
 * scopes of it were lost, or are deeper than the limit. */
int tk_scope_model_state(const struct tk_scope_model *m, uint32_t lane, struct tk_lane_state *out);

/*
 * Sets a lane to a state. What was open before and is in it keeps what is known of its children: all that it
 * had meanwhile must lie outside of the selection. TK_OK or TK_ENOMEM.
 */
int tk_scope_model_resume(struct tk_scope_model *m, uint32_t lane, const struct tk_lane_state *state);

#endif
