/*
 * Options: declared once in tables, from which come parsing, help and the list for completions.
 *
 * A table's options write into one struct at `at` bytes; a command lists the groups it has, each with the
 * place of its struct in the command's own.
 */
#ifndef TK_CMD_ARGS_OPT_H
#define TK_CMD_ARGS_OPT_H

#include "terminal/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tk_opt_kind {
    TK_OPT_FLAG,   /* bool */
    TK_OPT_NUMBER, /* uint64_t */
    TK_OPT_TEXT,   /* const char *, borrowed from argv */
    TK_OPT_LIST,   /* struct tk_opt_list: a value each time */
    TK_OPT_WORDS,  /* struct tk_opt_list: values with commas between them */
    TK_OPT_REST, /* struct tk_opt_list: the operands behind it, of which there are some; has no value itself.
                    With the name "" it is those behind "--" */
    TK_OPT_MAYBE /* const char *: "" without a value, which must be joined with = */
};

struct tk_opt {
    char brief; /* 0: none */
    const char *name;
    enum tk_opt_kind kind;
    size_t at;
    const char *value; /* its name in the help */
    const char *help;  /* NULL: hidden */
};

/* A group without a title repeats options of another one: of a TK_OPT_REST on these count, and they are not
 * in the help. */
struct tk_opt_group {
    const char *title;
    const struct tk_opt *options;
    size_t n;
    size_t at; /* of the struct of these options */
};

/* What is to be parsed into where. */
struct tk_opt_set {
    const struct tk_opt_group *groups;
    size_t n_groups;
    void *args; /* zeroed, or with defaults */
};

/*
 * Parses argv[1..argc-1]: long options with "=value" or the value next, bundled short ones, "--" for the end;
 * options and operands in any order. Names are not abbreviated. Operands are added to `operands`. true, or
 * false with a sentence in message, empty if out of memory.
 */
bool tk_opt_parse(const struct tk_opt_set *set, int argc, char **argv, struct tk_opt_list *operands,
                  char message[TK_OPT_MESSAGE]);

/* After parsing: was an operand meant as the value of the TK_OPT_MAYBE before it, which is joined with "="?
 * It is no file and not the only operand. true with a sentence that says how to join them. */
bool tk_opt_stray_value(const struct tk_opt_set *set, int argc, char **argv,
                        const struct tk_opt_list *operands, char message[TK_OPT_MESSAGE]);

/* The number that the text of an option is, above 0 or with `zero` from 0 on; where text is NULL *out stays.
 * true, or false with a sentence. */
bool tk_opt_real(const char *name, const char *text, bool zero, double *out, char message[TK_OPT_MESSAGE]);

/* The side of a cell and whether it is a cube, of "cell=10000" or "cell=10000:z". true, or
 * false with a sentence. */
bool tk_opt_cell(const char *text, double *side, bool *z, char message[TK_OPT_MESSAGE]);

/* Releases all lists of a set. */
void tk_opt_release(const struct tk_opt_set *set);

/* What was given for the text option of that name; NULL: nothing, or there is none. */
const char *tk_opt_given(const struct tk_opt_set *set, const char *name);

/* Was the option of that name given, with more than "" or 0? */
bool tk_opt_is_set(const struct tk_opt_set *set, const char *name);

/* What an option that makes a list was given; NULL: there is no such option. */
const struct tk_opt_list *tk_opt_listed(const struct tk_opt_set *set, const char *name);

/* Prints a text from a column on, broken between words; further lines begin in column `indent`. */
void tk_opt_put_words(const char *text, int column, int indent, FILE *to);

/* Prints the options with their help. */
void tk_opt_help(const struct tk_opt_set *set, FILE *to);

/* Prints a line per option that can be given: "--name", or "--name=" where it takes a value; "-x" too. */
void tk_opt_print_names(const struct tk_opt_set *set, FILE *to);

/* The text of a file of patterns that an option names, of 1 MiB at most; to be freed. true, or false with a
 * sentence. */
bool tk_opt_patterns(const char *path, const char **out, char message[TK_OPT_MESSAGE]);

#endif
