/*
 * Arenas: a list of blocks whose size grows with the total allocated. Used throughout the library.
 */
#include "base/arena.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Grows and fills vectors: the functions behind the macros of vec.h. Used throughout the library.
 */

/* Space for the first elements: eight, and of large ones fewer, as there may be a vector for each thread. */
enum { FIRST_CAP = 8, FIRST_BYTES = 1024, FIRST_LEAST = 2 };

static size_t first_cap(size_t elem)
{
    const size_t fits = FIRST_BYTES / elem;
    return fits >= FIRST_CAP ? FIRST_CAP : fits > FIRST_LEAST ? fits : FIRST_LEAST;
}

/* Elements that a vector of `cap` grows to, at least `want`; 0: too many for memory. */
static size_t grown_cap(size_t cap, size_t want, size_t elem)
{
    size_t grown = cap < SIZE_MAX / 2 ? cap + cap / 2 : want;
    if (grown < first_cap(elem))
        grown = first_cap(elem);
    if (grown < want)
        grown = want;
    return grown > PTRDIFF_MAX / elem ? 0 : grown;
}

/* The caller's pointer is a T *: it is read and written as bytes, not as a void *. */
static void *vec_pointer(void **v)
{
    void *old;
    memcpy(&old, v, sizeof old);
    return old;
}

int tk_vec_grow(void **v, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return 0;
    const size_t grown = grown_cap(*cap, want, elem);
    void *new = grown ? realloc(vec_pointer(v), grown * elem) : NULL;
    if (!new)
        return -1;
    memcpy(v, &new, sizeof new);
    *cap = grown;
    return 0;
}

int tk_vec_renew(void **v, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return 0;
    const size_t grown = grown_cap(*cap, want, elem);
    free(vec_pointer(v));
    void *new = grown ? malloc(grown * elem) : NULL;
    memcpy(v, &new, sizeof new);
    *cap = new ? grown : 0;
    return new ? 0 : -1;
}

int tk_vec_extend(void **v, size_t *n, size_t *cap, size_t want, size_t elem)
{
    char *all;
    if (tk_vec_grow(v, cap, want, elem))
        return -1;
    memcpy(&all, v, sizeof all);
    memset(all + *n * elem, 0, (want - *n) * elem);
    *n = want;
    return 0;
}

/*
 * Rounds up what malloc gave, and keeps that in front: not every system has aligned_alloc.
 */

void *tk_aligned_alloc(size_t align, size_t n)
{
    void *whole = n <= SIZE_MAX / 2 - align ? malloc(n + sizeof(void *) + align - 1) : NULL;
    if (!whole)
        return NULL;
    const uintptr_t begin = (uintptr_t)whole + sizeof(void *);
    void **p = (void **)((begin + align - 1) & ~(uintptr_t)(align - 1));
    p[-1] = whole;
    return p;
}

void tk_aligned_free(void *p)
{
    if (p)
        free(((void **)p)[-1]);
}

enum { FIRST_BLOCK = 512, LARGEST_BLOCK = 1 << 20 };

#if defined(_MSC_VER) /* which has it for C++ alone */
typedef union {
    long long integer;
    double real;
    void *pointer;
} max_align_t;
#endif

#ifdef TK_ARENA_POISONS
void __asan_poison_memory_region(const volatile void *p, size_t n);
void __asan_unpoison_memory_region(const volatile void *p, size_t n);
#define tk_poison   __asan_poison_memory_region
#define tk_unpoison __asan_unpoison_memory_region
#else
#define tk_poison(p, n)   ((void)(p), (void)(n))
#define tk_unpoison(p, n) ((void)(p), (void)(n))
#endif

struct tk_arena_block {
    struct tk_arena_block *next; /* older */
    size_t size;                 /* of data */
    max_align_t data[];
};

/* AddressSanitizer takes a block as one allocation: it has to know which bytes of it nobody has, or
 * what reads behind the end of a text is not seen. */
static void *hand_out_bytes(struct tk_arena_block *b, size_t at, size_t n)
{
    void *p = (unsigned char *)b->data + at;
    tk_unpoison(p, n);
    return p;
}

static void hold_back(struct tk_arena_block *b)
{
    tk_poison(b->data, b->size);
}

/* Doubles up to a limit: few blocks for large arenas, little waste for small ones. */
static size_t block_size(const struct tk_arena *a, size_t n)
{
    size_t size = a->head ? a->head->size : FIRST_BLOCK / 2;
    size = size < LARGEST_BLOCK / 2 ? size * 2 : LARGEST_BLOCK;
    return n > size ? n : size;
}

static void *from_new_block(struct tk_arena *a, size_t n)
{
    size_t size = block_size(a, n);
    struct tk_arena_block *b =
        size > PTRDIFF_MAX - sizeof(struct tk_arena_block) ? NULL : malloc(sizeof *b + size);
    a->failed |= !b;
    if (!b)
        return NULL;
    b->size = size;
    hold_back(b);
    /* A large allocation gets a block of its own behind the head, whose rest stays usable. */
    if (a->head && n > LARGEST_BLOCK / 4) {
        b->next = a->head->next;
        a->head->next = b;
    } else {
        b->next = a->head;
        a->head = b;
        a->used = n;
    }
    a->total += n;
    return hand_out_bytes(b, 0, n);
}

static void *take_arena(struct tk_arena *a, size_t n, size_t align)
{
    size_t at = (a->used + align - 1) & ~(align - 1);
    if (!a->head || at > a->head->size || n > a->head->size - at)
        return from_new_block(a, n);
    a->used = at + n;
    a->total += n;
    return hand_out_bytes(a->head, at, n);
}

void *tk_arena_alloc(struct tk_arena *a, size_t n)
{
    return take_arena(a, n, _Alignof(max_align_t));
}

void *tk_arena_bytes(struct tk_arena *a, size_t n)
{
    return take_arena(a, n, 1);
}

void *tk_arena_copy(struct tk_arena *a, const void *p, size_t n)
{
    void *to = tk_arena_bytes(a, n);
    if (to && n)
        memcpy(to, p, n);
    return to;
}

static void free_blocks(struct tk_arena_block *b)
{
    while (b) {
        struct tk_arena_block *next = b->next;
        free(b);
        b = next;
    }
}

void tk_arena_clear(struct tk_arena *a)
{
    if (a->head) {
        free_blocks(a->head->next);
        a->head->next = NULL;
        hold_back(a->head);
    }
    a->used = 0;
    a->total = 0;
}

void tk_arena_release(struct tk_arena *a)
{
    free_blocks(a->head);
    *a = (struct tk_arena){0};
}
