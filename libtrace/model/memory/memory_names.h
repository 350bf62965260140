/*
 * Memory names: what the ids of tags, heaps and callstacks of allocations stand for. To be asked when all is
 * read.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_NAMES_H
#define TK_MODEL_MEMORY_MEMORY_NAMES_H

#include "model/code/callstack_list.h"
#include "model/code/code_place.h"
#include "model/memory/allocator_rules.h"
#include "query/builder.h"

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

/* The name without parents where no other tag has it, else with what tells it from them. When all is read. */
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

#endif
