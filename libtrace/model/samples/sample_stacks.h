/*
 * Stacks of samples, each different one once: how often a thread was found in it, and the functions of its
 * frames. Tables and profiles of samples add them up. (symbols 1.3, 1.4)
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_STACKS_H
#define TK_MODEL_SAMPLES_SAMPLE_STACKS_H

#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "model/sums/timer_sums.h"
#include "model/threads/switch_list.h"
#include "query/builder.h"

/*
 * Places of samples: the functions of each address that samples met, found once for all stacks that it is in.
 * The stacks of samples ask it. (symbols 6.5)
 */

/* A function of a frame, or what stands for it. Equal texts are one. */
struct tk_sample_place {
    const struct tk_str *function;      /* else that of all without one in the module; never NULL */
    const struct tk_str *module, *file; /* NULL: not known */
    uint32_t line;
    uint32_t number; /* of the place, whose other parts are always these */
    bool known;      /* it is a function */
    uint64_t offset; /* where it is none: in the module, or the address where that is not known */
};

/* Of an address, in v. n 0: they have not been requested. */
struct tk_sample_places_at {
    uint32_t first, n;
};

/* Zero-initialise to begin. */
struct tk_sample_places {
    TK_VEC(struct tk_sample_place) v;
    TK_VEC(struct tk_sample_places_at) at[2];     /* by number of the address; [1]: of the recorded process */
    TK_VEC(struct tk_sample_places_at) shared[2]; /* by symbol, where all addresses of it have the same */
    struct tk_intern texts;
    struct tk_map known; /* address of a text -> place in kept, so that each is interned once */
    struct tk_map short_names;
    struct tk_map
        unnamed; /* address of the name of a module -> place in kept of what has no function there */
    TK_VEC(const struct tk_str *) kept;
};

/* The places of an address, the innermost first: *n of them, from *first in v on. Modules are known of the
 * recorded process, `own`; others have other ones. When the code is settled. 0, or -1 if out of memory. */
int tk_sample_places_of(struct tk_sample_places *p, struct tk_code_map *code, struct tk_code_address address,
                        bool own, uint32_t *first, uint32_t *n);

void tk_sample_places_release(struct tk_sample_places *p);

/* A stack of a thread. */
struct tk_sample_stack {
    uint64_t count;     /* samples that are selected */
    uint32_t thread;    /* place in threads */
    uint32_t callstack; /* id of the callstack that has its addresses; 0: they are kept here */
    size_t first;
    uint32_t n;
    uint32_t alike; /* place in v of the first stack of any thread that has the same addresses */
};

/* A sample, where timers decide whether it counts, or where single ones are requested. */
struct tk_timed_sample {
    int64_t time;
    uint32_t stack;  /* place in v; UINT32_MAX: it does not count */
    uint32_t thread; /* place in threads */
};

struct tk_sample_stacks {
    const struct tk_query_context *view;
    struct tk_system_threads threads;
    struct tk_callstack_list callstacks;
    struct tk_code_map code;
    struct tk_sample_places places;
    TK_VEC(uint64_t) addresses;
    TK_VEC(struct tk_sample_stack) v;
    struct tk_map index; /* hash -> place in v */
    struct tk_map like;  /* hash of addresses, or of a callstack -> place in v of the first that has it */
    struct tk_timer_times timers; /* that samples have to fall into, where timers are selected */
    bool keeps_times;             /* single samples are kept, too, */
    bool keeps_all;               /* and with them those at times that are not selected, which do not count */
    TK_VEC(struct tk_timed_sample) timed;
    uint64_t samples; /* that are selected */
    uint64_t cut;     /* whose addresses had no space */
};

#define TK_SAMPLE_STACK_FACTS                                                                                \
    (TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS | TK_SYSTEM_THREAD_FACTS)

/* What a builder has alongside these where timers are selected: facts, slices, and its hooks, whose state
 * begins with a collector and holds the stacks. */
void tk_sample_stacks_add_needs(const struct tk_query_context *view, uint64_t columns,
                                struct tk_needs *needs);

void tk_sample_stacks_init(struct tk_sample_stacks *s, const struct tk_query_context *view);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_sample_stacks_feed(struct tk_sample_stacks *s, const struct tk_fact *fact);

/* What builders of tables of samples do with a batch, with slices and at the end of a lane: the facts above,
 * and where timers are selected their calls; `what` is short of memory. */
int tk_sample_stacks_batch(struct tk_sample_stacks *s, const struct tk_batch *batch, const char *what,
                           struct tk_err *err);
int tk_sample_stacks_take(struct tk_sample_stacks *s, const struct tk_slices *slices);
int tk_sample_stacks_lane(struct tk_sample_stacks *s, const struct tk_lane_end *end, const char *what,
                          struct tk_err *err);

/* All is read: threads and functions are known. 0, or -1 if out of memory. */
int tk_sample_stacks_settle(struct tk_sample_stacks *s);

/* The times at which samples count. */
static inline const struct tk_select *tk_sample_stacks_times(const struct tk_sample_stacks *s)
{
    return s->view->listed ? s->view->listed : s->view->select;
}

/* Has a stack samples that are selected? */
bool tk_sample_stack_selected(const struct tk_sample_stacks *s, const struct tk_sample_stack *stack);

/* Calls `take` for each function of a stack, the innermost first, with those inlined; `own`: the innermost of
 * all. It ends at the first that returns not 0, and returns that; -1 if out of memory. */
int tk_sample_stack_walk(struct tk_sample_stacks *s, const struct tk_sample_stack *stack,
                         int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to);

/* The addresses of a stack, innermost first. */
const uint64_t *tk_sample_stack_addresses(const struct tk_sample_stacks *s,
                                          const struct tk_sample_stack *stack, uint32_t *n);

/* Likewise the functions of one address of a thread. */
int tk_sample_address_walk(struct tk_sample_stacks *s, uint32_t thread, struct tk_code_address address,
                           int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to);

/* The module of the capture that an address of a thread lies in, or NULL. */
const struct tk_module *tk_sample_module(const struct tk_sample_stacks *s, uint32_t thread, uint64_t address);

void tk_sample_stacks_release(struct tk_sample_stacks *s);

#endif
