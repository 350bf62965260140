/*
 * Which functions hand memory on for others.
 */
#include "base/text/glob.h"
#include "model/memory/memory_names.h"

#include <string.h>

static const char usual[] = "malloc*\n"
                            "calloc*\n"
                            "realloc*\n"
                            "_*malloc*\n"
                            "free\n"
                            "operator new*\n"
                            "operator delete*\n"
                            "std::*\n"
                            "__gnu_cxx::*\n"
                            "*::Malloc*\n"
                            "*::Realloc*\n"
                            "*::TryMalloc*\n"
                            "*::TryRealloc*\n"
                            "FMemory*\n"
                            "FMalloc*\n"
                            "*Allocator*::*\n"
                            "*allocator*::*\n"
                            "posix_memalign\n"
                            "aligned_alloc\n"
                            "memalign\n"
                            "mi_*\n"
                            "je_*\n"
                            "rpmalloc*\n"
                            "tc_malloc*\n"
                            "scalable_*\n"
                            "HeapAlloc\n"
                            "RtlAllocateHeap\n"
                            "Callstack\n"
                            "file:*/Containers/*\n"
                            "file:*\\Containers\\*\n";

/* Does a name match a pattern of the lines that begin so? */
static bool has_line(const char *text, const char *begin, const struct tk_str *name)
{
    const size_t n = strlen(begin);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        size_t end = length;
        while (end && (text[end - 1] == '\r' || text[end - 1] == ' '))
            end--;
        const bool of_file = end >= 5 && memcmp(text, "file:", 5) == 0;
        if (end <= n || text[0] == '#' || of_file != (n > 0))
            continue;
        if (tk_glob(text + n, end - n, name->p, name->n, false))
            return true;
    }
    return false;
}

static bool match(struct tk_allocator_rules *r, const char *begin, const struct tk_str *name)
{
    if (!name || name->enc == TK_ENC_UTF16)
        return false;
    const uint64_t key = (uint64_t)(uintptr_t)name;
    uint32_t known = tk_map_get(&r->known, key);
    if (known != TK_MAP_NONE)
        return known;
    const bool matches = has_line(r->text ? r->text : usual, begin, name);
    tk_map_put(&r->known, key, matches); /* without memory it is looked at again */
    return matches;
}

bool tk_allocator_rules_match(struct tk_allocator_rules *r, const struct tk_str *function,
                              const struct tk_str *file)
{
    return match(r, "", function) || match(r, "file:", file);
}

void tk_allocator_rules_release(struct tk_allocator_rules *r)
{
    tk_map_release(&r->known);
}
