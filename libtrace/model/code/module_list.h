/*
 * Module list: executables and libraries, and which of them an address lies in.
 *
 * Loads and unloads have no time, so all is taken as it is at the end: a module that is still loaded comes
 * before one that was unloaded, a later one before an earlier one. (events 6.5)
 */
#ifndef TK_MODEL_CODE_MODULE_LIST_H
#define TK_MODEL_CODE_MODULE_LIST_H

#include "base/hash.h"
#include "base/health/health.h"
#include "base/vec.h"
#include "fact/fact.h"

struct tk_module {
    struct tk_fact_module info;
    bool unloaded;
    uint32_t below;  /* 1 + the one of the same base that was loaded before and not unloaded; 0: none */
    uint64_t extent; /* bytes by its file, which the capture may not know; 0: not known */
    uint64_t last;   /* address; when it is settled */
};

struct tk_module_list {
    TK_VEC(struct tk_module) modules; /* in the order in which they were loaded */
    struct tk_map loaded;             /* base -> 1 + the last module loaded there and not unloaded; 0 */
    uint64_t strays;                  /* unloads of what was not loaded */
    uint32_t *order;                  /* owned: indices by base; NULL until tk_module_list_settle */
    uint64_t *reach;                  /* owned: the greatest last address of all up to this one */
};

/* Takes a TK_FACT_MODULE; ignores others. Zero-initialise to begin. 0, or -1 if out of memory. */
int tk_module_list_feed(struct tk_module_list *list, const struct tk_fact *fact);

/* Notes unloads of what was not loaded, once whoever says them. */
void tk_module_list_note(const struct tk_module_list *list, struct tk_health *health);

/* All is read: from now on addresses can be looked up. Where the size of the capture is no extent, as of ELF
 * and Mach-O files, and their file is not known, 1 MiB more is theirs, up to the next module. To be called
 * again when extents have been set. 0, or -1 if out of memory. */
int tk_module_list_settle(struct tk_module_list *list);

/* Sets how far a module of the list reaches; 0 leaves it as it is. */
void tk_module_list_extend(struct tk_module_list *list, const struct tk_module *module, uint64_t extent);

/* The module that an address lies in, or NULL. */
const struct tk_module *tk_module_at(const struct tk_module_list *list, uint64_t address);

/* The same, or else the one with the highest base below the address. */
const struct tk_module *tk_module_below(const struct tk_module_list *list, uint64_t address);

/* A path without its folders, of any system. */
struct tk_str tk_path_last_part(const struct tk_str *path);

/* The last part of a module's path. */
static inline struct tk_str tk_module_short_name(const struct tk_module *module)
{
    return tk_path_last_part(module->info.name);
}

void tk_module_list_release(struct tk_module_list *list);

#endif
