/*
 * Format: a kind of capture file. A format is found by its first bytes and opens a capture; a capture gives
 * sources of facts, and tables of its own that describe the file itself.
 */
#ifndef TK_FACT_FORMAT_H
#define TK_FACT_FORMAT_H

#include "base/health/health.h"
#include "base/health/limits.h"
#include "fact/source.h"
#include "io/scratch/pool.h"

struct tk_file;
struct tk_kept;
struct tk_options;
struct tk_symbolizer;
struct tk_source_finder;

/* What an edit left of a recording: cycles since the start, [from, to). What else is there says what came
 * before. */
struct tk_kept_part {
    bool cut; /* else it is all there */
    int64_t from, to;
};

/* What is known of a capture in an archive. Texts that are too long are cut. */
struct tk_archived {
    char member[256];     /* its name there; empty: it is in none */
    char machine[128];    /* that recorded it; empty: not known */
    char in_time_of[256]; /* with an offset: the member whose clock it is measured by; empty: not known */
    bool has_offset;
    int64_t offset; /* in nanoseconds, by which its times are later there */
};

/* What all parts of one open capture share. Owned by the trace, outlives the capture and its sources. */
struct tk_context {
    const struct tk_file *file;
    const struct tk_options *options;
    const char *path; /* of the file, as it was opened; NULL: it has none */
    struct tk_archived archived;
    struct tk_limits limits;
    struct tk_health health;
    struct tk_pool *pool;
    const struct tk_symbolizer *symbolizer; /* symbolizer.h; NULL: none */
    const struct tk_source_finder *sources; /* symbolizer.h; NULL: none */
    const struct tk_health *earlier;        /* during a reading: what those before it found; else NULL */
    const struct tk_format *format;         /* of the capture */
    uint64_t size;                          /* bytes of the file, unpacked */
    struct tk_kept_part kept;               /* what tables are about, whatever else is requested */
    struct tk_kept *known; /* kept.h: what earlier questions left, and this one will; NULL: nothing */
    char part[64]; /* of a capture that is opened in part: the bytes that are read, as tk_in_part says; else
                      empty */
    bool front;    /* in part: only by readings that ask for no events */
    bool read;     /* a reading went through all of its events, whatever it requested of them */
    const struct tk_health
        *opened; /* health as it was when the capture had been opened: every reading starts from a
                    copy, so that reading twice does not count faults twice; NULL: from none */
};

struct tk_capture {
    const struct tk_capture_ops *ops;
    uint32_t parts; /* of a cycle, as in struct tk_fact_clock */
};

struct tk_capture_ops {
    /*
     * A source of what is requested. Several sources of a capture may be open one after another, not at one
     * time. The request is borrowed until the source is closed. TK_OK or negative.
     */
    int (*read)(struct tk_capture *c, const struct tk_request *request, struct tk_source **out,
                struct tk_err *err);

    /*
     * Tables that describe the file itself, without reading its events. Names are among those of
     * tk_format.tables. Sends begin, rows, end.
     */
    int (*describe)(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                    struct tk_err *err);

    /* May there be any of these facts? What can be said without reading. */
    bool (*may_have)(const struct tk_capture *c, uint64_t facts);

    bool (*truncated)(const struct tk_capture *c);
    bool (*empty)(const struct tk_capture *c);
    void (*close)(struct tk_capture *c);
};

/* What a capture may lack because it was not recorded. */
enum tk_hint {
    TK_HINT_FRAMES,
    TK_HINT_REGIONS,
    TK_HINT_SCOPE_TEXTS,
    TK_HINT_CPU,
    TK_HINT_GPU,
    TK_HINT_WAITS, /* tasks and locks */
    TK_HINT_SWITCHES,
    TK_HINT_MEMORY,
    TK_HINT_CALLSTACKS, /* of allocations */
    TK_HINT_LOADING,
    TK_HINT_NETWORK,
    TK_HINT_SAMPLES,
    TK_HINT_MODULES,
    TK_HINT_SYMBOLS,
    TK_HINT_COUNTERS,
    TK_HINT_LOG,
    TK_HINTS
};

/* What events that a format names and does not read would say. */
struct tk_unread_says {
    const char *event; /* NULL: the end of the list */
    enum tk_hint hint;
};

/* From here on a file is of the format, rather than perhaps. */
#define TK_FORMAT_SURE 50

struct tk_format {
    const char *name; /* in lower case, as people say it */
    const char *help;

    /* How sure, 0 (no) to 100, that a file with these first n bytes is of the format. Below TK_FORMAT_SURE it
     * is read where it is named, and left out of folders. */
    int (*probe)(const uint8_t *head, size_t n);

    /* For a file that no format claims: a sentence about it if the format knows what it is ("a newer ..."),
     * else NULL. */
    const char *(*explain)(const uint8_t *head, size_t n);

    /* Opens; ctx is borrowed. TK_OK, TK_EFORMAT, TK_EIO, TK_ENOMEM, TK_ELIMIT. */
    int (*open)(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

    /* What `open` needs where several formats share it. Static; NULL: nothing. */
    const void *decoder;

    bool has_processes; /* threads belong to processes, of which there may be several */

    const struct tk_table *const *tables; /* NULL-terminated */

    /* Tables whose rows come as facts (TK_FACT_ROW). NULL-terminated; NULL: none. */
    const struct tk_table *const *row_tables;

    /* How each of enum tk_hint gets recorded, a sentence without a full stop. NULL: not known. */
    const char *hints[TK_HINTS];

    const struct tk_unread_says *unread; /* NULL: nothing is known of what is not read */
};

/* Says what the capture lacks (a sentence without a full stop), and how its format records that: TK_EMATCH.
 */
int tk_format_lacks(const struct tk_context *ctx, enum tk_hint hint, const char *sentence,
                    struct tk_err *err);

/*
 * Recordings that are no captures yet: what arrived so far of a program, which a capture can be made of. The
 * api opens one as that capture.
 */

/* Who makes captures of them: a wing, which a build may leave out. */
struct tk_live_wing {
    /* Makes the capture of what a file, or one with the ending of recordings where there is none of that
     * name, holds by now: *made is a temporary file, to be removed and freed; NULL: it is no such recording.
     * TK_OK, TK_EFORMAT, TK_EIO, TK_ELIMIT, TK_EOUTPUT, TK_ENOMEM. */
    int (*make)(const char *path, char **made, struct tk_err *err);
};

/* That of the build; NULL: it has none. */
extern const struct tk_live_wing *const tk_live_wing;

#endif
