/*
 * Lists of words.
 */
#include "base/text/glob.h"
#include "base/text/path.h"
#include "os/path.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tk_opt_list_add(struct tk_opt_list *list, const char *text, size_t n)
{
    char **v = realloc(list->v, (list->n + 1) * sizeof *v);
    char *copy = malloc(n + 1);
    if (v)
        list->v = v;
    if (!v || !copy) {
        free(copy);
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    list->v[list->n++] = copy;
    return true;
}

void tk_opt_list_release(struct tk_opt_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct tk_opt_list){0};
}

/*
 * Patterns of files among the operands, where the shell has not replaced them by names.
 */

static bool is_pattern(const char *path)
{
    struct tk_os_info info;
    return strpbrk(path + tk_path_base(path), "*?") && tk_os_path_info(path, &info).error != TK_OS_OK;
}

/* The folder part of a path, or "."; to be freed. */
static char *folder_of(const char *path)
{
    const size_t n = tk_path_base(path);
    char *folder = malloc(n + 2);
    if (folder) {
        memcpy(folder, n ? path : ".", n ? n : 1);
        folder[n ? n : 1] = 0;
    }
    return folder;
}

/* Adds the folder part of a pattern with a name in it. */
static bool add_match(struct tk_opt_list *found, const char *pattern, const char *name)
{
    const size_t n = tk_path_base(pattern), m = strlen(name);
    char *path = malloc(n + m + 1);
    if (!path)
        return false;
    memcpy(path, pattern, n);
    memcpy(path + n, name, m + 1);
    const bool good = tk_opt_list_add(found, path, n + m);
    free(path);
    return good;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What cannot be read matches nothing. false if out of memory. */
static bool find_matches(const char *pattern, struct tk_opt_list *found)
{
    const char *last = pattern + tk_path_base(pattern), *name = NULL;
    struct tk_os_folder *folder = NULL;
    char *path = folder_of(pattern);
    const size_t before = found->n;
    bool good = path != NULL;
    if (good && tk_os_folder_open(&folder, path).error == TK_OS_OK)
        while (good && tk_os_folder_next(folder, &name).error == TK_OS_OK && name)
            if ((name[0] == '.') == (last[0] == '.') && tk_glob(last, strlen(last), name, strlen(name), true))
                good = add_match(found, pattern, name);
    tk_os_folder_close(folder);
    free(path);
    if (found->n > before)
        qsort(found->v + before, found->n - before, sizeof *found->v, by_bytes);
    return good;
}

static bool expand_one(const char *operand, bool lenient, struct tk_opt_list *found,
                       char message[TK_OPT_MESSAGE])
{
    const size_t before = found->n;
    *message = 0;
    if (!is_pattern(operand))
        return tk_opt_list_add(found, operand, strlen(operand));
    if (!find_matches(operand, found))
        return false;
    if (found->n > before)
        return true;
    if (lenient)
        return tk_opt_list_add(found, operand, strlen(operand));
    snprintf(message, TK_OPT_MESSAGE, "'%.200s' matches no file", operand);
    return false;
}

bool tk_patterns_expand(struct tk_opt_list *operands, size_t n, bool lenient, char message[TK_OPT_MESSAGE])
{
    struct tk_opt_list found = {0};
    bool good = true;
    for (size_t i = 0; i < operands->n && good; i++)
        good = i < n ? expand_one(operands->v[i], lenient, &found, message)
                     : tk_opt_list_add(&found, operands->v[i], strlen(operands->v[i]));
    if (!good) {
        tk_opt_list_release(&found);
        return false;
    }
    tk_opt_list_release(operands);
    *operands = found;
    return true;
}
