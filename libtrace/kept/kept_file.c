/*
 * The file of what is kept.
 *
 *   "TKKEPT", two digits of a version | identity | of each section: bytes, checksum | checksum of all that
 *   sections, one after another
 */
#include "base/checksum.h"
#include "base/text/copy.h"
#include "io/user_cache.h"
#include "kept/kept_reading.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Which capture it is.
 */

enum { BLOCK = 64 << 10, BETWEEN = 64 };

bool tk_kept_identity_look(struct tk_kept_identity *id, const char *path)
{
    struct tk_os_info info;
    *id = (struct tk_kept_identity){0};
    if (tk_os_path_info(path, &info).error || info.kind != TK_OS_FILE)
        return false;
    *id = (struct tk_kept_identity){.size = info.size,
                                    .changed = info.changed,
                                    .volume = info.volume,
                                    .file = {info.identity[0], info.identity[1]}};
    return true;
}

/* Of a small file all of it is looked at, as it is stored. */
static bool sample(const struct tk_os_file *file, uint64_t size, uint64_t *sum)
{
    uint8_t *block = malloc(BLOCK);
    const uint64_t last = size > BLOCK ? size - BLOCK : 0;
    const uint64_t blocks =
        size <= (uint64_t)BLOCK * (BETWEEN + 2) ? (size + BLOCK - 1) / BLOCK : BETWEEN + 2;
    bool good = block != NULL;
    *sum = size;
    for (uint64_t i = 0; i < blocks && good; i++) {
        const uint64_t at = i == blocks - 1        ? last
                            : blocks < BETWEEN + 2 ? i * BLOCK
                                                   : last / (BETWEEN + 1) * i;
        size_t got = 0;
        good = !tk_os_file_read_at(file, at, block, BLOCK, &got).error && got > 0;
        *sum = good ? tk_checksum_wide(block, got, *sum) : 0;
    }
    free(block);
    return good;
}

/* Made by the build: a checksum of the sources. Other sources may give other answers. */
extern const char tk_kept_build[];

static bool sample_path(const char *path, uint64_t size, uint64_t *sum)
{
    struct tk_os_file *file;
    if (tk_os_file_open_read(&file, path).error)
        return false;
    const bool good = sample(file, size, sum);
    (void)tk_os_file_close(file);
    return good;
}

bool tk_kept_identity_find(struct tk_kept_identity *id, const struct tk_kept_identity *opened,
                           const char *path, const struct tk_limits *limits)
{
    if (!tk_kept_identity_look(id, path) || memcmp(id, opened, sizeof *id) != 0)
        return false;
    id->reader = tk_checksum(tk_kept_build, strlen(tk_kept_build), tk_checksum(limits, sizeof *limits, 0));
    return sample_path(path, id->size, &id->sample);
}

#define MAGIC   "TKKEPT"
#define VERSION MAGIC "05"

enum {
    WORDS = 7 + 2 * TK_KEPT_SECTIONS, /* of 8 bytes, behind the version */
    HEAD = 8 + 8 * (WORDS + 1),
    PARTS = 50,               /* such a part of the capture it may be */
    LEAST_MOST = 8 << 20,     /* bytes that it may be in any case, where it is requested */
    LEAST_CAPTURE = 16 << 20, /* smaller ones are read at once */
    LONG = 2                  /* seconds from which on a reading is worth it */
};

static const struct tk_user_cache *const cache = &tk_user_caches[TK_CACHE_CAPTURES];

static void put64(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void make_head(uint8_t head[HEAD], const struct tk_kept_identity *id, const struct tk_bytes *sections)
{
    uint64_t words[WORDS] = {id->size,    id->changed, id->volume, id->file[0],
                             id->file[1], id->sample,  id->reader};
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++) {
        words[7 + 2 * i] = sections[i].n;
        words[8 + 2 * i] = sections[i].n ? tk_checksum_wide(sections[i].p, sections[i].n, i) : 0;
    }
    memcpy(head, VERSION, 8);
    for (size_t i = 0; i < WORDS; i++)
        put64(head + 8 + 8 * i, words[i]);
    put64(head + HEAD - 8, tk_checksum(head, HEAD - 8, 0));
}

/* ---- reading ---- */

/* Is nothing lost where a file is put in the place of what is at a path? */
static bool may_replace(const char *path)
{
    struct tk_os_file *file;
    struct tk_os_info info;
    uint8_t magic[sizeof MAGIC - 1];
    size_t n = 0;
    if (tk_os_path_info(path, &info).error)
        return tk_os_path_link_info(path, &info).error; /* a link that leads nowhere is something */
    if (info.kind != TK_OS_FILE || !info.size)
        return info.kind == TK_OS_FILE;
    if (tk_os_file_open_read(&file, path).error)
        return false;
    const bool read = !tk_os_file_read_at(file, 0, magic, sizeof magic, &n).error;
    (void)tk_os_file_close(file);
    return read && n == sizeof magic && memcmp(magic, MAGIC, n) == 0;
}

/* All of a small file. NULL: it is not there, is no file, or is larger than it can be. */
static uint8_t *read_all(const char *path, uint64_t most, size_t *n)
{
    struct tk_os_file *file;
    struct tk_os_info info;
    uint8_t *bytes = NULL;
    *n = 0;
    if (tk_os_path_info(path, &info).error || info.kind != TK_OS_FILE) /* opening a pipe would wait */
        return NULL;
    if (tk_os_file_open_read(&file, path).error)
        return NULL;
    if (!tk_os_file_info(file, &info).error && info.kind == TK_OS_FILE && info.size >= HEAD &&
        info.size <= most && (bytes = malloc((size_t)info.size)) != NULL &&
        (tk_os_file_read_at(file, 0, bytes, (size_t)info.size, n).error || *n != info.size)) {
        free(bytes);
        bytes = NULL;
    }
    (void)tk_os_file_close(file);
    return bytes;
}

/* Takes the sections where all that is known of the capture and the sections themselves fit. */
static bool take(struct tk_kept_file *k, size_t n)
{
    uint8_t head[HEAD];
    struct tk_bytes sections[TK_KEPT_SECTIONS];
    size_t at = HEAD;
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++) {
        const uint64_t size = tk_load64(k->bytes + 8 + 8 * (7 + 2 * i));
        if (size > n - at)
            return false;
        sections[i] = (struct tk_bytes){k->bytes + at, (size_t)size};
        at += (size_t)size;
    }
    make_head(head, &k->id, sections);
    if (at != n || memcmp(head, k->bytes, HEAD) != 0)
        return false;
    memcpy(k->kept.has, sections, sizeof sections);
    return true;
}

static void load(struct tk_kept_file *k)
{
    size_t n;
    k->bytes = read_all(k->path, k->kept.most + HEAD, &n);
    if (k->bytes && !take(k, n)) {
        free(k->bytes);
        k->bytes = NULL;
    }
}

/* ---- opening ---- */

/* In the cache files are named by which file it is, as names of captures may be secret. */
static char *find_path(const struct tk_kept_identity *id, const char *where, bool cached)
{
    char path[TK_CACHE_PATH];
    uint8_t name[16];
    if (!cached)
        return tk_os_path_real(where);
    const uint64_t file[] = {id->volume, id->file[0], id->file[1]};
    uint8_t bytes[sizeof file];
    for (size_t i = 0; i < 3; i++)
        put64(bytes + 8 * i, file[i]);
    put64(name, tk_checksum(bytes, sizeof bytes, 1));
    put64(name + 8, tk_checksum(bytes, sizeof bytes, 2));
    return tk_user_cache_path(path, cache, name, sizeof name) ? tk_text_copy(path) : NULL;
}

/* Loads what is there. */
static int open_known(struct tk_kept_file *k, struct tk_err *err)
{
    k->opened = tk_os_seconds();
    k->kept.requested = !k->cached;
    if (k->kept.requested && k->kept.most < LEAST_MOST)
        k->kept.most = LEAST_MOST;
    load(k);
    if (k->cached || k->bytes)
        return TK_OK;
    const struct tk_os_result capacity = tk_user_cache_try(k->path);
    return capacity.error
               ? tk_err_set(err, TK_EOUTPUT, "cannot write the index '%s': %s", k->path, tk_os_text(capacity))
               : TK_OK;
}

int tk_kept_file_open(struct tk_kept_file **out, const char *where, const char *capture,
                      const struct tk_kept_identity *opened, const struct tk_file *file,
                      const struct tk_limits *limits, struct tk_err *err)
{
    const bool cached = strcmp(where, "cache") == 0;
    *out = NULL;
    if (!cached && !may_replace(where))
        return tk_err_set(err, TK_EUSAGE, "'%s' is not an index, and is not replaced", where);
    if (cached && tk_file_size(file) < LEAST_CAPTURE)
        return TK_OK;
    struct tk_kept_file *k = calloc(1, sizeof *k);
    if (!k || !tk_kept_identity_find(&k->id, opened, capture, limits)) {
        free(k);
        return TK_OK;
    }
    k->cached = cached;
    k->kept.most = tk_file_size(file) / PARTS;
    k->path = find_path(&k->id, where, cached);
    k->capture = tk_text_copy(capture);
    const bool good = k->path && k->capture;
    const int rc = good ? open_known(k, err) : TK_OK;
    if (good && rc == TK_OK)
        *out = k;
    else
        tk_kept_file_close(k);
    return rc;
}

/* ---- writing ---- */

/* Is it still the file that was read? */
static bool is_same(const struct tk_kept_file *k)
{
    struct tk_kept_identity now;
    if (!tk_kept_identity_look(&now, k->capture))
        return false;
    now.sample = k->id.sample;
    now.reader = k->id.reader;
    return memcmp(&now, &k->id, sizeof now) == 0;
}

/* The sections that are there now; of too many bytes that of packets goes, as walking over them is quick, and
 * then that of answers. */
static size_t choose(const struct tk_kept_file *k, struct tk_bytes sections[TK_KEPT_SECTIONS])
{
    size_t n = 0;
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++) {
        const struct tk_kept_bytes *made = &k->kept.made[i];
        const bool is_new = made->bytes.n && !made->failed;
        sections[i] = is_new ? (struct tk_bytes){made->bytes.v, made->bytes.n} : k->kept.has[i];
        n += sections[i].n;
    }
    static const enum tk_kept_section less[] = {TK_KEPT_PACKETS, TK_KEPT_ANSWERS};
    for (size_t i = 0; i < sizeof less / sizeof *less && n > k->kept.most; i++) {
        n -= sections[less[i]].n;
        sections[less[i]].n = 0;
    }
    return n;
}

static void save(const struct tk_kept_file *k)
{
    struct tk_bytes sections[TK_KEPT_SECTIONS];
    const size_t n = choose(k, sections) + HEAD;
    size_t at = HEAD;
    uint8_t *bytes = n > HEAD && n - HEAD <= k->kept.most ? malloc(n) : NULL;
    if (!bytes)
        return;
    make_head(bytes, &k->id, sections);
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++) {
        if (sections[i].n)
            memcpy(bytes + at, sections[i].p, sections[i].n);
        at += sections[i].n;
    }
    if (!k->cached && may_replace(k->path)) /* the question may have written there */
        (void)tk_user_cache_write(k->path, bytes, n);
    else if (k->cached && tk_user_cache_put(cache, k->path, bytes, n))
        tk_user_cache_trim(cache);
    free(bytes);
}

void tk_kept_file_close(struct tk_kept_file *k)
{
    if (!k)
        return;
    bool made = false;
    if (k->kept.spoilt)
        tk_kept_release(&k->kept.made[TK_KEPT_SCOPES]);
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++)
        made |= k->kept.made[i].bytes.n && !k->kept.made[i].failed;
    if (made && (k->kept.requested || tk_os_seconds() - k->opened > (double)LONG) && is_same(k))
        save(k);
    for (size_t i = 0; i < TK_KEPT_SECTIONS; i++)
        tk_kept_release(&k->kept.made[i]);
    free(k->bytes);
    free(k->path);
    free(k->capture);
    free(k);
}
