/*
 * What fuzz targets share: promises that abort when they are broken, numbers taken from the input, and what a
 * whole capture is requested. More of that is in questions.h.
 *
 * A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput, and one line in the table of CMakeLists.txt.
 * It runs with libFuzzer (preset fuzz), or over the files of corpus/NAME with replay.c, which any compiler
 * builds.
 */
#ifndef TK_TESTS_FUZZ_RIG_H
#define TK_TESTS_FUZZ_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tracekit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes another input of one; optional. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* libFuzzer's own mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Aborts when a promise is broken. */
void fuzz_promise(bool kept, const char *promise);

/* Promises that an error has a cause. */
void fuzz_error(int rc, const struct tk_err *err);

/*
 * What there is to say of an input: causes of errors, notes of the health, texts that come of it. Printed, a
 * line each, when an input is replayed with --tell.
 */
extern bool fuzz_telling;
void fuzz_tell(const char *what, const void *text, size_t n);

struct tk_health;
void fuzz_tell_health(const struct tk_health *health);

/* ---- the input, from front to back ---- */

struct fuzz_in {
    const uint8_t *p;
    size_t n;
};

/* The next number; 0 behind the end. */
uint8_t fuzz_u8(struct fuzz_in *in);
uint64_t fuzz_uint(struct fuzz_in *in, unsigned bytes);

/* The next n bytes, or as many as there are. */
struct fuzz_in fuzz_take(struct fuzz_in *in, size_t n);

/* A copy in memory of exactly its size, so that what is read beyond is seen; to be freed. */
uint8_t *fuzz_copy(const void *p, size_t n);

/* ---- whole captures ---- */

struct tk_context;

/* Promises that the parts of the ledger sum to the size of the file. */
void fuzz_ledger(const struct tk_context *ctx);

/* The path of a file of these bytes; the next call replaces it. */
const char *fuzz_path(const void *p, size_t n);

#define FUZZ_EXPORT      1u                            /* also the exports, to nowhere */
#define FUZZ_JOBS        2u                            /* also with two jobs: the same rows must come */
#define FUZZ_STRICT      4u                            /* also strictly */
#define FUZZ_PART(k)     (8u | (unsigned)(k) % 8 << 4) /* an eighth of all tables: the k-th; to tell, all */
#define FUZZ_QUESTION(k) (128u | (unsigned)(k) << 8)   /* also the k-th question (questions.h) */

/*
 * Opens the bytes through the public library and requests tables (NULL: all that there are). Errors must have
 * a cause; the parts of the ledger must sum to the size of the file. Returns whether it could be opened.
 */
bool fuzz_ask(const void *p, size_t n, const char *const *tables, size_t n_tables, unsigned flags);

/*
 * Requests a table of the bytes behind another one, and behind a reading of that which is given up. Promises
 * the rows that it has alone, but of tables that say what was found so far.
 */
void fuzz_pair(const void *p, size_t n, const char *first, const char *second);

#endif
