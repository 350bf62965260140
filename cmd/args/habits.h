/*
 * What people type in place of a command, from habit, and the command that does it here.
 */
#ifndef TK_CMD_ARGS_HABITS_H
#define TK_CMD_ARGS_HABITS_H

/* The command line for a word or an option, with FILE for captures; NULL: nobody is known to mean anything by
 * it. Static. */
const char *tk_habit_find(const char *word);

#endif
