/*
 * A chapter of tracekit.h: what cells of tables hold.
 */
#ifndef TRACEKIT_VALUES_H
#define TRACEKIT_VALUES_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 3 texts and values ----
 *
 * A row is an array of cells, one per column. Each cell has its own kind, because any cell may be TK_NONE,
 * "no value"; check `kind` before using the union. Times are integers in nanoseconds (or clock cycles,
 * with TK_UNIT_CYCLES) since the start of the capture; only means are rounded. Cycles from 2^63 on are of
 * kind TK_UINT. Times beyond 292 years are clamped to that; `health` lists them (`time_beyond`).
 *
 *     if (cell->kind == TK_DURATION)
 *         printf("%" PRId64 " ns\n", cell->v.i);
 *     if (cell->kind == TK_TEXT)
 *         fwrite(cell->v.p, 1, cell->n, stdout);
 */

enum tk_encoding {
    TK_ENC_UTF8 = 0,  /* valid UTF-8 */
    TK_ENC_BYTES = 1, /* 8-bit text that is not valid UTF-8 */
    TK_ENC_UTF16 = 2  /* UTF-16LE that is not valid */
};

/* A text: n bytes, not NUL-terminated. */
struct tk_str {
    const char *p;
    uint32_t n;
    uint8_t enc; /* enum tk_encoding */
};

enum tk_kind {
    TK_NONE = 0, /* no value */
    TK_BOOL,     /* u */
    TK_INT,      /* i */
    TK_UINT,     /* u */
    TK_HEX,      /* u: an address, pointer or hash */
    TK_REAL32,   /* r, with single precision */
    TK_REAL,     /* r */
    TK_TIME,     /* i: a point in time, in the unit of the table */
    TK_DURATION, /* i: a duration, in the unit of the table */
    TK_MEAN,     /* r: a mean of durations, in the unit of the table */
    TK_SIZE,     /* u: bytes */
    TK_TEXT,     /* p, n bytes, enc */
    TK_BYTES,    /* p, n bytes */
    TK_ARRAY,    /* p: n packed little-endian elements of kind `elem` and `width` bytes each, unaligned */
    TK_LIST,     /* p: n struct tk_cell */
    TK_RECORD    /* p: struct tk_record */
};

/* One value. What it points to is valid as long as the rows that it belongs to. */
struct tk_cell {
    uint8_t kind;  /* enum tk_kind */
    uint8_t enc;   /* TK_TEXT: enum tk_encoding */
    uint8_t elem;  /* TK_ARRAY: TK_INT, TK_UINT, TK_REAL32, TK_REAL, TK_BYTES (undefined numbers) */
    uint8_t width; /* TK_ARRAY: 1, 2, 4, 8; TK_INT, TK_UINT, TK_HEX: as in the capture, or 0 */
    uint32_t n;
    union {
        int64_t i;
        uint64_t u;
        double r;
        const void *p;
    } v;
};

/* Orders in which events are sent: as they are in the file, or by the serial numbers that they have. */
enum tk_order { TK_ORDER_FILE = 0, TK_ORDER_SERIAL };

struct tk_record;

/* The type of a record: its name and fields. Valid as long as the capture. */
struct tk_record_type {
    const char *name;          /* NUL-terminated */
    const struct tk_str *text; /* the same with its encoding; NULL if `name` is complete */
    uint32_t n_fields;
    const struct tk_str *fields; /* names */
    /* The value of a field; TK_NONE when it cannot be read. */
    void (*value)(const struct tk_record *rec, uint32_t field, struct tk_cell *out);
    const char *family; /* family that decodes it, NUL-terminated; NULL: none, it is only listed */
    bool named;         /* the first field is its name, which lists for people show instead of the record */
};

/* Named values. Borrowed, as the rows that it belongs to. */
struct tk_record {
    const struct tk_record_type *type;
    const void *impl; /* the library's */
};

/*
 * The same without the layout of the struct. Numbers of all kinds are converted: tk_cell_int and tk_cell_uint
 * return the nearest integer that they can represent (reals are truncated, NaN is 0). For cells that are not
 * numbers they return 0, and tk_cell_real returns NaN.
 */
TK_API enum tk_kind tk_cell_kind(const struct tk_cell *cell);
TK_API int64_t tk_cell_int(const struct tk_cell *cell);
TK_API uint64_t tk_cell_uint(const struct tk_cell *cell);
TK_API double tk_cell_real(const struct tk_cell *cell);

/* The bytes of a TK_TEXT or TK_BYTES, and their number in *n; NULL and 0 for other kinds. Valid as long as
 * the cell. The second function returns the encoding of a TK_TEXT. */
TK_API const char *tk_cell_bytes(const struct tk_cell *cell, size_t *n);
TK_API enum tk_encoding tk_cell_encoding(const struct tk_cell *cell);

#ifdef __cplusplus
}
#endif

#endif
