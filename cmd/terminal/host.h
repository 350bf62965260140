/*
 * Host: what the commands ask the operating system for. It is requested through os/ of the library.
 */
#ifndef TK_TERMINAL_HOST_H
#define TK_TERMINAL_HOST_H

#include "terminal/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Is the stream a terminal that can do something? (TERM=dumb cannot) */
bool tk_host_terminal(FILE *stream);

/* Is there somebody at a terminal behind standard input? */
bool tk_host_input_terminal(void);

/* Columns of the terminal behind a stream: COLUMNS, else what it says; 0 when it is none. */
unsigned tk_host_width(FILE *stream);

/* Is what goes to a stream coloured? when: what --color says; NULL, auto: on a terminal, unless NO_COLOR is
 * set. */
bool tk_host_colour(const char *when, bool terminal);

/* Can the terminal show more than ASCII, by the locale of the environment? */
bool tk_host_utf8(void);

/*
 * Starts a program (a command of the shell where it is more than a name) that gets all that is written to
 * standard output from now on, and to standard error where that is a terminal. Streams count as the terminals
 * that they were. false, and nothing is changed, when it cannot be started.
 */
bool tk_host_pager_start(const char *command);

/* The pager where nobody names one; "" for none. */
const char *tk_host_pager_usual(void);

/* Closes standard output and waits for the end of that program. */
void tk_host_pager_wait(void);

/* Writes what standard output holds back. true, too, when its reader has gone. */
bool tk_host_flush(void);

/* Processors that are there, at least 1. */
unsigned tk_host_processors(void);

/* Lets the process allocate at most so many bytes from here on: what wants more fails. */
void tk_host_limit_memory(uint64_t bytes);
bool tk_host_memory_is_limited(void);

/* For commands that need much memory: large pieces go back as soon as they are free. Before threads are
 * started. */
void tk_host_return_memory(void);

/* For commands that run for long: threads share what they have freed. Before they are started. */
void tk_host_share_memory(void);

/* Has the shell replaced patterns of files by their names? */
bool tk_host_shell_expands(void);

enum { TK_HOST_NAME = 64 }; /* bytes for the name of a program */

/* First in main(): the words of the command line in UTF-8, and the name that the program was called by. From
 * now on writing to a closed pipe is an error like any other, not the end of the process. */
void tk_host_begin(int *argc, char ***argv, char name[TK_HOST_NAME]);

/* From now on the signals that ask to stop are noted, the first time; tk_host_stopped() is then which. */
void tk_host_note_stop(void);

/* The same, but a second request is noted, too (tk_host_stops): only a third one ends the process. */
void tk_host_note_stops(void);
unsigned tk_host_stops(void);
int tk_host_stopped(void);

/* Ends the process as that signal would have. */
void tk_host_stop(int signal);

/* Seconds of a clock that only goes forward. */
double tk_host_seconds(void);

/* An empty file that is there for a while, for the user alone: its name, which ends with `name`; to be
 * removed, and freed. NULL where none can be made. */
char *tk_host_temporary_file(const char *name);

/* Takes a file away. */
bool tk_host_remove(const char *path);

/* The last name of a path; it is inside it. */
const char *tk_host_base_name(const char *path);

/* The length of a path without what its last name ends in, as ".json" and ".tracy.zst". */
size_t tk_host_stem(const char *path);

/* Do two paths lead to one regular file? */
bool tk_host_same_file(const char *one, const char *other);

/* Is there anything under a name? What cannot be looked at is there. */
bool tk_host_exists(const char *path);

/* Now, in seconds since 1970. */
int64_t tk_host_now(void);

/* When a file was changed, in seconds since 1970; now, where that cannot be reported. */
int64_t tk_host_modified(const char *path);

/* Bytes of a file; 0, where there is none. */
uint64_t tk_host_size(const char *path);

/* Is it a folder? */
bool tk_host_is_folder(const char *path);

/* Makes a folder where there is none of that name. false where it cannot be made. */
bool tk_host_make_folder(const char *path);

enum tk_host_listing { TK_HOST_LISTED, TK_HOST_UNREADABLE, TK_HOST_NO_MEMORY };

/* Adds the paths of the files in a folder whose names do not begin with a dot, in the order of their bytes,
 * and those of folders, pipes and devices in it to others, which is empty. */
enum tk_host_listing tk_host_list_folder(const char *path, struct tk_opt_list *out,
                                         struct tk_opt_list *others);

/*
 * The browser of the user: trace-view shows its page there.
 */

/* Opens an address in the browser that the user has chosen; no shell takes part. false: there is no program
 * that could. */
bool tk_browser_open(const char *address);

/*
 * Exit codes of the commands.
 */

enum tk_exit {
    TK_EXIT_DONE = 0,
    TK_EXIT_NO = 1,      /* done, and the answer is "no" */
    TK_EXIT_USAGE = 2,   /* wrong usage, or a filter, table or column that matches nothing */
    TK_EXIT_FAILED = 3,  /* the input cannot be read at all or the output cannot be written */
    TK_EXIT_DAMAGED = 4, /* done, but the capture is damaged, or a limit left something out */
    TK_EXIT_UNKNOWN =
        256 /* nothing can be said (judge/outcomes.h): the process ends with 4; no program ends with it */
};

/* What the process ends with. */
int tk_exit_status(int code);

/* The code for what a function of the library returned. A reader that has gone is no failure. */
enum tk_exit tk_exit_of(int status);

/* The one of two codes that wins: 2, 3, 1, nothing can be said, damaged, 0. */
enum tk_exit tk_exit_worse(enum tk_exit a, enum tk_exit b);

/*
 * Pager: what goes to a terminal goes through $PAGER (less where it is not set), so that it can be looked
 * through and what fits on one screen stays there. Files and pipes never see it.
 */

/* From now on there is none (--no-pager). */
void tk_pager_forbid(void);

/* The first output to a terminal is about to be written: starts the pager, once. What cannot be started is
 * done without. Messages go through it too. Whoever shows progress ends it before. */
void tk_pager_begin(void);

/* Is there one? */
bool tk_pager_runs(void);

/* All is written: waits until who reads has seen it. */
void tk_pager_end(void);

#endif
