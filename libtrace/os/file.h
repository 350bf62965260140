/*
 * Files as handles: captures, outputs and what is held back. Names are UTF-8, bytes stay as they are, nothing
 * is inherited by other programs, and a terminal that is opened does not become that of the process.
 *
 * One thread uses a handle at a time, but tk_os_file_read_at may be called by several.
 */
#ifndef TK_OS_FILE_H
#define TK_OS_FILE_H

#include "os/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_os_file;

enum tk_os_kind { TK_OS_FILE, TK_OS_FOLDER, TK_OS_DEVICE, TK_OS_PIPE };

struct tk_os_info {
    enum tk_os_kind kind;
    uint64_t size;                /* in bytes; of a file alone */
    uint64_t volume, identity[2]; /* for tk_os_is_same */
    unsigned access;              /* for tk_os_file_copy_access */
    int64_t modified;             /* when it was changed last, in seconds since 1970 */
    bool own;                     /* of this user; true where the system does not say */
    uint64_t changed;             /* differs after a change of its bytes; as fine as the system has it */
};

/* Are two the same file, as long as it is there? */
static inline bool tk_os_is_same(const struct tk_os_info *a, const struct tk_os_info *b)
{
    return a->volume == b->volume && a->identity[0] == b->identity[0] && a->identity[1] == b->identity[1];
}

/* An existing file, folder, device or pipe. Others may write, replace and remove it meanwhile. */
struct tk_os_result tk_os_file_open_read(struct tk_os_file **out, const char *path);

/* A file that must not exist, to be written. */
struct tk_os_result tk_os_file_create(struct tk_os_file **out, const char *path);

/* The same for a file that only the user may read, where the system knows that. */
struct tk_os_result tk_os_file_create_private(struct tk_os_file **out, const char *path);

/* An existing device or pipe, to be written. */
struct tk_os_result tk_os_file_open_write(struct tk_os_file **out, const char *path);

/* An existing file, whose end is written to. */
struct tk_os_result tk_os_file_open_append(struct tk_os_file **out, const char *path);

/* A file without a name in a folder, to be written and read. It is gone with its handle, and with the
 * process. */
struct tk_os_result tk_os_file_create_nameless(struct tk_os_file **out, const char *folder);

/* Where such files go unless somebody says otherwise: TMPDIR, else what the system has for that. */
const char *tk_os_temporary_folder(void);

/* Standard input, output. They stay open, whoever closes them. */
struct tk_os_file *tk_os_standard_input(void);
struct tk_os_file *tk_os_standard_output(void);

/* A descriptor of the program, which stays open when the handle is closed. One that is not open fails when
 * it is used. */
struct tk_os_result tk_os_file_of_descriptor(struct tk_os_file **out, int descriptor);

struct tk_os_result tk_os_file_info(const struct tk_os_file *f, struct tk_os_info *info);

/* Does a file stand at its start? One on standard input may have been read in part. */
bool tk_os_file_at_start(const struct tk_os_file *f);

/* Reads n bytes at an offset, fewer only where the file ends: *got, which also counts what came before a
 * failure. It moves no position. */
struct tk_os_result tk_os_file_read_at(const struct tk_os_file *f, uint64_t at, void *p, size_t n,
                                       size_t *got);

/* Reads the next n bytes, fewer only at the end. Not for a handle that tk_os_file_read_at reads. */
struct tk_os_result tk_os_file_read(struct tk_os_file *f, void *p, size_t n, size_t *got);

/* Writes all n bytes. A reader that has gone is TK_OS_CLOSED_PIPE and no signal, whatever the program does
 * about that. */
struct tk_os_result tk_os_file_write(struct tk_os_file *f, const void *p, size_t n);

/* Takes away what a file holds from an offset on, which is not behind its end. Nothing is written to it
 * afterwards. */
struct tk_os_result tk_os_file_cut(struct tk_os_file *f, uint64_t size);

/* Gives a file the permissions of another one. */
struct tk_os_result tk_os_file_copy_access(struct tk_os_file *f, const struct tk_os_info *from);

/* Bytes that may still be written to the disk of a file; UINT64_MAX where that is not known, as of a pipe or
 * a device. */
uint64_t tk_os_file_space(const struct tk_os_file *f);

/* Brings to the disk what was written. TK_OS_OK, too, where the system cannot do that for such a file. */
struct tk_os_result tk_os_file_sync(struct tk_os_file *f);

/* Closes and frees, also when it fails: then something that was written is lost. NULL is allowed. */
struct tk_os_result tk_os_file_close(struct tk_os_file *f);

/*
 * Mapped files: a file as memory, for the windows of io/input. While a file is mapped a SIGBUS handler is
 * installed: a page that is gone (the file was cut, or the disk fails) reads as zeros and the mapping
 * remembers it. Other SIGBUS go to the handler that was there before.
 */

struct tk_os_map;

/* A view of the first `bytes` bytes of a file; NULL when there are too many already or the system refuses. */
struct tk_os_map *tk_os_map_open(const struct tk_os_file *f, uint64_t bytes);

/* Its bytes, as long as the view is open. */
const uint8_t *tk_os_map_bytes(const struct tk_os_map *view);

/* Gives up the memory behind n bytes from an offset on, a multiple of TK_OS_MAP_ALIGN; they come back when
 * they are touched again. */
void tk_os_map_leave(struct tk_os_map *view, uint64_t offset, size_t n);

/* No page is larger. */
#define TK_OS_MAP_ALIGN ((uint64_t)64 << 10)

/* Did a page turn out to be gone since the view was opened? */
bool tk_os_map_faulted(const struct tk_os_map *view);

void tk_os_map_close(struct tk_os_map *view);

#endif
