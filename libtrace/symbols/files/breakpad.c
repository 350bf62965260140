/*
 * Symbols as text.
 */
#include "base/hash.h"
#include "symbols/files/image.h"
#include "symbols/files/symbol_file.h"

enum { MOST_DEPTH = 256 };

/* ---- words ---- */

static struct tk_bytes take_line(struct tk_cur *cur)
{
    size_t left = tk_cur_left(cur);
    const uint8_t *end = left ? memchr(cur->p, '\n', left) : NULL;
    size_t n = end ? (size_t)(end - cur->p) : left;
    struct tk_bytes line = {cur->p, n};
    cur->p += end ? n + 1 : n;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static struct tk_bytes take_word(struct tk_bytes *line)
{
    size_t at = 0, n;
    while (at < line->n && line->p[at] == ' ')
        at++;
    for (n = at; n < line->n && line->p[n] != ' '; n++)
        continue;
    struct tk_bytes word = {line->p + at, n - at};
    line->p += n;
    line->n -= n;
    return word;
}

/* What is left of a line behind the space. */
static struct tk_bytes rest_of(struct tk_bytes line)
{
    return line.n && line.p[0] == ' ' ? (struct tk_bytes){line.p + 1, line.n - 1} : line;
}

static bool is_word(struct tk_bytes word, const char *text)
{
    return word.n == strlen(text) && memcmp(word.p, text, word.n) == 0;
}

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_number(struct tk_bytes word, unsigned base, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < word.n; i++) {
        int d = digit_of(word.p[i]);
        if (d < 0 || (unsigned)d >= base || v > (UINT64_MAX - (unsigned)d) / base)
            return false;
        v = v * base + (unsigned)d;
    }
    *out = v;
    return word.n > 0;
}

static bool take_number(struct tk_bytes *line, unsigned base, uint64_t *out)
{
    return read_number(take_word(line), base, out);
}

/* ---- identity ---- */

bool tk_breakpad_head(struct tk_bytes bytes, struct tk_breakpad_head *head)
{
    struct tk_cur cur = tk_cur_of(bytes.p, bytes.n < 4096 ? bytes.n : 4096);
    struct tk_bytes line = take_line(&cur);
    if (!is_word(take_word(&line), "MODULE"))
        return false;
    head->system = take_word(&line);
    head->machine = take_word(&line);
    head->id = take_word(&line);
    head->name = rest_of(line);
    return head->id.n > 0;
}

static bool has_bytes(struct tk_bytes id, const uint8_t *order, const uint8_t *wanted)
{
    for (unsigned i = 0; i < 16; i++) {
        int high = digit_of(id.p[2 * i]), low = digit_of(id.p[2 * i + 1]);
        if (high < 0 || low < 0 || high * 16 + low != wanted[order[i]])
            return false;
    }
    return true;
}

bool tk_breakpad_has_id(struct tk_bytes id, const uint8_t *wanted, uint32_t n)
{
    static const uint8_t plain[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t guid[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    return id.n >= 32 && n >= 16 && (has_bytes(id, plain, wanted) || has_bytes(id, guid, wanted));
}

/* ---- reading ---- */

struct frame {
    uint32_t origin, file, line; /* of the call */
    uint32_t around;
    uint32_t depth;
};

struct reading {
    struct tk_sym_question *questions;
    size_t n;
    struct tk_sym_answers *answers;
    struct tk_map files, origins; /* number -> place in texts */
    TK_VEC(struct tk_bytes) texts;

    /* the function */
    struct tk_bytes name;
    size_t first, n_inside;
    TK_VEC(struct frame) frames; /* inlined calls that hold a question */
    uint32_t *innermost;         /* by question: place of a frame, or UINT32_MAX */
    struct {
        uint32_t file, line;
    } * rows; /* by question; file UINT32_MAX: none */
};

static int put_text(struct reading *r, struct tk_map *map, uint64_t number, struct tk_bytes text)
{
    if (r->texts.n >= TK_MAP_NONE - 1 || tk_vec_push(&r->texts, text))
        return -1;
    return tk_map_put(map, number, (uint32_t)r->texts.n - 1);
}

/* FILE and INLINE_ORIGIN, which may come behind what refers to them. */
static int read_names(struct reading *r, struct tk_bytes bytes)
{
    struct tk_cur cur = tk_cur_of(bytes.p, bytes.n);
    int rc = 0;
    while (tk_cur_left(&cur) && rc == 0) {
        struct tk_bytes line = take_line(&cur), word = take_word(&line);
        uint64_t number;
        bool file = is_word(word, "FILE"), origin = is_word(word, "INLINE_ORIGIN");
        if ((file || origin) && take_number(&line, 10, &number))
            rc = put_text(r, file ? &r->files : &r->origins, number, rest_of(line));
    }
    return rc;
}

static struct tk_bytes text_of(const struct reading *r, const struct tk_map *map, uint32_t number)
{
    uint32_t at = number == UINT32_MAX ? TK_MAP_NONE : tk_map_get(map, number);
    return at == TK_MAP_NONE ? (struct tk_bytes){NULL, 0} : r->texts.v[at];
}

static const struct tk_str *file_of(struct reading *r, uint32_t number)
{
    struct tk_sym_path path = {.n = 0};
    tk_sym_path_add(&path, text_of(r, &r->files, number));
    return tk_sym_text(r->answers, path.text, path.n);
}

static void answer_one(struct reading *r, size_t i)
{
    struct tk_sym_question *q = &r->questions[i];
    uint32_t file = r->rows[i].file, line = r->rows[i].line;
    if (q->n)
        return;
    for (uint32_t at = r->innermost[i]; at != UINT32_MAX; at = r->frames.v[at].around) {
        const struct frame *f = &r->frames.v[at];
        struct tk_bytes name = text_of(r, &r->origins, f->origin);
        tk_sym_add(r->answers, q,
                   (struct tk_sym_frame){tk_sym_function(r->answers, (const char *)name.p, name.n),
                                         file_of(r, file), line});
        file = f->file;
        line = f->line;
    }
    tk_sym_add(r->answers, q,
               (struct tk_sym_frame){tk_sym_function(r->answers, (const char *)r->name.p, r->name.n),
                                     file_of(r, file), line});
}

static void close_function(struct reading *r)
{
    for (size_t i = r->first; i < r->first + r->n_inside; i++)
        answer_one(r, i);
    r->n_inside = 0;
    r->frames.n = 0;
}

static void open_function(struct reading *r, struct tk_bytes line)
{
    uint64_t from, size, parameters;
    struct tk_bytes before = line;
    if (!is_word(take_word(&line), "m"))
        line = before;
    if (!take_number(&line, 16, &from) || !take_number(&line, 16, &size) ||
        !take_number(&line, 16, &parameters))
        return;
    r->name = rest_of(line);
    r->first = tk_sym_from(r->questions, r->n, from);
    for (size_t i = r->first; i < r->n && r->questions[i].address - from < size; i++, r->n_inside++) {
        r->innermost[i] = UINT32_MAX;
        r->rows[i].file = UINT32_MAX;
        r->rows[i].line = 0;
    }
}

static uint32_t narrow(uint64_t v)
{
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* Where the questions of the function begin that a range may hold. */
static size_t inside_from(const struct reading *r, uint64_t from)
{
    return r->first + tk_sym_from(r->questions + r->first, r->n_inside, from);
}

static void take_row(struct reading *r, struct tk_bytes first, struct tk_bytes line)
{
    uint64_t from, size, number, file;
    if (!read_number(first, 16, &from) || !take_number(&line, 16, &size) ||
        !take_number(&line, 10, &number) || !take_number(&line, 10, &file))
        return;
    size_t end = r->first + r->n_inside;
    for (size_t i = inside_from(r, from); i < end && r->questions[i].address - from < size; i++) {
        r->rows[i].file = narrow(file);
        r->rows[i].line = number > UINT32_MAX ? 0 : (uint32_t)number;
    }
}

static int mark_range(struct reading *r, struct frame f, uint64_t from, uint64_t size)
{
    size_t end = r->first + r->n_inside;
    for (size_t i = inside_from(r, from); i < end && r->questions[i].address - from < size; i++) {
        f.around = r->innermost[i];
        if (f.around != UINT32_MAX && r->frames.v[f.around].depth >= f.depth)
            continue;
        if (r->frames.n >= UINT32_MAX || tk_vec_push(&r->frames, f))
            return -1;
        r->innermost[i] = (uint32_t)(r->frames.n - 1);
    }
    return 0;
}

static int take_inline(struct reading *r, struct tk_bytes line)
{
    uint64_t depth, call_line, call_file, origin, from, size;
    int rc = 0;
    if (!take_number(&line, 10, &depth) || !take_number(&line, 10, &call_line) ||
        !take_number(&line, 10, &call_file) || !take_number(&line, 10, &origin) || depth >= MOST_DEPTH)
        return 0;
    struct frame f = {.origin = narrow(origin),
                      .file = narrow(call_file),
                      .line = call_line > UINT32_MAX ? 0 : (uint32_t)call_line,
                      .depth = (uint32_t)depth};
    while (rc == 0 && take_number(&line, 16, &from) && take_number(&line, 16, &size))
        rc = mark_range(r, f, from, size);
    return rc;
}

static int read_functions(struct reading *r, struct tk_bytes bytes)
{
    struct tk_cur cur = tk_cur_of(bytes.p, bytes.n);
    int rc = 0;
    while (tk_cur_left(&cur) && rc == 0) {
        struct tk_bytes line = take_line(&cur), word = take_word(&line);
        if (is_word(word, "FUNC")) {
            close_function(r);
            open_function(r, line);
        } else if (is_word(word, "INLINE") && r->n_inside) {
            rc = take_inline(r, line);
        } else if (is_word(word, "PUBLIC") || is_word(word, "STACK")) {
            close_function(r);
        } else if (r->n_inside) {
            take_row(r, word, line);
        }
    }
    close_function(r);
    return rc;
}

/* ---- public names ---- */

struct public
{
    uint64_t address;
    struct tk_bytes name;
};

static int by_address(const void *a, const void *b)
{
    const struct public *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static bool any_open(const struct reading *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->questions[i].n)
            return true;
    return false;
}

static int read_publics(struct reading *r, struct tk_bytes bytes)
{
    TK_VEC(struct public) v = {0};
    struct tk_cur cur = tk_cur_of(bytes.p, bytes.n);
    int rc = 0;
    bool open = any_open(r);
    while (open && tk_cur_left(&cur) && rc == 0) {
        struct tk_bytes line = take_line(&cur);
        struct public one;
        uint64_t parameters;
        if (!is_word(take_word(&line), "PUBLIC"))
            continue;
        struct tk_bytes before = line;
        if (!is_word(take_word(&line), "m"))
            line = before;
        if (take_number(&line, 16, &one.address) && take_number(&line, 16, &parameters)) {
            one.name = rest_of(line);
            rc = tk_vec_push(&v, one);
        }
    }
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_address);
    for (size_t i = 0; i < r->n && v.n && rc == 0; i++) {
        size_t at;
        TK_SEARCH(at, v.n, v.v[at].address <= r->questions[i].address);
        if (at && !r->questions[i].n)
            tk_sym_add(r->answers, &r->questions[i],
                       (struct tk_sym_frame){.function =
                                                 tk_sym_function(r->answers, (const char *)v.v[at - 1].name.p,
                                                                 v.v[at - 1].name.n)});
    }
    tk_vec_release(&v);
    return rc;
}

void tk_breakpad_resolve(struct tk_bytes bytes, struct tk_sym_question *questions, size_t n,
                         struct tk_sym_answers *answers)
{
    struct reading r = {.questions = questions, .n = n, .answers = answers};
    r.innermost = malloc((n + 1) * sizeof *r.innermost);
    r.rows = malloc((n + 1) * sizeof *r.rows);
    if (!r.innermost || !r.rows || read_names(&r, bytes) || read_functions(&r, bytes) ||
        read_publics(&r, bytes))
        answers->failed = true;
    free(r.innermost);
    free(r.rows);
    tk_map_release(&r.files);
    tk_map_release(&r.origins);
    tk_vec_release(&r.texts);
    tk_vec_release(&r.frames);
}
