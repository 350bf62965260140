/*
 * Symbols of a capture that is open: the symbolizer of its tables. The api opens it with the capture.
 */
#ifndef TK_SYMBOLS_SYMBOLS_HOST_H
#define TK_SYMBOLS_SYMBOLS_HOST_H

#include "fact/symbolizer.h"
#include "symbols/file_index.h"
#include "tracekit.h"

struct tk_symbols_host {
    struct tk_symbolizer symbolizer;
    struct tk_symbols *symbols; /* owned; NULL: none are wanted */
    bool fold;                  /* inlined calls belong to their callers */
};

/* By the options of a capture; path is that of its file, or NULL. 0, or -1 if out of memory. */
int tk_symbols_host_open(struct tk_symbols_host *host, const struct tk_options *options, const char *path);

/* As tk_symbols_tell. */
int tk_symbols_host_tell(const struct tk_symbols_host *host, char *text, size_t n);

/* All that was looked up, as a file of symbols to send along, to be freed: as tk_kept_bytes. Not where no
 * symbols are wanted. */
uint8_t *tk_symbols_host_bytes(struct tk_symbols_host *host, bool strip, size_t *n);

void tk_symbols_host_close(struct tk_symbols_host *host);

/*
 * Source files of a program below the folders that the user names: who shows lines requests them by the paths
 * of the compiler's machine. The api opens it with the capture.
 */

struct tk_source_text {
    char *path; /* that was requested; owned */
    size_t n;
    struct tk_str text; /* owned; p NULL: there is none */
};

/*
 * Of a path only the last parts count: a file below the folders fits that has the same name, and the one that
 * has the most parts in common is taken. No link is followed, and no file is opened that was not found by
 * going through the folders.
 */
struct tk_source_texts {
    struct tk_source_finder finder;
    char **folders; /* owned */
    size_t n_folders;
    struct tk_file_index index; /* when it was requested the first time */
    bool walked;
    TK_VEC(struct tk_source_text) texts;
};

/* Copies the paths. 0, or -1 if out of memory. The struct must stay where it is. */
int tk_source_texts_open(struct tk_source_texts *s, const char *const *folders, size_t n);

/* Writes which of the paths that were requested have no text, and where it was looked for, as a sentence of
 * at most n bytes with its NUL; `before` is put in front of it. 0: there are all, and there is no sentence;
 * 1: no folder was named; 2: those that were named have none. */
int tk_source_texts_tell(const struct tk_source_texts *s, const char *before, char *text, size_t n);

void tk_source_texts_close(struct tk_source_texts *s);

#endif
