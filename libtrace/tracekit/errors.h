/*
 * A chapter of tracekit.h: versions, and why something failed.
 */
#ifndef TRACEKIT_ERRORS_H
#define TRACEKIT_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(TRACEKIT_DLL) && !defined(TK_API)
#define TK_API __declspec(dllimport) /* programs that use tracekit.dll may define TRACEKIT_DLL */
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(TK_API)
#define TK_API __attribute__((visibility("default")))
#elif !defined(TK_API)
#define TK_API
#endif

/* ---- 1 versions ----
 *
 * TK_VERSION_... describe the header that a program was compiled with, tk_version() the library that it runs
 * with. Versions are MAJOR.MINOR.PATCH. Before 1.0 each MINOR may change anything; a PATCH changes no
 * function, struct or meaning. The shared library has the soname libtracekit.so.0.2, and its symbols have the
 * version TRACEKIT_0.2.
 */

#define TK_VERSION_MAJOR 0
#define TK_VERSION_MINOR 2
#define TK_VERSION_PATCH 0
#define TK_VERSION       "0.2.0"

/* Version of the library in use, "0.2.0". Static. */
TK_API const char *tk_version(void);

/* The same as one number, MAJOR * 1000000 + MINOR * 1000 + PATCH: 2000 is 0.2.0. A program that
 * loads the library at run time compares it with its TK_VERSION_NUMBER before it calls anything else. */
#define TK_VERSION_NUMBER (TK_VERSION_MAJOR * 1000000 + TK_VERSION_MINOR * 1000 + TK_VERSION_PATCH)
TK_API uint32_t tk_version_number(void);

/* The versions of the libraries that it uses, "lz4 1.9.4, zstd 1.5.4, ...". Static. */
TK_API const char *tk_version_libraries(void);

/* Zero-initialises a struct that begins with `size`, and stores the size that this program knows. */
#ifdef __cplusplus
#define TK_INIT(type)                                                                                        \
    ([] {                                                                                                    \
        type tk_made{};                                                                                      \
        tk_made.size = sizeof tk_made;                                                                       \
        return tk_made;                                                                                      \
    }())
#else
#define TK_INIT(type) ((type){.size = sizeof(type)})
#endif

/* ---- 2 errors ----
 *
 * A failure is a negative status and a list of causes: the first is what went wrong, each further one is what
 * failed because of it. The last one is for users, the others say why:
 *
 *     fprintf(stderr, "%s\n", tk_err_text(&err, rc));
 *     for (unsigned i = err.n; i-- > 1;)
 *         fprintf(stderr, "  %s\n", err.text[i - 1]);
 */

enum tk_status {
    TK_ITEM = 1,        /* there is one more */
    TK_OK = 0,          /* done, or there is no more */
    TK_EUSAGE = -1,     /* invalid request */
    TK_EMATCH = -2,     /* a filter, table or column matches nothing */
    TK_EIO = -3,        /* the input cannot be read */
    TK_EFORMAT = -4,    /* the input is not a capture, or cannot be read at all */
    TK_EOUTPUT = -5,    /* the output cannot be written */
    TK_EPIPE = -6,      /* the reader of the output has closed it */
    TK_ENOMEM = -7,     /* out of memory */
    TK_ELIMIT = -8,     /* a named limit was exceeded */
    TK_EDAMAGE = -9,    /* strict: the capture is damaged */
    TK_ECANCELED = -10, /* a callback requested to stop */
    TK_EUNKNOWN = -11   /* nothing can be said: there is nothing to compare, or nothing to compare with */
};

#define TK_ERR_CAUSES 6
#define TK_ERR_TEXT   384

/* A status and its causes, innermost first: lower case, no full stop, NUL-terminated. */
struct tk_err {
    int code;
    unsigned n;
    char text[TK_ERR_CAUSES][TK_ERR_TEXT];
};

/*
 * The outermost cause of a failure. Without a cause, or if err is NULL, a text for the status,
 * such as "out of memory". Lives as long as err.
 */
TK_API const char *tk_err_text(const struct tk_err *err, int status);

/*
 * For languages that cannot use the layout of structs: a struct tk_err allocated by the library, which every
 * function accepts and which can be reused; NULL when out of memory. Free with tk_err_free (NULL is allowed).
 */
TK_API struct tk_err *tk_err_new(void);
TK_API void tk_err_free(struct tk_err *err);

/* Its status; the number of its causes; cause i, where 0 is the innermost (NULL after the last one), valid
 * until the struct is used again. A NULL err has no causes. */
TK_API int tk_err_status(const struct tk_err *err);
TK_API size_t tk_err_count(const struct tk_err *err);
TK_API const char *tk_err_cause(const struct tk_err *err, size_t i);

/* A way in which a comparison, a check of budgets or a trend can end. */
struct tk_outcome {
    const char *name;     /* "regressed" */
    int status;           /* the exit status of the commands: 0 to 4 */
    int strict;           /* the same with `option` */
    const char *option;   /* "--require-verdict"; NULL: none changes the status */
    const char *commands; /* that can end so: words out of "diff check trend ci" */
    const char *when;     /* "a budget is exceeded" */
    const char *advice;   /* what to do; may be empty */
};

/* All of them, by number from 0; NULL after the last one. Static. */
TK_API const struct tk_outcome *tk_outcome_at(size_t i);

#ifdef __cplusplus
}
#endif

#endif
