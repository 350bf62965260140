/*
 * Words of classes. See classes.h.
 */
#include "edit/anonymise/classes.h"

#include <string.h>

static const char *const names[TK_ANON_CLASSES] = {
    [TK_ANON_USERS] = "users",       [TK_ANON_ADDRESSES] = "addresses", [TK_ANON_PATHS] = "paths",
    [TK_ANON_COMMANDS] = "commands", [TK_ANON_PROJECT] = "project",     [TK_ANON_LOGS] = "logs",
    [TK_ANON_ASSETS] = "assets",     [TK_ANON_OBJECTS] = "objects",     [TK_ANON_FUNCTIONS] = "functions",
    [TK_ANON_NAMES] = "names",       [TK_ANON_PICTURES] = "pictures",   [TK_ANON_SOURCES] = "sources",
    [TK_ANON_TIMERS] = "timers",
};

#define ALL ((UINT32_C(1) << TK_ANON_CLASSES) - 1)

const char *tk_anon_class_name(enum tk_anon_class c)
{
    return names[c];
}

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

static uint32_t class_of(const char *p, size_t n)
{
    if (is_word(p, n, "all"))
        return ALL;
    for (unsigned i = 0; i < TK_ANON_CLASSES; i++)
        if (is_word(p, n, names[i]))
            return UINT32_C(1) << i;
    return 0;
}

int tk_anon_classes_read(uint32_t *classes, const char *list, struct tk_err *err)
{
    *classes = 0;
    if (!list || !*list) {
        *classes = ALL & ~(UINT32_C(1) << TK_ANON_TIMERS);
        return TK_OK;
    }
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const size_t n = strcspn(p, ",");
        const uint32_t found = class_of(p, n);
        if (!found)
            return tk_err_set(
                err, TK_EUSAGE,
                "'%.*s' is not a class of information: users, addresses, paths, commands, project, "
                "logs, assets, objects, functions, names, pictures, sources, timers, or all",
                (int)(n < 100 ? n : 100), p);
        *classes |= found;
    }
    return TK_OK;
}
