/*
 * stat and its like for programs with MemorySanitizer. Since glibc 2.33 they are functions under these names,
 * which the sanitizer of clang 14 does not know: it takes what they fill for undefined. Here it sees that all
 * is written. script/instrument compiles this file twice, for the names with and without 64 bits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fill(int fd, const char *path, struct stat *st, int flags)
{
    memset(st, 0, sizeof *st);
    return (int)syscall(SYS_newfstatat, fd, path, st, flags);
}

int stat(const char *path, struct stat *st)
{
    return fill(AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
    return fill(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
    return fill(fd, "", st, AT_EMPTY_PATH);
}
