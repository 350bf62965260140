/*
 * Words that options take and no table of the library has: who reads an option and who describes it use
 * these.
 */
#ifndef TK_CMD_ARGS_WORDS_H
#define TK_CMD_ARGS_WORDS_H

#include <stddef.h>

/* Each is ended by NULL. */
extern const char *const tk_words_colours[],
    *const tk_words_orders[], *const tk_words_run_orders[], *const tk_words_eols[],
                                                                *const tk_words_args[],
                                                                    *const tk_words_live_formats[];

/* All of them with their names, and others that are for descriptions alone; ended by one without a name. */
struct tk_word_list {
    const char *name;
    const char *const *words;
};
extern const struct tk_word_list tk_word_lists[];

/* The place of a word; that of the NULL where it is none. */
size_t tk_words_find(const char *const *words, const char *word);
size_t tk_words_count(const char *const *words);

/*
 * What people type in place of a command, from habit, and the command that does it here.
 */

/* The command line for a word or an option, with FILE for captures; NULL: nobody is known to mean anything by
 * it. Static. */
const char *tk_habit_find(const char *word);

#endif
