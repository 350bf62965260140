/*
 * Memory names: what the ids of tags, heaps and callstacks of allocations stand for. To be queried when all
 * is read.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_NAMES_H
#define TK_MODEL_MEMORY_MEMORY_NAMES_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "query/builder.h"

/*
 * Allocator rules: functions and source files that hand memory on for others, by patterns. Memory is
 * attributed to the first frame that matches none of these. (symbols 3.1)
 */

/* Zero-initialise to begin: the usual rules. */
struct tk_allocator_rules {
    const char *text;    /* a pattern a line, "file:" in front of those of source files, # in front of what is
                            none; borrowed; NULL: the usual ones */
    struct tk_map known; /* address of a name -> does it match? Names stay where they are */
};

/* Is a function an allocator, or in a file of them? NULL: not known, which is none. */
bool tk_allocator_rules_match(struct tk_allocator_rules *r, const struct tk_str *function,
                              const struct tk_str *file);

void tk_allocator_rules_release(struct tk_allocator_rules *r);

struct tk_memory_names {
    TK_VEC(struct tk_fact_memory_tag) tags;
    struct tk_map tag_index; /* id -> index in tags */
    struct tk_map called;    /* hash of a name without parents -> how many tags have it; when all is read */
    TK_VEC(struct tk_fact_memory_heap) heaps;
    struct tk_map heap_index;
    struct tk_callstack_list callstacks; /* the innermost frame of each */
    struct tk_code_map code;
    struct tk_allocator_rules allocators;
    struct tk_intern texts; /* offsets in modules, and names of modules */
    const struct tk_context *ctx;
};

/* The innermost function of a callstack that is not an allocator, as far as functions are known; where all
 * are, the innermost. Texts are interned, or live as long as the names. */
struct tk_memory_place {
    const struct tk_str *function;      /* else "module+0x1234" or the address; NULL: there is no frame */
    const struct tk_str *module, *file; /* NULL: not known */
    uint32_t line;                      /* 0: not known */
};

#define TK_MEMORY_NAME_FACTS                                                                                 \
    (TK_FACT_MASK(MEMORY_TAG) | TK_FACT_MASK(MEMORY_HEAP) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS)

void tk_memory_names_init(struct tk_memory_names *n, struct tk_context *ctx);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_memory_names_feed(struct tk_memory_names *n, const struct tk_fact *fact);

/* All is read. 0, or -1 if out of memory. */
int tk_memory_names_settle(struct tk_memory_names *n);

/* Keeps texts and the index of callstacks alone. */
void tk_memory_names_forget(struct tk_memory_names *n);

/* Name of a tag without its parents, "Untagged" for an undefined 0; no value where it is not defined. */
struct tk_cell tk_memory_tag_name(const struct tk_memory_names *n, int32_t tag);

/* The same with its parents, A/B; made for the rows that are being sent. */
struct tk_cell tk_memory_tag_path(const struct tk_memory_names *n, int32_t tag, struct tk_emit *emit);

/* The name without parents where no other tag has it, else with what says it from them. When all is read. */
struct tk_cell tk_memory_tag_own_name(const struct tk_memory_names *n, int32_t tag, struct tk_emit *emit);

struct tk_cell tk_memory_heap_name(const struct tk_memory_names *n, uint32_t heap);

/* What the function of a callstack that is not defined is called. */
const struct tk_str *tk_memory_not_defined(void);

/* What allocated. 0, or -1 if out of memory. */
int tk_memory_place_of(struct tk_memory_names *n, uint64_t callstack, struct tk_memory_place *out);

/* The function of that, or what stands for it; "(not in the capture)" where the callstack is not defined, no
 * value for callstack 0 and one without frames. Out of memory ends the rows of emit. */
struct tk_cell tk_memory_callstack_name(struct tk_memory_names *n, uint64_t callstack, struct tk_emit *emit);

void tk_memory_names_release(struct tk_memory_names *n);

/*
 * Places: which function, module and source file allocated, by callstack. The engine finds them beforehand
 * (struct tk_needs_lists), since symbols may stand behind the allocations: so sums by them can be kept step
 * by step, and what was the most at one time is known.
 */

enum tk_alloc_place_text { TK_ALLOC_FUNCTION, TK_ALLOC_MODULE, TK_ALLOC_FILE, TK_ALLOC_TEXTS };

/* Numbers of texts, from 1; 0: not known. */
struct tk_alloc_place {
    uint32_t texts[TK_ALLOC_TEXTS];
};

/* Zero-initialise to begin. */
struct tk_alloc_places {
    struct tk_memory_names names;         /* those of callstacks alone; owns the texts */
    TK_VEC(uint32_t) of;                  /* place by number of the callstack in names */
    TK_VEC(struct tk_alloc_place) places; /* all different; 0: nothing is known, 1: not in the capture */
    TK_VEC(const struct tk_str *) texts;  /* by number of a text, less 1 */
    struct tk_map text_index;             /* address of a text -> its number */
    struct tk_map pairs, index;           /* function and module -> number; that and file -> place */
    bool settled;
};

#define TK_ALLOC_PLACE_FACTS (TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS)

/* The context and the rules of which functions are allocators (tk_query.allocators) are borrowed. */
void tk_alloc_places_init(struct tk_alloc_places *p, struct tk_context *ctx, const char *allocators);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_alloc_places_feed(struct tk_alloc_places *p, const struct tk_fact *fact);

/* All is read, and its source is still open: finds the places of all callstacks, and keeps these alone. 0, or
 * -1 if out of memory. */
int tk_alloc_places_settle(struct tk_alloc_places *p);

/* The number of the place of a callstack. When settled. */
uint32_t tk_alloc_place_of(const struct tk_alloc_places *p, uint64_t callstack);

/* The text of a number, or NULL for 0. */
static inline const struct tk_str *tk_alloc_place_text(const struct tk_alloc_places *p, uint32_t number)
{
    return number ? p->texts.v[number - 1] : NULL;
}

void tk_alloc_places_release(struct tk_alloc_places *p);

#endif
