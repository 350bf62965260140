/*
 * What a timer is to all that judges or adds up: its kind and its name. A name that stands at several places
 * of the sources is one timer, as a person who reads it or writes a budget for it sees it; the places are
 * parts of it. Only zones without a name of their own whose function is a bare word, as `update` or
 * `operator()`, are apart by the file: these are different functions.
 */
#ifndef TK_JUDGE_TIMER_KEY_H
#define TK_JUDGE_TIMER_KEY_H

#include "base/hash.h"
#include "fact/marks.h"

/* Scopes of threads, passes, work and waits of GPUs: timers of different kinds are never the same. */
enum tk_timer_class { TK_TIMERS_OF_CPU, TK_TIMERS_OF_GPU, TK_TIMERS_OF_GPU_WORK, TK_TIMERS_OF_GPU_WAIT };

enum tk_timer_class tk_timer_class_of(uint8_t timer_kind);

/* Is the file part of what a timer is? is_function: the name is that of its function (struct tk_fact_timer).
 */
bool tk_timer_is_by_file(const struct tk_str *name, bool is_function);

/* The file without its folders, borrowed from it; empty for NULL. */
struct tk_str tk_timer_file_name(const struct tk_str *file);

/* The timers of a capture and which of them are the same. Zero-initialise to begin. */
struct tk_timer_keys {
    TK_VEC(uint32_t) same;   /* by id: the first defined timer of its key, which may be itself */
    TK_VEC(uint64_t) hashes; /* by id: of the key; 0: not defined */
    TK_VEC(uint8_t) shared;  /* by id: others are the same as it */
    struct tk_map index;     /* hash of a key -> its first timer */
    uint32_t merged;         /* timers that are not the first of their key */
    uint32_t changes;        /* how often that became another one */
};

/* Takes the definition of a timer; a later one of the same id replaces the first. Its name may be NULL: then
 * it is itself alone. 0, or -1 if out of memory. */
int tk_timer_keys_add(struct tk_timer_keys *keys, const struct tk_fact_timer *timer);

/* The first timer of the key of this one. */
static inline uint32_t tk_timer_keys_of(const struct tk_timer_keys *keys, uint32_t id)
{
    return id < keys->same.n ? keys->same.v[id] : id;
}

void tk_timer_keys_release(struct tk_timer_keys *keys);

#endif
