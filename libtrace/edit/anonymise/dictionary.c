/*
 * Learning, rewriting and finding of texts.
 */
#include "edit/anonymise/dictionary.h"

#include "base/text/glob.h"
#include "edit/anonymise/pieces.h"
#include "os/file.h"
#include "os/process.h"

#include <string.h>

/*
 * Reading of keys.
 */

enum { MOST = 4096, OTHERS_READ = 0044 };

/* What a compiler may not leave out, though nobody reads it again. */
static void wipe(void *p, size_t n)
{
    volatile uint8_t *at = p;
    while (n--)
        *at++ = 0;
}

static int make_key(struct tk_hmac *key, struct tk_err *err)
{
    uint64_t bits[4];
    int rc = TK_OK;
    for (size_t i = 0; i < 4 && rc == TK_OK; i++)
        if (!tk_random(&bits[i]))
            rc = tk_err_set(err, TK_EIO,
                            "the system provides no random numbers for a key; give a key with --key");
    if (rc == TK_OK)
        tk_hmac_key(key, bits, sizeof bits);
    wipe(bits, sizeof bits);
    return rc;
}

static int check_file(const struct tk_os_info *info, const char *path, struct tk_err *err)
{
    if (info->kind == TK_OS_FOLDER)
        return tk_err_set(err, TK_EIO, "the key '%.300s' is a folder", path);
    if (info->kind == TK_OS_FILE && info->access & OTHERS_READ)
        return tk_err_set(
            err, TK_EIO,
            "the key '%.300s' can be read by other users; make it private first, for example with chmod 600",
            path);
    return TK_OK;
}

static int read_file(struct tk_os_file *file, const char *path, struct tk_hmac *key, struct tk_err *err)
{
    uint8_t bytes[MOST + 1];
    struct tk_os_info info;
    size_t got = 0;
    struct tk_os_result r = tk_os_file_info(file, &info);
    if (r.error == TK_OS_OK) {
        const int rc = check_file(&info, path, err);
        if (rc != TK_OK)
            return rc;
        r = tk_os_file_read(file, bytes, sizeof bytes, &got);
    }
    if (r.error != TK_OS_OK)
        return tk_err_set(err, TK_EIO, "cannot read the key '%.300s': %s", path, tk_os_text(r));
    if (got > MOST)
        return tk_err_set(err, TK_EIO, "the key '%.300s' is longer than %d bytes", path, MOST);
    while (got && (bytes[got - 1] == '\n' || bytes[got - 1] == '\r')) /* editors end files with them */
        got--;
    if (!got)
        return tk_err_set(err, TK_EIO,
                          "the key '%.300s' is empty; put a long random text into it, for example with "
                          "'head -c 32 /dev/urandom'",
                          path);
    tk_hmac_key(key, bytes, got);
    wipe(bytes, sizeof bytes);
    return TK_OK;
}

int tk_anon_key_read(struct tk_hmac *key, const char *path, struct tk_err *err)
{
    struct tk_os_file *file;
    if (!path)
        return make_key(key, err);
    const struct tk_os_result r = tk_os_file_open_read(&file, path);
    if (r.error != TK_OS_OK)
        return tk_err_set(err, TK_EIO, "cannot read the key '%.300s': %s", path, tk_os_text(r));
    const int rc = read_file(file, path, key, err);
    (void)tk_os_file_close(file);
    return rc;
}

/*
 * Words of classes.
 */

static const char *const names[TK_ANON_CLASSES] = {
    [TK_ANON_USERS] = "users",       [TK_ANON_ADDRESSES] = "addresses", [TK_ANON_PATHS] = "paths",
    [TK_ANON_COMMANDS] = "commands", [TK_ANON_PROJECT] = "project",     [TK_ANON_LOGS] = "logs",
    [TK_ANON_ASSETS] = "assets",     [TK_ANON_OBJECTS] = "objects",     [TK_ANON_FUNCTIONS] = "functions",
    [TK_ANON_NAMES] = "names",       [TK_ANON_PICTURES] = "pictures",   [TK_ANON_SOURCES] = "sources",
    [TK_ANON_TIMERS] = "timers",
};

#define ALL ((UINT32_C(1) << TK_ANON_CLASSES) - 1)

const char *tk_anon_class_name(enum tk_anon_class c)
{
    return names[c];
}

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

static uint32_t class_of(const char *p, size_t n)
{
    if (is_word(p, n, "all"))
        return ALL;
    for (unsigned i = 0; i < TK_ANON_CLASSES; i++)
        if (is_word(p, n, names[i]))
            return UINT32_C(1) << i;
    return 0;
}

int tk_anon_classes_read(uint32_t *classes, const char *list, struct tk_err *err)
{
    *classes = 0;
    if (!list || !*list) {
        *classes = ALL & ~(UINT32_C(1) << TK_ANON_TIMERS);
        return TK_OK;
    }
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const size_t n = strcspn(p, ",");
        const uint32_t found = class_of(p, n);
        if (!found)
            return tk_err_set(
                err, TK_EUSAGE,
                "'%.*s' is not a class of information: users, addresses, paths, commands, project, "
                "logs, assets, objects, functions, names, pictures, sources, timers, or all",
                (int)(n < 100 ? n : 100), p);
        *classes |= found;
    }
    return TK_OK;
}

enum { MOST_TOKENS = 64, SHORT_NUMBER = 4, MOST_NUMBER = 6 };

/* ---- what stays ---- */

static bool is_number(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

/* People, hosts and command lines may be called by a number or a word that everybody knows. */
static bool is_identity(enum tk_anon_class class, enum tk_anon_form form)
{
    return class == TK_ANON_USERS || class == TK_ANON_ADDRESSES ||
           (class == TK_ANON_COMMANDS && form != TK_ANON_PARTS);
}

/* Nothing but words of our own and, where it is no identity, public words, single letters and short numbers.
 */
static bool is_public(const struct tk_anon *a, bool identity, const uint8_t *p, size_t n)
{
    size_t at = 0, start, digits = 0;
    while (tk_anon_token(p, n, &at, &start)) {
        const size_t size = at - start;
        if (tk_anon_word_is_own(&a->key, p + start, size))
            continue;
        if (identity)
            return false;
        if (is_number(p + start, size))
            digits += size;
        else if (size > 1 && !tk_anon_is_public(p + start, size))
            return false;
        if (digits > SHORT_NUMBER)
            return false;
    }
    return true;
}

/* With all classes nothing stays that somebody wrote: a public word may be all that a name is made of. */
static bool is_everything(const struct tk_anon *a)
{
    return a->classes == (UINT32_C(1) << TK_ANON_CLASSES) - 1;
}

static bool is_kept(const struct tk_anon *a, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < a->n_keep; i++)
        if (tk_glob(a->keep[i], strlen(a->keep[i]), (const char *)p, n, false))
            return true;
    return false;
}

/* ---- the table ---- */

static struct tk_anon_entry *find(const struct tk_anon *a, const uint8_t *p, size_t n)
{
    uint32_t place;
    for (uint64_t key = tk_hash_bytes(p, n, 0); (place = tk_map_get(&a->by_text, key)) != TK_MAP_NONE;
         key++) {
        struct tk_anon_entry *e = &a->entries.v[place];
        if (e->n == n && memcmp(e->text, p, n) == 0)
            return e;
    }
    return NULL;
}

static size_t count_tokens(const uint8_t *p, size_t n)
{
    size_t at = 0, start, count = 0;
    while (count < MOST_TOKENS && tk_anon_token(p, n, &at, &start))
        count++;
    return count;
}

static int note_first(struct tk_anon *a, const uint8_t *p, size_t n)
{
    size_t at = 0, start;
    if (!tk_anon_token(p, n, &at, &start))
        return TK_OK;
    const uint64_t key = tk_hash_bytes(p + start, at - start, 1);
    const uint32_t most = tk_map_get(&a->by_first, key), count = (uint32_t)count_tokens(p, n);
    if (most != TK_MAP_NONE && most >= count)
        return TK_OK;
    return tk_map_put(&a->by_first, key, count) ? TK_ENOMEM : TK_OK;
}

/* The bytes of the first tokens of a text, of which no more are compared. */
static size_t bounded(const uint8_t *p, size_t n)
{
    size_t at = 0, start;
    for (size_t i = 0; i < MOST_TOKENS; i++)
        if (!tk_anon_token(p, n, &at, &start))
            return n;
    return at;
}

static int name_entry(struct tk_anon *a, struct tk_anon_entry *e, uint32_t place)
{
    e->n_word = (uint8_t)tk_anon_word_of(&a->key, e->text, e->n, false, e->word);
    uint64_t key = tk_hash_bytes(e->word, e->n_word, 2);
    if (tk_map_get(&a->by_word, key) != TK_MAP_NONE) {
        e->n_word = (uint8_t)tk_anon_word_of(&a->key, e->text, e->n, true, e->word);
        key = tk_hash_bytes(e->word, e->n_word, 2);
    }
    return tk_map_put(&a->by_word, key, place) ? TK_ENOMEM : TK_OK;
}

static struct tk_anon_entry *add(struct tk_anon *a, enum tk_anon_class class, const uint8_t *p, size_t n)
{
    struct tk_anon_entry e = {.n = (uint32_t)n, .class = class};
    struct tk_anon_entry *old = find(a, p, n);
    const uint32_t place = (uint32_t)a->entries.n;
    if (old)
        return old;
    if (!(e.text = tk_arena_copy(&a->arena, p, n)) || name_entry(a, &e, place) != TK_OK ||
        note_first(a, p, n) != TK_OK || tk_vec_push(&a->entries, e) != 0)
        return NULL;
    uint64_t key = tk_hash_bytes(p, n, 0);
    while (tk_map_get(&a->by_text, key) != TK_MAP_NONE)
        key++;
    return tk_map_put(&a->by_text, key, place) ? NULL : &a->entries.v[place];
}

/* ---- learning ---- */

static int learn_piece(struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form, const uint8_t *p,
                       size_t n, bool stays)
{
    n = bounded(p, n);
    if (is_public(a, is_identity(class, form), p, n))
        return TK_OK;
    struct tk_anon_entry *e = add(a, class, p, n);
    if (!e)
        return TK_ENOMEM;
    e->kept |= stays || is_kept(a, p, n);
    /* the project is one, too, but for public words of its name */
    e->identity |= is_identity(class, form) || class == TK_ANON_PROJECT;
    return TK_OK;
}

/* Words of threads keep the number that distinguishes members of a pool. */
static int learn_thread(struct tk_anon *a, const uint8_t *p, size_t n, bool stays)
{
    const size_t stem = tk_anon_stem(p, n), number = n - stem;
    if (is_public(a, false, p, n) || is_public(a, false, p, stem))
        return TK_OK;
    int rc = learn_piece(a, TK_ANON_NAMES, TK_ANON_THREAD, p, stem, stays);
    if (rc != TK_OK || stem == n || find(a, p, n) || stays || !find(a, p, stem))
        return rc;
    struct tk_anon_entry *whole = add(a, TK_ANON_NAMES, p, n);
    const struct tk_anon_entry *first = find(a, p, stem);
    if (!whole)
        return TK_ENOMEM;
    /* the first may itself be a thread, whose word ends with a number */
    if (number < MOST_NUMBER && first->n_word + number <= sizeof whole->word) {
        memcpy(whole->word, first->word, first->n_word);
        memcpy(whole->word + first->n_word, p + stem, number);
        whole->n_word = (uint8_t)(first->n_word + number);
    }
    whole->kept = first->kept;
    return TK_OK;
}

/* A text with an address in it goes with its own class, too. */
static bool is_chosen(const struct tk_anon *a, enum tk_anon_class class, const struct tk_anon_piece *piece)
{
    return tk_anon_has(a->classes, piece->class) ||
           (piece->class == TK_ANON_ADDRESSES && tk_anon_has(a->classes, class));
}

static int learn_pieces(struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form, const uint8_t *p,
                        size_t n, bool stays)
{
    struct tk_anon_pieces pieces;
    struct tk_anon_piece piece;
    int rc = TK_OK;
    tk_anon_pieces_begin(&pieces, class, form, p, n);
    while (rc == TK_OK && tk_anon_pieces_next(&pieces, &piece)) {
        if (piece.literal || !is_chosen(a, class, &piece))
            continue;
        if (form == TK_ANON_THREAD && piece.class == TK_ANON_NAMES)
            rc = learn_thread(a, piece.p, piece.n, stays);
        else
            rc = learn_piece(a, piece.class, form, piece.p, piece.n, stays);
    }
    return rc;
}

/* Options of a command line whose value is somebody or somewhere. */
static bool is_personal(const uint8_t *p, size_t n)
{
    static const char *const options[] = {"-user", "-username", "-host",  "-hostname", "-computer", "-ip",
                                          "-addr", "-address",  "-login", "-auth",     "-password", "-token",
                                          "-url",  "-name",     "-id",    "-email",    "-tracehost"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (n >= strlen(options[i]) && tk_glob(options[i], strlen(options[i]), (const char *)p, n, true))
            return true;
    return false;
}

static int learn_argument(struct tk_anon *a, const uint8_t *p, size_t n, bool stays)
{
    const uint8_t *sign = memchr(p, '=', n);
    const uint8_t *value = sign ? sign + 1 : p;
    const size_t left = n - (size_t)(value - p);
    if (sign && is_personal(p, (size_t)(sign - p)))
        return learn_pieces(a, TK_ANON_COMMANDS, TK_ANON_WHOLE, value, left, stays);
    if (left && (memchr(value, '/', left) || memchr(value, '\\', left)))
        return learn_pieces(a, TK_ANON_COMMANDS, TK_ANON_PARTS, value, left, stays);
    return TK_OK;
}

static int learn_command(struct tk_anon *a, const uint8_t *p, size_t n, bool stays)
{
    int rc = TK_OK;
    for (size_t at = 0; at < n && rc == TK_OK; at++) {
        size_t size = 0;
        while (at + size < n && p[at + size] != ' ' && p[at + size] != '"')
            size++;
        rc = learn_argument(a, p + at, size, stays);
        at += size;
    }
    return rc;
}

int tk_anon_learn(struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form, const uint8_t *p,
                  size_t n)
{
    const bool stays = is_kept(a, p, n);
    int rc = learn_pieces(a, class, form, p, n, stays);
    if (rc == TK_OK && form == TK_ANON_COMMAND && tk_anon_has(a->classes, TK_ANON_COMMANDS))
        rc = learn_command(a, p, n, stays);
    return rc;
}

/* ---- rewriting ---- */

/* Where tokens of a text begin and end, from one on. */
struct spans {
    size_t end[MOST_TOKENS];
    size_t n;
};

/* Only identities are replaced in it. */
static bool is_spared(const struct tk_anon *a, enum tk_anon_class class)
{
    return class == TK_ANON_TIMERS && tk_anon_keeps_timers(a);
}

/* The longest text that is replaced and begins with the token at `start`. */
static const struct tk_anon_entry *match(const struct tk_anon *a, bool spared, const uint8_t *p, size_t n,
                                         size_t start, size_t first_end)
{
    const uint32_t most = tk_map_get(&a->by_first, tk_hash_bytes(p + start, first_end - start, 1));
    struct spans spans = {.n = 1};
    if (most == TK_MAP_NONE)
        return NULL;
    spans.end[0] = first_end;
    for (size_t at = first_end, from; spans.n < most && tk_anon_token(p, n, &at, &from);)
        spans.end[spans.n++] = at;
    while (spans.n--) {
        const size_t size = spans.end[spans.n] - start;
        const struct tk_anon_entry *e = size >= TK_ANON_SHORTEST ? find(a, p + start, size) : NULL;
        if (e && !e->kept && (!spared || e->identity))
            return e;
    }
    return NULL;
}

typedef void put_word_fn(const struct tk_anon *a, const struct tk_anon_entry *e, struct tk_anon_text *out);

static void put_all_but(const struct tk_anon *a, bool spared, const uint8_t *p, size_t n,
                        put_word_fn *put_word, struct tk_anon_text *out)
{
    size_t at = 0, start, done = 0;
    while (tk_anon_token(p, n, &at, &start)) {
        const struct tk_anon_entry *e = match(a, spared, p, n, start, at);
        if (!e)
            continue;
        tk_anon_put(out, p + done, start - done);
        put_word(a, e, out);
        done = at = start + e->n;
    }
    tk_anon_put(out, p + done, n - done);
}

static void put_as_is(const struct tk_anon *a, const struct tk_anon_entry *e, struct tk_anon_text *out)
{
    (void)a;
    tk_anon_put(out, e->word, e->n_word);
}

/* The number in the word of a thread may be somebody's name. */
static void put_word(const struct tk_anon *a, const struct tk_anon_entry *e, struct tk_anon_text *out)
{
    put_all_but(a, false, (const uint8_t *)e->word, e->n_word, put_as_is, out);
}

/* A text that stays, but for what is replaced elsewhere. */
static void scrub(const struct tk_anon *a, enum tk_anon_class class, const uint8_t *p, size_t n,
                  struct tk_anon_text *out)
{
    put_all_but(a, is_spared(a, class), p, n, put_word, out);
}

static void put_piece(const struct tk_anon *a, enum tk_anon_form form, const struct tk_anon_piece *piece,
                      struct tk_anon_text *out)
{
    const struct tk_anon_entry *e = find(a, piece->p, bounded(piece->p, piece->n));
    char word[TK_ANON_LONGEST];
    if (e && !e->kept) {
        put_word(a, e, out);
    } else if (e || is_kept(a, piece->p, piece->n) ||
               is_public(a, is_everything(a) || is_identity(piece->class, form), piece->p, piece->n)) {
        scrub(a, piece->class, piece->p, piece->n, out);
    } else { /* public words of everything; or a damaged text was read otherwise before */
        tk_anon_put(out, word, tk_anon_word_of(&a->key, piece->p, piece->n, false, word));
    }
}

static void put_thread(const struct tk_anon *a, const struct tk_anon_piece *piece, struct tk_anon_text *out)
{
    const bool whole = is_public(a, is_everything(a), piece->p, piece->n);
    const size_t stem = whole ? piece->n : tk_anon_stem(piece->p, piece->n);
    const struct tk_anon_piece front = {.p = piece->p, .n = stem, .class = piece->class};
    put_piece(a, TK_ANON_THREAD, &front, out);
    scrub(a, piece->class, piece->p + stem, piece->n - stem, out);
}

static bool any_chosen(const struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form,
                       const uint8_t *p, size_t n)
{
    struct tk_anon_pieces pieces;
    struct tk_anon_piece piece;
    tk_anon_pieces_begin(&pieces, class, form, p, n);
    while (tk_anon_pieces_next(&pieces, &piece))
        if (!piece.literal && is_chosen(a, class, &piece))
            return true;
    return false;
}

void tk_anon_rewrite(const struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form,
                     const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    struct tk_anon_pieces pieces;
    struct tk_anon_piece piece;
    if ((a->n_keep && is_kept(a, p, n)) || !any_chosen(a, class, form, p, n)) {
        scrub(a, class, p, n, out);
        return;
    }
    tk_anon_pieces_begin(&pieces, class, form, p, n);
    while (tk_anon_pieces_next(&pieces, &piece)) {
        if (piece.literal)
            tk_anon_put(out, piece.p, piece.n);
        else if (!is_chosen(a, class, &piece))
            scrub(a, piece.class, piece.p, piece.n, out);
        else if (form == TK_ANON_THREAD && piece.class == TK_ANON_NAMES)
            put_thread(a, &piece, out);
        else
            put_piece(a, form, &piece, out);
    }
}

const struct tk_anon_entry *tk_anon_find(const struct tk_anon *a, enum tk_anon_class class, const uint8_t *p,
                                         size_t n)
{
    const bool spared = is_spared(a, class);
    size_t at = 0, start;
    while (tk_anon_token(p, n, &at, &start)) {
        const struct tk_anon_entry *e = match(a, spared, p, n, start, at);
        if (e)
            return e;
    }
    return NULL;
}

void tk_anon_release(struct tk_anon *a)
{
    tk_arena_release(&a->arena);
    tk_vec_release(&a->entries);
    tk_map_release(&a->by_text);
    tk_map_release(&a->by_word);
    tk_map_release(&a->by_first);
    *a = (struct tk_anon){0};
}
