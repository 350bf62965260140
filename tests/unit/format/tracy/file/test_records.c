/*
 * Each record in each version: what is put is read, has the size that the description of the file states, and
 * breaks off with its fault at each byte; and the lists are those of that description (tracy-file 10).
 */
#include "format/tracy/file/read.h"
#include "format/tracy/file/sections_out.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 16, MOST_BYTES = 128 };

/* One of each layout. */
static const uint32_t versions[] = {
    TK_TRACY_V(0, 7, 0),  TK_TRACY_V(0, 7, 3),  TK_TRACY_V(0, 7, 5),  TK_TRACY_V(0, 7, 6),
    TK_TRACY_V(0, 7, 8),  TK_TRACY_V(0, 7, 9),  TK_TRACY_V(0, 7, 10), TK_TRACY_V(0, 7, 11),
    TK_TRACY_V(0, 7, 12), TK_TRACY_V(0, 7, 14), TK_TRACY_V(0, 7, 15), TK_TRACY_V(0, 8, 3),
    TK_TRACY_V(0, 8, 5),  TK_TRACY_V(0, 9, 2),  TK_TRACY_V(0, 11, 1), TK_TRACY_V(0, 11, 2),
    TK_TRACY_V(0, 11, 3), TK_TRACY_V(0, 12, 3), TK_TRACY_V(0, 12, 4), TK_TRACY_V(0, 13, 2),
    TK_TRACY_V(0, 13, 4), TK_TRACY_V(0, 13, 5), TK_TRACY_NEWEST};
enum { VERSIONS = sizeof versions / sizeof *versions };

/* ---- bytes in pieces ---- */

struct pieces {
    const uint8_t *p;
    size_t n, piece;
};

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    struct pieces *s = ctx;
    const size_t n = s->n < s->piece ? s->n : s->piece;
    (void)err;
    *out = (struct tk_bytes){s->p, n};
    s->p += n;
    s->n -= n;
    return n ? TK_ITEM : TK_OK;
}

static int ignore(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    (void)ctx, (void)p, (void)n, (void)err;
    return TK_OK;
}

static const int64_t time_before = 1000, gpu_time_before = -77;

/* ---- values: all bits differ from field to field ---- */

static uint64_t bits_of(unsigned field)
{
    return UINT64_C(0x8f7e6d5c4b3a2918) * (field * 2 + 1);
}

#define FILL_U8(n)     ((uint8_t)(n))
#define FILL_I8(n)     ((int8_t)(uint8_t)(n))
#define FILL_U16(n)    ((uint16_t)(n))
#define FILL_I16(n)    ((int16_t)(uint16_t)(n))
#define FILL_U24(n)    ((uint32_t)((n)&0xffffff))
#define FILL_U32(n)    ((uint32_t)(n))
#define FILL_I32(n)    ((int32_t)(uint32_t)(n))
#define FILL_U64(n)    (n)
#define FILL_COUNT(n)  (n)
#define FILL_I64(n)    ((int64_t)(n))
#define FILL_I48(n)    ((int64_t)((n) << 16) >> 16)
#define FILL_F32(n)    ((float)(int32_t)(uint32_t)(n) / 3)
#define FILL_F64(n)    ((double)(int64_t)(n) / 3)
#define FILL_DT(n)     ((int64_t)(n))
#define FILL_GT(n)     ((int64_t)(n))
#define FILL_REF(n)    ((struct tk_tracy_ref){n, (uint8_t)((n) >> 8)})
#define FILL_NAME12(n) ((struct tk_tracy_name12){{1, 2, 3, (uint8_t)(n), 5, 6, 7, 8, 9, 10, 11, 12}})

/* ---- a record, as the test sees all of them ---- */

struct field {
    const char *what;
    size_t begin, bytes; /* in the record; 0 bytes: the layout does not have it */
};

struct record {
    const char *name, *title;
    bool whole;
    size_t (*size)(const struct tk_tracy_layout *l);
    void (*fill)(void *v);
    void (*put)(struct tk_tracy_writer *w, const void *v);
    bool (*read)(struct tk_tracy_payload *in, void *v);
    unsigned (*step)(struct tk_tracy_payload *in, void *v);
    void (*same)(const void *put, const void *read, const struct tk_tracy_layout *l);
    unsigned (*fields)(const struct tk_tracy_layout *l, struct field *out);
    void (*print)(FILE *to);
};

#define FILL_FIELD(name, kind, role, text, when, what)                                                       \
    bits = bits_of(n++);                                                                                     \
    r->name = FILL_##kind(bits);

#define SAME_FIELD(name, kind, role, text, when, what)                                                       \
    memset(&none.name, 0, sizeof none.name);                                                                 \
    must(is_reference(#kind) ? same_reference(&a->name, &b->name, when)                                      \
                             : memcmp(&b->name, (when) ? (const void *)&a->name : (const void *)&none.name,  \
                                      sizeof b->name) == 0);

#define LIST_FIELD(name, kind, role, text, when, word)                                                       \
    out[n].what = word;                                                                                      \
    out[n].begin = n ? out[n - 1].begin + out[n - 1].bytes : 0;                                              \
    out[n++].bytes = (when) ? TK_TRACY_BYTES_##kind : 0;

#define PRINT_FIELD(name, kind, role, text, when, what) print_field(to, &at, #name, #kind, #role, #when);

static bool is_reference(const char *kind)
{
    return strcmp(kind, "REF") == 0;
}

/* Behind its flags a reference has bytes that mean nothing. */
static bool same_reference(const void *put, const void *read, bool has)
{
    const struct tk_tracy_ref *a = put, *b = read;
    return b->value == (has ? a->value : 0) && b->flags == (has ? a->flags : 0);
}

/* ---- how the description names them ---- */

static void print_kind(FILE *to, const char *kind, const char *role)
{
    static const char *const names[][2] = {
        {"REF", "StringRef"}, {"NAME12", "12 bytes"}, {"COUNT", "u64"}, {"DT", "dt"}, {"GT", "dt"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(kind, names[i][0]) == 0) {
            fprintf(to, "%s", names[i][1]);
            return;
        }
    if (strcmp(role, "INDEX") == 0)
        fprintf(to, "StringIdx");
    else
        fprintf(to, "%c%s", kind[0] + 'a' - 'A', kind + 1);
}

static const struct {
    const char *when;
    uint32_t from, until;
} parts[] = {
#define PART(name, from, until, help) {"l->" #name, from, until},
    TK_TRACY_LAYOUT(PART)};

/* "V >= 0.13.2", or "V < 0.12.3"; false: all versions have it. */
static bool print_version(FILE *to, const char *when)
{
    char text[12];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].when, when) != 0)
            continue;
        tk_tracy_version_text(text, parts[i].until == TK_TRACY_ALWAYS ? parts[i].from : parts[i].until);
        fprintf(to, "[V %s %s: ", parts[i].until == TK_TRACY_ALWAYS ? ">=" : "<", text);
        return true;
    }
    return false;
}

/* Where a line is: the condition of the fields before, and whether a bracket is open. */
struct line {
    const char *when;
    bool open;
};

static void print_field(FILE *to, struct line *at, const char *name, const char *kind, const char *role,
                        const char *when)
{
    const bool changes = !at->when || strcmp(at->when, when) != 0;
    fprintf(to, "%s%s", changes && at->open ? "]" : "", at->when ? ", " : "");
    if (changes)
        at->open = print_version(to, when);
    fprintf(to, "`");
    print_kind(to, kind, role);
    fprintf(to, " %s`", name);
    at->when = when;
}

#define DEFINE_RECORD(record, FIELDS, how, title)                                                            \
    static void fill_##record(void *v)                                                                       \
    {                                                                                                        \
        struct tk_tracy_##record *r = v;                                                                     \
        unsigned n = 0;                                                                                      \
        uint64_t bits;                                                                                       \
        FIELDS(FILL_FIELD)                                                                                   \
    }                                                                                                        \
    static void put_##record(struct tk_tracy_writer *w, const void *v)                                       \
    {                                                                                                        \
        tk_tracy_put_##record(w, v);                                                                         \
    }                                                                                                        \
    static bool read_##record(struct tk_tracy_payload *in, void *v)                                          \
    {                                                                                                        \
        return tk_tracy_read_##record(in, v);                                                                \
    }                                                                                                        \
    static unsigned step_##record(struct tk_tracy_payload *in, void *v)                                      \
    {                                                                                                        \
        return tk_tracy_step_##record(in, v);                                                                \
    }                                                                                                        \
    static void same_##record(const void *put, const void *read, const struct tk_tracy_layout *l)            \
    {                                                                                                        \
        const struct tk_tracy_##record *a = put, *b = read;                                                  \
        struct tk_tracy_##record none;                                                                       \
        (void)l;                                                                                             \
        FIELDS(SAME_FIELD)                                                                                   \
    }                                                                                                        \
    static unsigned fields_##record(const struct tk_tracy_layout *l, struct field *out)                      \
    {                                                                                                        \
        unsigned n = 0;                                                                                      \
        (void)l;                                                                                             \
        FIELDS(LIST_FIELD)                                                                                   \
        return n;                                                                                            \
    }                                                                                                        \
    static void print_##record(FILE *to)                                                                     \
    {                                                                                                        \
        struct line at = {NULL, false};                                                                      \
        FIELDS(PRINT_FIELD)                                                                                  \
        fprintf(to, at.open ? "]" : "");                                                                     \
    }
TK_TRACY_EACH_RECORD(DEFINE_RECORD)

enum { EACH, WHOLE };

#define ROW(record, FIELDS, how, title)                                                                      \
    {#record,       title,         (how) == WHOLE, tk_tracy_##record##_size, fill_##record, put_##record,    \
     read_##record, step_##record, same_##record,  fields_##record,          print_##record},
static const struct record records[] = {TK_TRACY_EACH_RECORD(ROW)};
enum { RECORDS = sizeof records / sizeof *records };

/* ---- putting and reading ---- */

/* The bytes of a record; how many. */
static size_t put(const struct record *r, uint32_t version, const void *v, uint8_t *out)
{
    const struct tk_tracy_packing packing = tk_tracy_packing_of(version);
    struct tk_tracy_writer w;
    struct tk_err err = {0};
    tk_tracy_writer_open(&w, version, &packing, ignore, NULL, &err);
    w.time = time_before;
    w.gpu_time = gpu_time_before;
    r->put(&w, v);
    const size_t n = w.n;
    ck_assert_uint_le(n, MOST_BYTES);
    memcpy(out, w.block, n);
    ck_assert_int_eq(tk_tracy_writer_close(&w), TK_OK);
    return n;
}

static void open(struct tk_tracy_payload *in, struct pieces *s, const struct tk_tracy_layout *l)
{
    tk_tracy_payload_init(in, more, s);
    in->layout = l;
    in->time = time_before;
    in->gpu_time = gpu_time_before;
}

/* A value of the struct, aligned. */
union value {
    uint64_t align;
    uint8_t bytes[256];
};

START_TEST(what_is_put_is_read)
{
    const struct record *r = &records[_i];
    for (size_t i = 0; i < VERSIONS; i++) {
        const struct tk_tracy_layout l = tk_tracy_layout_of(versions[i]);
        uint8_t bytes[MOST_BYTES];
        union value v = {0};
        r->fill(&v);
        const size_t n = put(r, versions[i], &v, bytes);
        ck_assert_uint_eq(n, r->size(&l));
        for (size_t piece = 1; piece <= n; piece++) {
            struct pieces s = {bytes, n, piece};
            struct tk_tracy_payload in;
            union value back;
            memset(&back, 0xa5, sizeof back);
            open(&in, &s, &l);
            must(r->read(&in, &back));
            must(tk_tracy_at_end(&in));
            r->same(&v, &back, &l);
        }
    }
}
END_TEST

/* The field that byte `at` is in. */
static const struct field *field_at(const struct field *fields, unsigned n, size_t at)
{
    for (unsigned i = 0; i < n; i++)
        if (at < fields[i].begin + fields[i].bytes)
            return &fields[i];
    return NULL;
}

START_TEST(where_it_breaks_off)
{
    const struct record *r = &records[_i];
    for (size_t i = 0; i < VERSIONS; i++) {
        const struct tk_tracy_layout l = tk_tracy_layout_of(versions[i]);
        struct field fields[MOST_FIELDS];
        const unsigned n_fields = r->fields(&l, fields);
        uint8_t bytes[MOST_BYTES];
        union value v = {0};
        r->fill(&v);
        const size_t n = put(r, versions[i], &v, bytes);
        ck_assert_uint_le(n_fields, MOST_FIELDS);
        for (size_t cut = 0; cut < n; cut++) {
            const struct field *field = field_at(fields, n_fields, cut);
            struct pieces s = {bytes, cut, 5};
            struct tk_tracy_payload in;
            open(&in, &s, &l);
            must(!r->read(&in, &v));
            must(strcmp(in.fault, r->whole ? r->title : field->what) == 0);
            must(in.fault_at == (r->whole ? 0 : field->begin));
            s = (struct pieces){bytes, cut, 5};
            open(&in, &s, &l);
            must(r->step(&in, &v) == (unsigned)(field - fields));
        }
    }
}
END_TEST

START_TEST(counts_are_bounded)
{
    const struct tk_tracy_layout l = tk_tracy_layout_of(TK_TRACY_NEWEST);
    const struct tk_tracy_thread v = {.tid = 1, .zones = 1001};
    uint8_t bytes[MOST_BYTES];
    const size_t n = put(&(struct record){.put = put_thread}, TK_TRACY_NEWEST, &v, bytes);
    for (uint64_t most = 1000; most <= 1001; most++)
        for (size_t piece = 1; piece <= n; piece++) {
            struct pieces s = {bytes, n, piece};
            struct tk_tracy_payload in;
            struct tk_tracy_thread back;
            open(&in, &s, &l);
            in.most = most;
            ck_assert_int_eq(tk_tracy_read_thread(&in, &back), most == 1001);
            ck_assert(most == 1001 || (in.fault_at == 8 && in.content && tk_tracy_at(&in) == 16));
        }
}
END_TEST

/* ---- the description ---- */

/* Sizes that it states, of 0.14.1 and of 0.7.0. */
START_TEST(sizes_are_those_of_the_description)
{
    static const struct {
        const char *name;
        size_t oldest, newest;
    } stated[] = {
        {"crash", 28, 28},     {"frame", 12, 12},    {"lone_frame", 20, 20}, {"time_section", 15, 15},
        {"location", 35, 35},  {"lock", 27, 27},     {"lock_event", 12, 12}, {"message", 32, 34},
        {"extra", 9, 12},      {"sample", 11, 11},   {"thread", 16, 29},     {"gpu_begin", 31, 31},
        {"gpu_end", 16, 18},   {"gpu_note", 16, 16}, {"point", 16, 16},      {"memory", 42, 42},
        {"pool", 24, 32},      {"pool_end", 24, 32}, {"code_frame", 12, 12}, {"code_place", 18, 18},
        {"app_info", 9, 9},    {"image", 5, 5},      {"switch", 27, 36},     {"cpu_run", 18, 18},
        {"process", 16, 16},   {"cpu_use", 24, 24},  {"symbol", 32, 32},     {"code_symbol", 16, 16},
        {"zone_count", 10, 10}};
    const struct tk_tracy_layout oldest = tk_tracy_layout_of(TK_TRACY_OLDEST),
                                 newest = tk_tracy_layout_of(TK_TRACY_V(0, 14, 1));
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        size_t k = 0;
        while (k < RECORDS && strcmp(records[k].name, stated[i].name) != 0)
            k++;
        ck_assert_uint_lt(k, RECORDS);
        ck_assert_msg(records[k].size(&oldest) == stated[i].oldest, "%s of 0.7.0", stated[i].name);
        ck_assert_msg(records[k].size(&newest) == stated[i].newest, "%s of 0.14.1", stated[i].name);
    }
}
END_TEST

static void print_all(FILE *to)
{
    fprintf(to, "| record | fields |\n|---|---|\n");
    for (size_t i = 0; i < RECORDS; i++) {
        fprintf(to, "| %s | ", records[i].title);
        records[i].print(to);
        fprintf(to, " |\n");
    }
}

/* All of a stream; the caller frees. */
static char *content(FILE *from)
{
    enum { CAPACITY = 1 << 20 };
    char *text = calloc(1, CAPACITY);
    rewind(from);
    ck_assert_uint_lt(fread(text, 1, CAPACITY - 1, from), CAPACITY - 1);
    fclose(from);
    return text;
}

/* Where it fails, the file records.md in the current directory is what is to stand there. */
START_TEST(the_description_has_the_same_lists)
{
    static const char heading[] = "## 10. Records\n";
    char path[4096];
    snprintf(path, sizeof path, "%s/../docs/format/tracy-file.md", getenv("TK_FIXTURES"));
    FILE *page = fopen(path, "rb"), *made = tmpfile();
    ck_assert_ptr_nonnull(page);
    ck_assert_ptr_nonnull(made);
    print_all(made);
    char *stated = content(page), *lists = content(made);
    const char *chapter = strstr(stated, heading), *table = chapter ? strstr(chapter, "| record |") : NULL;
    if (!table || strncmp(table, lists, strlen(lists)) != 0) {
        FILE *left = fopen("records.md", "wb");
        ck_assert_ptr_nonnull(left);
        fputs(lists, left);
        fclose(left);
        ck_abort_msg(
            "chapter 10 of docs/format/tracy-file.md has other records than records.h; records.md is "
            "what is to stand there");
    }
    free(stated);
    free(lists);
}
END_TEST

int main(void)
{
    const TTest *const each[] = {what_is_put_is_read, where_it_breaks_off};
    const TTest *const once[] = {counts_are_bounded, sizes_are_those_of_the_description,
                                 the_description_has_the_same_lists};
    const int failed = RUN_TESTS_EACH("tracy records", each, RECORDS);
    return RUN_TESTS("tracy records and their description", once) || failed;
}
