/*
 * Facts about files and about packages of data that are loaded. See fact/fact.h for what holds of all facts.
 */
#ifndef TK_FACT_LOADING_H
#define TK_FACT_LOADING_H

#include "tracekit.h"

enum tk_file_op { TK_FILE_OPEN, TK_FILE_REOPEN, TK_FILE_CLOSE, TK_FILE_READ, TK_FILE_WRITE, TK_FILE_OPS };

/* Something was done with a file from `time` on. Said when it ends. */
struct tk_fact_file_io {
    const struct tk_str *path; /* NULL: not known */
    uint8_t op;                /* enum tk_file_op */
    bool failed;
    bool ended;         /* `end` is known */
    int64_t end;        /* since the start, as all times (fact.h) */
    uint64_t offset;    /* bytes: where a read or write begins */
    uint64_t size;      /* bytes asked for */
    uint64_t done;      /* bytes read or written */
    uint32_t in_flight; /* reads and writes that were under way when it began, itself included */
};

/* What is known of a package of data that is loaded; later ones of an id replace earlier ones. */
struct tk_fact_package {
    uint32_t id;               /* dense */
    const struct tk_str *name; /* NULL: not known */
    bool has_summary;          /* the next four are known */
    uint32_t header_bytes, imports, exports;
    int32_t priority;
    bool has_priority;
    uint64_t request;           /* 1 + number of the request that it belongs to, in order of begin; 0: none */
    const struct tk_str *group; /* of that request; NULL: none */
};

enum tk_load_op { TK_LOAD_CREATE, TK_LOAD_SERIALIZE, TK_LOAD_POSTLOAD, TK_LOAD_SUMMARY, TK_LOAD_OPS };

/* A step of loading a package, or of one object of it, from `time` to `end`. */
struct tk_fact_load_step {
    uint32_t package;                /* id, or UINT32_MAX where it is not known */
    uint8_t op;                      /* enum tk_load_op */
    bool has_size;                   /* size is known */
    const struct tk_str *class_name; /* of the object; NULL: not known */
    int64_t end;
    int64_t excl;  /* time without that of steps inside it */
    uint64_t size; /* bytes that are read */
};

#endif
