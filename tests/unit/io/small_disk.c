/*
 * A disk that is as small as a test says: what the system reports the space for a file is made up.
 */
#include "small_disk.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

uint64_t small_disk;

/* In place of the system's. */
int fstatvfs(int fd, struct statvfs *disk)
{
    const uint64_t large = UINT64_C(1) << 50, free_bytes = small_disk ? small_disk : large;
    struct stat st;
    if (fstat(fd, &st))
        return -1;
    const uint64_t size = (uint64_t)st.st_size;
    memset(disk, 0, sizeof *disk);
    disk->f_bsize = disk->f_frsize = 1;
    disk->f_blocks = (fsblkcnt_t)(2 * large);
    disk->f_bavail = disk->f_bfree = (fsblkcnt_t)(free_bytes > size ? free_bytes - size : 0);
    return 0;
}
