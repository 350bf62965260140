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
#ifndef TK_KEPT_KEPT_FILE_H
#define TK_KEPT_KEPT_FILE_H

#include "base/health/limits.h"
#include "fact/kept.h"
#include "io/file.h"

#include <stdbool.h>

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
