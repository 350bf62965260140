/*
 * A chapter of tracekit.h: answers for AI assistants.
 */
#ifndef TRACEKIT_AGENTS_H
#define TRACEKIT_AGENTS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_options;

/* ---- 19 agents: answers for assistants ----
 *
 * The Model Context Protocol: JSON-RPC requests, one per line, and an answer to each. `tracekit mcp` connects
 * it to standard input and output by tk_agent_serve(). Captures are only read, and only those in the given
 * folders can be accessed. One request after another:
 *
 *     rc = tk_agent_new(&agent, &options, &err);
 *     while (rc == TK_OK && getline(...) > 0) {
 *         rc = tk_agent_answer(agent, line, n, &answer, &n_answer, &err);
 *         ...
 *         tk_agent_free_text(answer);
 *     }
 *     tk_agent_free(agent);
 */

struct tk_agent;

struct tk_agent_options {
    size_t size;
    const char *const *folders; /* n_folders: what may be read */
    size_t n_folders;
    uint64_t answer_bytes;         /* maximum bytes of a message with an answer, at least 2048; 0: 6144 */
    const struct tk_options *open; /* how captures are opened; NULL: defaults. Borrowed */
    int (*stop)(void *ctx);        /* non-zero ends the current answer. May be NULL */
    void *stop_ctx;
};

/* TK_OK; TK_EUSAGE (no such folder); TK_ENOMEM. Free with tk_agent_free (NULL is allowed). */
TK_API int tk_agent_new(struct tk_agent **out, const struct tk_agent_options *options, struct tk_err *err);
TK_API void tk_agent_free(struct tk_agent *agent);

/* Answers a request of n arbitrary bytes: *answer has *n_answer bytes without a line break, or is NULL if the
 * request has no answer. Free with tk_agent_free_text (NULL is allowed). TK_OK or TK_ENOMEM. */
TK_API int tk_agent_answer(struct tk_agent *agent, const char *request, size_t n, char **answer,
                           size_t *n_answer, struct tk_err *err);
TK_API void tk_agent_free_text(char *text);

/* Where requests come from, and where answers go. */
struct tk_agent_streams {
    size_t size;
    /* The next request, valid until the following call: 1; 0 at the end; negative: cannot be read, which is
     * an end, too. */
    int (*read)(void *ctx, const char **line, size_t *n);
    /* Writes a message, to which the function adds a line break. By one thread at a time, which need not be
     * the one that reads. TK_OK or a negative status. */
    int (*write)(void *ctx, const char *line, size_t n);
    void *ctx;
};

/*
 * Answers requests until they end. Tools work on a thread of their own, one at a time in the order of their
 * requests, and others are answered meanwhile; notifications/cancelled ends a call, which then has no answer;
 * calls with a progress token send notifications/progress. Returns when all is answered: TK_OK, TK_EUSAGE (a
 * function is missing), TK_ENOMEM, or what `write` returned.
 */
TK_API int tk_agent_serve(struct tk_agent *agent, const struct tk_agent_streams *streams, struct tk_err *err);

#ifdef __cplusplus
}
#endif

#endif
