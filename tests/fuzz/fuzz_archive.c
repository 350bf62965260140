/*
 * Archives: the input is the file. Members are listed and looked into, and the whole is opened, alone and by
 * the name of the first member.
 */
#include "io/archive.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void look(const char *path, char first[64])
{
    struct tk_limits limits = tk_limits_default();
    struct tk_archive list;
    struct tk_err err;
    struct tk_file *file;
    uint8_t head[512];
    size_t n;
    if (tk_file_open(&file, path, NULL, &limits, NULL, &err) != TK_OK)
        return;
    if (tk_file_read(file, 0, head, sizeof head, &n, &err) == TK_OK && tk_archive_is(head, n)) {
        (void)tk_archive_list(&list, file, &limits, &err);
        for (size_t i = 0; i < list.members.n; i++) {
            const struct tk_archive_member *m = &list.members.v[i];
            fuzz_promise(m->stored <= tk_file_size(file) && m->at <= tk_file_size(file) - m->stored,
                         "a member lies in the archive");
            (void)tk_archive_head(file, m, head, sizeof head, &n, &err);
            fuzz_promise(n <= sizeof head, "no more than there is room for");
        }
        if (list.members.n)
            snprintf(first, 64, "%s", list.members.v[0].name);
        tk_archive_release(&list);
    }
    tk_file_close(file);
}

static void open_by(const char *path)
{
    struct tk_options opt = TK_INIT(struct tk_options);
    struct tk_trace *trace;
    struct tk_err err;
    const int rc = tk_open(&trace, path, &opt, &err);
    fuzz_error(rc, &err);
    if (rc == TK_OK)
        tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char first[64] = "", member[4096];
    const char *path = fuzz_path(data, size);
    look(path, first);
    open_by(path);
    snprintf(member, sizeof member, "%s/%s", path, first);
    open_by(member);
    return 0;
}
