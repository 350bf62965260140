/*
 * Facts about memory: allocations, what they belong to, and whose code made them.
 */
#ifndef TK_FACT_MEMORY_H
#define TK_FACT_MEMORY_H

#include "tracekit/values.h"

/* What happens to memory. */
enum tk_memory_op {
    TK_MEMORY_ALLOC,
    TK_MEMORY_FREE,
    TK_MEMORY_REALLOC_FREE,  /* a reallocation: the old half, */
    TK_MEMORY_REALLOC_ALLOC, /* then, on the same thread, the new one; it takes over the tag */
    TK_MEMORY_UPDATE,        /* as freed and allocated again where it is, with the tag and context of now */
    TK_MEMORY_MARK,          /* the allocation is a container: `heap` serves smaller ones out of it */
    TK_MEMORY_UNMARK,        /* it is an ordinary one again */
    TK_MEMORY_SWAP_OUT,      /* a page leaves memory; size: bytes of the page */
    TK_MEMORY_SWAP_IN,
    TK_MEMORY_SWAP_FREE,    /* a page that is out is given up */
    TK_MEMORY_TAG_ENTER,    /* what the thread allocates from now on has the tag `id`, */
    TK_MEMORY_TAG_ENTER_OF, /* or that of the live allocation at the address, */
    TK_MEMORY_TAG_LEAVE,    /* until here */
    TK_MEMORY_TIME,         /* the clock of memory: what had no time before has this one */
    TK_MEMORY_LOST          /* tags that the thread has entered are left without being reported */
};

/* A step of the life of memory. To be read in the order of seq; what has none stands right behind what came
 * before on its thread. A time of TK_NO_TIME is that of the next TK_MEMORY_TIME. */
struct tk_fact_memory {
    uint64_t address;
    uint64_t size;     /* bytes */
    uint32_t id;       /* callstack, 0 none; TAG_ENTER: the tag, as a signed number */
    uint32_t heap;     /* the root heap; MARK and UNMARK: any heap */
    uint32_t packed;   /* SWAP_OUT: bytes of the page after compression */
    uint8_t op;        /* enum tk_memory_op */
    uint8_t alignment; /* power of two */
};

#define TK_NO_TIME INT64_MIN

/* A tag of allocations. */
struct tk_fact_memory_tag {
    int32_t id, parent;        /* parent -1: none */
    const struct tk_str *name; /* perhaps with its parents, A/B */
};

/* A heap: a root (system memory, memory of a graphics card), or one that gets its memory from another. */
struct tk_fact_memory_heap {
    uint32_t id, parent; /* parent of a root: UINT32_MAX */
    bool root, never_frees;
    bool unnamed; /* the name is made up: the capture has none */
    const struct tk_str *name;
};

#define TK_NO_TYPE UINT32_MAX

/* What a thread works for, as a stack: what it allocates belongs to the innermost. */
enum tk_context_op {
    TK_CONTEXT_ASSET,   /* begin: the asset of these names */
    TK_CONTEXT_PACKAGE, /* begin: the package `id` */
    TK_CONTEXT_OTHER,   /* begin: something else */
    TK_CONTEXT_CLEAR,   /* begin: nothing */
    TK_CONTEXT_RESTORE, /* begin: the stack that was saved as `id` */
    TK_CONTEXT_END,     /* of the innermost of the five above */
    TK_CONTEXT_SAVE,    /* the stack as it is now is saved as `id` */
    TK_CONTEXT_NAME,    /* the name of package `id` is `package` */
    TK_CONTEXT_LOST     /* all that the thread has begun ends without being reported */
};

/* Names are ids of TK_FACT_DEFINITION. */
struct tk_fact_context {
    uint64_t id;
    uint64_t name, kind, package;
    uint32_t name_type, kind_type, package_type; /* type of the definition; TK_NO_TYPE: no name */
    uint8_t op;                                  /* enum tk_context_op */
};

/* The frames of a callstack: return addresses, innermost first. */
struct tk_fact_callstack {
    uint64_t id;
    const uint64_t *frames; /* batch, n */
    uint32_t n;
};

/* A function that an address lies in. */
struct tk_symbol_place {
    const struct tk_str *function, *file; /* NULL: not known */
    uint32_t line;
};

/* Where an address of callstacks or samples lies. May come after its use. */
struct tk_fact_symbol {
    uint64_t address;
    const struct tk_symbol_place *places; /* batch, n: the innermost inlined function first */
    uint32_t n;
    const struct tk_str *image; /* executable or library; NULL: not known */
    bool open;                  /* the functions were left to be found out: */
    uint64_t offset;            /* of the address in the image */
};

/* The code of a function, as far as the capture knows how long it is. */
struct tk_fact_function {
    uint64_t address, bytes;
    struct tk_symbol_place place; /* the line is that of its begin */
    const struct tk_str *image;   /* executable or library; NULL: not known */
};

/* A source file that the capture carries. */
struct tk_fact_source {
    const struct tk_str *name; /* NULL: not known */
    struct tk_str text;        /* batch; p NULL: too long to be read */
};

/* An executable or library is loaded into the program, or unloaded (then only the base is known). */
struct tk_fact_module {
    uint64_t base, size;
    const struct tk_str *name;   /* path on the machine of the program; NULL when unloaded */
    const struct tk_str *format; /* of its symbols; NULL: not known */
    const uint8_t *image;        /* its build id, n_image bytes, as long as the source; NULL: none */
    uint32_t n_image;
    bool loaded;
};

#endif
