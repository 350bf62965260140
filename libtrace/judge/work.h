/*
 * Work: what kind of work a timer does, by its name: the one list of what waits. The patterns are data:
 * schemas/work.txt, which is compiled in, and lines of the user's that come before it.
 */
#ifndef TK_JUDGE_WORK_H
#define TK_JUDGE_WORK_H

#include "base/err.h"
#include "base/vec.h"
#include "fact/marks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tk_work {
    TK_WORK_OWN,
    TK_WORK_WAIT,
    TK_WORK_LIMITER, /* waits, to hold the rate of frames down */
    TK_WORK_GC,
    TK_WORK_LOADING,
    TK_WORK_SHADER,
    TK_WORK_IO,
    TK_WORK_KINDS
};

/* "own", "wait", "limiter", "gc", "loading", "shader", "io". Static. */
const char *tk_work_name(enum tk_work work);

static inline bool tk_work_waits(enum tk_work work)
{
    return work == TK_WORK_WAIT || work == TK_WORK_LIMITER;
}

struct tk_work_rule {
    const char *pattern; /* in the text */
    size_t n;
    uint32_t letters; /* what a name must have to fit: a bit for each letter */
    uint8_t work;     /* enum tk_work */
};

/* Zero-initialise to begin. */
struct tk_work_list {
    TK_VEC(struct tk_work_rule) v;
};

/* Appends the rules of a text (borrowed; NULL: none), then those that are compiled in. TK_OK, TK_ENOMEM, or
 * TK_EUSAGE with the line that is none. */
int tk_work_list_parse(struct tk_work_list *list, const char *text, struct tk_err *err);

/* The work of the first rule that matches a name; TK_WORK_KINDS: none does. */
enum tk_work tk_work_of_name(const struct tk_work_list *list, const char *name, size_t n);

/* Does a timer of this name wait, by the rules that are compiled in? */
bool tk_work_name_waits(const char *name, size_t n);

/* Is one of the words of a name this one, whatever its case? A name is cut at everything but letters and
 * digits, and at capitals: vkWaitForFences has vk, wait, for, fences. */
bool tk_work_has_word(const char *name, size_t n, const char *word, size_t length);

void tk_work_list_release(struct tk_work_list *list);

/* Does a timer wait, by its kind (enum tk_timer_kind) and what it is by its name? */
static inline bool tk_timer_waits(uint8_t timer_kind, enum tk_work work)
{
    return timer_kind == TK_TIMER_GPU_WAIT || tk_work_waits(work);
}

/*
 * Roles of threads: game, render, RHI, worker, by their names. Who marks the frames is the game thread, too,
 * which a name does not say.
 */

enum tk_role {
    TK_ROLE_GAME,
    TK_ROLE_RENDER,
    TK_ROLE_RHI,
    TK_ROLE_GPU,
    TK_ROLE_WORKER,
    TK_ROLE_OTHER,
    TK_ROLES
};

/* "game", "render", "rhi", "gpu", "worker", "other". Static. */
const char *tk_role_name(enum tk_role role);

/* By the name of a thread, n bytes; "other" where it says nothing. */
enum tk_role tk_role_of_name(const char *name, size_t n);

#endif
