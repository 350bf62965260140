/*
 * Reading of keys. See key.h.
 */
#include "edit/anonymise/key.h"

#include "os/file.h"
#include "os/random.h"

#include <string.h>

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
