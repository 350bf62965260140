/*
 * What is kept of a capture between questions, in a reading: its source has to read less, tables are given
 * what is known, or what the reading finds out is kept. Where nothing is (tk_context.known is NULL), batches
 * are only passed on.
 */
#ifndef TK_KEPT_KEPT_READING_H
#define TK_KEPT_KEPT_READING_H

#include "base/health/limits.h"
#include "fact/format.h"
#include "fact/kept.h"
#include "io/file.h"
#include "query/select.h"
#include "tracekit/queries.h"

#include <stdbool.h>

struct tk_kept_reading;
struct tk_scope_model;

/* What a reading is for. */
struct tk_kept_purpose {
    struct tk_context *ctx;           /* borrowed until it is done */
    const struct tk_capture *capture; /* borrowed during the call */
    bool numbers;                     /* scopes are numbered (TK_SLICE_PLACE) */
    bool passes_over; /* what is made of scopes holds when those outside of the selected times are passed over
                       */

    /* From the first selected time to the last one: from INT64_MIN to INT64_MAX where no times are selected.
     * TK_OK or what ends the query. Called where scopes are requested. */
    int (*times)(void *self, struct tk_range *out, struct tk_err *err);
    void *self;
};

/* Who takes batches. */
struct tk_kept_taker {
    void *self;
    int (*batch)(void *self, const struct tk_batch *batch, struct tk_err *err);
    struct tk_scope_model *const
        *model; /* whose stacks `batch` moves on; NULL, or *model NULL: there is none */
};

/*
 * A reading begins: *request, which is borrowed until it is done, is changed to what has to be read. TK_OK,
 * TK_ENOMEM, or what `times` says. *out, which may be NULL, is to be done with either way.
 */
int tk_kept_begin(struct tk_kept_reading **out, const struct tk_kept_purpose *purpose,
                  struct tk_request *request, struct tk_err *err);

/*
 * The next batch of the source; NULL: all is read, and nothing is noted of it yet. Gives it to the taker, and
 * what is known with it. TK_OK, TK_ENOMEM, or what the taker says.
 */
int tk_kept_batch(struct tk_kept_reading *k, const struct tk_batch *batch, const struct tk_kept_taker *taker,
                  struct tk_err *err);

/* The reading is over, with rc. true: it failed because what was kept is wrong; it is forgotten, and the
 * reading has to be made again. */
bool tk_kept_done(struct tk_kept_reading *k, int rc);

/*
 * Answers that are kept: the rows of a query as they were sent, and what was wrong with the capture, so that
 * the same question of the same capture is answered without reading it. Who answers queries queries here
 * first.
 *
 * An answer is that of the very same question: all fields of the query, and what was known of the capture
 * when it was requested. What takes something from elsewhere, as symbols and sources are, is not kept, nor
 * are answers that failed, and those of more bytes than a quarter of what may be kept.
 */

/* A query that may be answered by what is kept. */
struct tk_kept_request {
    struct tk_context *ctx;
    const struct tk_query *query;
    const struct tk_table *const *tables; /* the full ones that the query names, in its order */
};

/* Answers `query` again from what is kept. TK_ITEM: done; TK_OK: there is no such answer, and nothing was
 * sent; else what a hook returned, or TK_ENOMEM. */
int tk_kept_answers_send(const struct tk_kept_request *request, const struct tk_sink *sink,
                         struct tk_err *err);

/* Answers with `run`, and keeps what it sends where it took long. What `run` returned. */
int tk_kept_answers_keep(const struct tk_kept_request *request,
                         int (*run)(void *self, const struct tk_query *query, const struct tk_sink *sink,
                                    struct tk_err *err),
                         void *self, const struct tk_sink *sink, struct tk_err *err);

/*
 * The file in which is kept what a whole reading found out of a capture (fact/kept.h), so that later
 * questions read only the packets they need. Who opens a capture loads and saves it; its format and readings
 * (kept_reading.h) fill and use its sections.
 *
 * What must be in it, for answers that are the same with and without:
 *
 * - PACKETS: the packets of the file as the walk over their headers found them: place, thread, size; how many
 *   bytes are what. With it a capture is opened without that walk. Only of captures whose walk noted no
 *   fault. Declarations and definitions are read from the capture as ever.
 *
 * - SCOPES: at places about a mebibyte apart where the reader of the format stands (batches that wait,
 *   stamps, open records), and of each thread the scopes that are open, with begin and number; the least time
 *   between two places, and the greatest one up to each. The same of the end, with ends that had no begin and
 *   the greatest depth. Facts of frames, regions, bookmarks, stalls and gaps. Only of readings that noted no
 *   fault but open scopes and ends without begins, which the end says again.
 *
 * - INSTANCES: the timers that a reading defined as it met them, in its order: scopes refer to them by
 * number. Those of instances of metadata, where some are defined among events, as the packets that define
 * them are not read again. Only alongside SCOPES.
 *
 * - ANSWERS: questions and what was answered to them (kept/kept_answers.h), of captures of all
 *   formats, and with their faults. The caller the same again needs nothing else.
 *
 * Which questions use SCOPES: those that ask for scopes of threads and for facts that are in it, in the order
 * of the file, and select times. They read the packets from the last place before the selection to the first
 * one behind it, and those in which scopes end that were open there; stacks, counts and numbers of all else
 * come from the places. Questions for frames, regions and bookmarks alone read nothing. All others read
 * everything: times that are not cut to the selection, rows sent while they are read, texts of scopes, waits,
 * queues of GPUs.
 */

/*
 * Which capture it is that something is kept of, and by which reader.
 */

/* All numbers differ where the capture, or what readings make of it, may differ. */
struct tk_kept_identity {
    uint64_t size, changed, volume, file[2]; /* of the file */
    uint64_t sample; /* a checksum of its first block, its last one and 64 between them, of 64 KiB each */
    uint64_t reader; /* a checksum of the limits and of the version of the library */
};

/* What the system says of the file at a path alone: the rest stays zero. false: it is no file, or is gone. */
bool tk_kept_identity_look(struct tk_kept_identity *id, const char *path);

/* All of it, where the system says the same of the file as before the capture was opened: then it is the
 * file that was opened. false as well: it cannot be read, or became shorter. */
bool tk_kept_identity_find(struct tk_kept_identity *id, const struct tk_kept_identity *opened,
                           const char *path, const struct tk_limits *limits);

struct tk_kept_file {
    struct tk_kept kept;
    struct tk_kept_identity id;
    char *capture, *path; /* owned; of the capture, and of this file */
    uint8_t *bytes;       /* owned, of the file */
    bool cached;          /* it is in the cache of the user */
    double opened;        /* when, in seconds of the clock of the system */
};

/*
 * Finds out what is kept of a capture: `where` is a path, or "cache"; `opened` is what the system said of the
 * capture before it was opened (tk_kept_identity_look). *out NULL: nothing can be, is worth it,
 * or out of memory. A file that is damaged, of another capture or of another version counts as none, and may
 * be replaced. Nothing else is: at a path there is such a file, an empty one, or none. A link is followed.
 *
 * TK_OK; TK_EUSAGE: something else is there; TK_EOUTPUT: nothing is, and no file can be made.
 */
int tk_kept_file_open(struct tk_kept_file **out, const char *where, const char *capture,
                      const struct tk_kept_identity *opened, const struct tk_file *file,
                      const struct tk_limits *limits, struct tk_err *err);

/* Writes what was made, where that is requested or took long enough, and the capture is the same as before.
 */
void tk_kept_file_close(struct tk_kept_file *k); /* NULL is allowed */

#endif
