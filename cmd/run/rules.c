/*
 * Reads the option --rules.
 */

#include "judge/outcomes.h"
#include "run/capture.h"
#include "run/listing.h"
#include "run/report.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tk_rules_has(const struct tk_rules *rules, const char *name)
{
    const char *known;
    for (size_t i = 0; (known = tk_rules_name(rules, i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static bool refuse(const struct tk_rules *rules, const char *word, char message[TK_OPT_MESSAGE])
{
    const char *names[512];
    size_t n = 0;
    for (; n < 511 && (names[n] = tk_rules_name(rules, n)); n++)
        ;
    names[n++] = "all";
    return tk_message_unknown_of(message, "option '--rules' takes 'all', a folder or a rule; there is no",
                                 word, names, n);
}

static bool take_folder(struct tk_rules_choice *choice, const char *word, char message[TK_OPT_MESSAGE])
{
    struct tk_err err = {0};
    const int rc = tk_rules_add(choice->rules, word, &err);
    if (rc < 0)
        snprintf(message, TK_OPT_MESSAGE, "option '--rules': %s", tk_err_text(&err, rc));
    return rc == TK_OK;
}

/* Folders come first, since names may be of what is in them. */
static bool take_word(struct tk_rules_choice *choice, const char *word, bool folders,
                      char message[TK_OPT_MESSAGE])
{
    const bool all = strcmp(word, "all") == 0, folder = !all && tk_host_is_folder(word);
    choice->all |= all;
    if (all || folder != folders)
        return true;
    if (folder)
        return take_folder(choice, word, message);
    if (!tk_rules_has(choice->rules, word))
        return refuse(choice->rules, word, message);
    return tk_opt_list_add(&choice->only, word, strlen(word));
}

static bool take_words(struct tk_rules_choice *choice, const char *text, bool folders,
                       char message[TK_OPT_MESSAGE])
{
    struct tk_opt_list word = {0};
    bool good = true;
    for (size_t n; *text && good; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        good = tk_opt_list_add(&word, text, n) && take_word(choice, word.v[word.n - 1], folders, message);
    }
    tk_opt_list_release(&word);
    return good;
}

static bool is_rule(const char *path)
{
    static const char end[] = ".rule";
    const size_t n = strlen(path), m = sizeof end - 1;
    return n > m && strcmp(path + n - m, end) == 0;
}

/* A folder with rules, and none with captures that have rules alongside them. */
static bool is_rules_folder(const char *path)
{
    struct tk_opt_list files = {0}, others = {0};
    bool rules = false, captures = false;
    if (tk_host_is_folder(path) && tk_host_list_folder(path, &files, &others) == TK_HOST_LISTED)
        for (size_t i = 0; i < files.n; i++) {
            const bool rule = is_rule(files.v[i]);
            rules |= rule;
            captures |= !rule && (tk_kept_is(files.v[i]) || tk_capture_is(files.v[i]) != 0);
        }
    tk_opt_list_release(&files);
    tk_opt_list_release(&others);
    return rules && !captures;
}

static bool take_operands(struct tk_rules_choice *choice, const struct tk_opt_list *operands,
                          char message[TK_OPT_MESSAGE])
{
    bool good = true;
    for (size_t i = 0; i < operands->n && good; i++)
        good = is_rules_folder(operands->v[i])
                   ? take_folder(choice, operands->v[i], message)
                   : tk_opt_list_add(&choice->captures, operands->v[i], strlen(operands->v[i]));
    if (good && choice->captures.n == 0) {
        snprintf(message, TK_OPT_MESSAGE, "which capture?");
        return false;
    }
    return good;
}

bool tk_rules_choose(struct tk_rules_choice *choice, const char *text, const struct tk_opt_list *operands,
                     char message[TK_OPT_MESSAGE])
{
    struct tk_err err = {0};
    message[0] = '\0'; /* out of memory */
    const int rc = tk_rules_new(&choice->rules, &err);
    if (rc < 0)
        snprintf(message, TK_OPT_MESSAGE, "%s", tk_err_text(&err, rc));
    return rc == TK_OK && take_operands(choice, operands, message) &&
           take_words(choice, text, true, message) && take_words(choice, text, false, message);
}

void tk_rules_choice_release(struct tk_rules_choice *choice)
{
    tk_rules_free(choice->rules);
    tk_opt_list_release(&choice->only);
    tk_opt_list_release(&choice->captures);
    *choice = (struct tk_rules_choice){0};
}

enum tk_exit tk_rules_unjudged(const char *program)
{
    return tk_outcome_end(program, &tk_outcomes[TK_OUTCOME_UNJUDGED], false);
}
