/*
 * Files for the tests of io: a directory of their own, removed at the end of each test. First include of a
 * test.
 */
#ifndef TK_TESTS_UNIT_IO_FILES_H
#define TK_TESTS_UNIT_IO_FILES_H

#include "os/posix/posix.h"

#include "run.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char dir[256];

static inline void make_dir(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/tk-unit-io-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

/* The path of a name in the directory, in one of four buffers used in turn. */
static inline const char *in_dir(const char *name)
{
    static char paths[4][sizeof dir + 257];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

/* Names in the directory, hidden ones included. */
static inline int count_files(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    ck_assert_ptr_nonnull(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static inline void remove_dir(void)
{
    DIR *d = opendir(dir);
    ck_assert_ptr_nonnull(d);
    struct dirent *e;
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlink(in_dir(e->d_name)))
            rmdir(in_dir(e->d_name));
    closedir(d);
    ck_assert_int_eq(rmdir(dir), 0);
}

static inline void put_file(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(p, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

/* Up to space bytes of a file; how many there are. */
static inline size_t get_file(const char *path, void *p, size_t capacity)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(p, 1, capacity, f);
    fclose(f);
    return n;
}

/* Bytes that do not repeat soon, half of them easily compressed. */
static inline void fill_bytes(uint8_t *p, size_t n)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        p[i] = (uint8_t)(i / 1024 % 2 ? i >> 10 : state >> 24);
    }
}

#endif
