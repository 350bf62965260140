/* Outputs: complete or not there at all; devices, pipes, full disks. */
#include "files.h"
#include "io/output.h"
#include "small_disk.h"
#include "tracekit.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <zstd.h>

enum { SIZE = 700000 };

static uint8_t bytes[SIZE], back[SIZE + 1];

static struct tk_output *open_ok(const char *path, bool force)
{
    struct tk_output *o;
    struct tk_err err = {0};
    int rc = tk_output_open(&o, path, force, &err);
    ck_assert_msg(rc == TK_OK, "%s", err.text[0]);
    return o;
}

static void check_refused(const char *path, bool force, const char *why)
{
    struct tk_output *o = (struct tk_output *)bytes;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_output_open(&o, path, force, &err), TK_EOUTPUT);
    ck_assert_ptr_null(o);
    ck_assert_int_eq(err.code, TK_EOUTPUT);
    ck_assert_msg(strstr(err.text[0], why) != NULL, "%s", err.text[0]);
    ck_assert_int_eq(tk_output_open(&o, path, force, NULL), TK_EOUTPUT);
}

static void check_file(const char *path, const void *p, size_t n)
{
    ck_assert_uint_eq(get_file(path, back, sizeof back), n);
    ck_assert(memcmp(back, p, n) == 0);
}

START_TEST(file_appears_when_complete)
{
    make_dir();
    fill_bytes(bytes, SIZE);
    struct tk_output *o = open_ok(in_dir("a.csv"), false);
    for (size_t at = 0, k = 0; at < SIZE; at += k) {
        k = at % 5 == 0 ? 1 : at * 7 % 200003 + 1;
        k = k < SIZE - at ? k : SIZE - at;
        ck_assert_int_eq(tk_output_write(o, bytes + at, k, NULL), TK_OK);
        ck_assert_int_ne(access(in_dir("a.csv"), F_OK), 0);
    }
    ck_assert_int_eq(tk_output_write(o, NULL, 0, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    check_file(in_dir("a.csv"), bytes, SIZE);
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

START_TEST(discarded_file_leaves_nothing)
{
    make_dir();
    struct tk_output *o = open_ok(in_dir("a"), false);
    ck_assert_int_eq(tk_output_write(o, bytes, SIZE, NULL), TK_OK);
    ck_assert_int_eq(count_files(), 1);
    tk_output_discard(o);
    ck_assert_int_eq(count_files(), 0);
    tk_output_discard(NULL);
    put_file(in_dir("a"), "old", 3);
    o = open_ok(in_dir("a"), true);
    ck_assert_int_eq(tk_output_write(o, "new", 3, NULL), TK_OK);
    tk_output_discard(o);
    check_file(in_dir("a"), "old", 3);
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

START_TEST(existing_file_is_kept_without_force)
{
    make_dir();
    put_file(in_dir("a"), "old", 3);
    check_refused(in_dir("a"), false, "file exists");
    check_file(in_dir("a"), "old", 3);
    ck_assert_int_eq(count_files(), 1);
    struct tk_output *o = open_ok(in_dir("a"), true);
    ck_assert_int_eq(tk_output_write(o, "newer", 5, NULL), TK_OK);
    check_file(in_dir("a"), "old", 3);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    check_file(in_dir("a"), "newer", 5);
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

START_TEST(file_that_came_meanwhile_is_kept)
{
    make_dir();
    struct tk_output *o = open_ok(in_dir("a"), false);
    ck_assert_int_eq(tk_output_write(o, "mine", 4, NULL), TK_OK);
    put_file(in_dir("a"), "theirs", 6);
    struct tk_err err = {0};
    ck_assert_int_eq(tk_output_commit(o, &err), TK_EOUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text[0], "file exists"));
    check_file(in_dir("a"), "theirs", 6);
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

START_TEST(two_outputs_of_one_name)
{
    make_dir();
    struct tk_output *a = open_ok(in_dir("a"), false), *b = open_ok(in_dir("a"), false);
    ck_assert_int_eq(tk_output_write(a, "A", 1, NULL), TK_OK);
    ck_assert_int_eq(tk_output_write(b, "B", 1, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(b, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(a, NULL), TK_EOUTPUT);
    check_file(in_dir("a"), "B", 1);
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

/* Of a process that was killed, with an id that comes again. */
START_TEST(leftovers_are_not_in_the_way)
{
    enum { LEFTOVERS = 20 };
    struct tk_new_folder folder;
    char name[64];
    make_dir();
    for (unsigned i = 0; i < LEFTOVERS; i++) {
        snprintf(name, sizeof name, ".tracekit-%ld-%u.part", (long)getpid(), i);
        put_file(in_dir(name), "left", 4);
    }
    struct tk_output *o = open_ok(in_dir("a"), false);
    ck_assert_int_eq(tk_folder_make(&folder, in_dir("f/"), false, NULL), TK_OK);
    ck_assert_int_eq(count_files(), LEFTOVERS + 2);
    ck_assert_int_eq(tk_folder_keep(&folder, NULL), TK_OK);
    ck_assert_int_eq(tk_output_write(o, "new", 3, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    check_file(in_dir("a"), "new", 3);
    check_file(in_dir(name), "left", 4);
    ck_assert_int_eq(access(in_dir("f"), F_OK), 0);
    ck_assert_int_eq(count_files(), LEFTOVERS + 2);
    remove_dir();
}
END_TEST

/* Makes all unfinished things in the folder look as if nobody had changed them for two hours. */
static void make_old(void)
{
    const struct timespec past[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    const struct dirent *entry;
    DIR *d = opendir(dir);
    ck_assert_ptr_nonnull(d);
    while ((entry = readdir(d)))
        if (strncmp(entry->d_name, ".tracekit-", 10) == 0)
            ck_assert_int_eq(utimensat(dirfd(d), entry->d_name, past, 0), 0);
    closedir(d);
}

/* However old it looks. */
START_TEST(what_is_written_is_not_taken_for_left)
{
    struct tk_new_folder folder;
    struct tk_output_set *set;
    struct tk_output *in_set, *other;
    make_dir();
    struct tk_output *o = open_ok(in_dir("a"), false);
    ck_assert_int_eq(tk_folder_make(&folder, in_dir("f"), false, NULL), TK_OK);
    ck_assert_int_eq(tk_output_set_new(&set, NULL, NULL), TK_OK);
    ck_assert_int_eq(tk_output_open_in(&in_set, set, in_dir("b"), false, TK_PACKING_NONE, NULL), TK_OK);
    make_old();
    other = open_ok(in_dir("c"), false);
    ck_assert_int_eq(count_files(), 4);
    ck_assert_int_eq(tk_output_commit(in_set, NULL), TK_OK);
    make_old();
    tk_output_discard(other);
    other = open_ok(in_dir("c"), false);
    ck_assert_int_eq(tk_output_commit(other, NULL), TK_OK);
    ck_assert_int_eq(access(in_dir("b"), F_OK), -1);
    ck_assert_int_eq(tk_output_set_commit(set, NULL), TK_OK);
    ck_assert_int_eq(tk_folder_keep(&folder, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    ck_assert_int_eq(count_files(), 4);
    remove_dir();
}
END_TEST

/* The first file gets its name last, and what came meanwhile keeps it from that. */
START_TEST(files_of_a_set_come_all_or_none)
{
    struct tk_output_set *set;
    struct tk_output *first, *second, *third;
    make_dir();
    put_file(in_dir("second"), "old", 3);
    ck_assert_int_eq(tk_output_set_new(&set, NULL, NULL), TK_OK);
    ck_assert_int_eq(tk_output_open_in(&first, set, in_dir("first"), false, TK_PACKING_NONE, NULL), TK_OK);
    ck_assert_int_eq(tk_output_open_in(&second, set, in_dir("second"), true, TK_PACKING_NONE, NULL), TK_OK);
    ck_assert_int_eq(tk_output_open_in(&third, set, in_dir("third"), false, TK_PACKING_NONE, NULL), TK_OK);
    ck_assert_int_eq(tk_output_write(second, "new", 3, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(third, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(first, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(second, NULL), TK_OK);
    put_file(in_dir("first"), "theirs", 6);
    struct tk_err err = {0};
    ck_assert_int_eq(tk_output_set_commit(set, &err), TK_EOUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text[0], "file exists"));
    check_file(in_dir("first"), "theirs", 6);
    check_file(in_dir("second"), "old", 3);
    ck_assert_int_eq(count_files(), 2);
    remove_dir();
}
END_TEST

/* More files than are open at a time, with more bytes than they hold back, in turns. */
START_TEST(files_of_a_set_are_written_in_turns)
{
    enum { FILES = 12, BYTES = 50000, TURNS = 9 };
    struct tk_output_set *set;
    struct tk_output *o[FILES];
    char name[8];
    uint8_t *whole = malloc(BYTES * TURNS);
    make_dir();
    ck_assert_int_eq(tk_output_set_new(&set, NULL, NULL), TK_OK);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(tk_output_open_in(&o[i], set, in_dir(name), false, TK_PACKING_NONE, NULL), TK_OK);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < FILES; i++) {
            memset(whole, turn * FILES + i, BYTES);
            ck_assert_int_eq(tk_output_write(o[i], whole, BYTES, NULL), TK_OK);
        }
    for (int i = 0; i < FILES; i++)
        ck_assert_int_eq(tk_output_commit(o[i], NULL), TK_OK);
    ck_assert_int_eq(tk_output_set_commit(set, NULL), TK_OK);
    for (int i = 0; i < FILES; i++) {
        for (int turn = 0; turn < TURNS; turn++)
            memset(whole + turn * BYTES, turn * FILES + i, BYTES);
        snprintf(name, sizeof name, "%d", i);
        check_file(in_dir(name), whole, BYTES * TURNS);
    }
    ck_assert_int_eq(count_files(), FILES);
    free(whole);
    remove_dir();
}
END_TEST

START_TEST(what_cannot_be_written_is_refused)
{
    make_dir();
    check_refused(dir, true, "is a directory");
    check_refused(in_dir("no/file"), false, "no such file or directory");
    put_file(in_dir("a"), "x", 1);
    check_refused(in_dir("a/b"), false, "not a directory");
    ck_assert_int_eq(symlink("nowhere", in_dir("dangling")), 0);
    check_refused(in_dir("dangling"), false, "file exists");
    ck_assert_int_eq(count_files(), 2);
    ck_assert_int_eq(chmod(dir, 0555), 0);
    bool root = geteuid() == 0;
    ck_assert(!root || seteuid(65534) == 0);
    check_refused(in_dir("b"), false, "permission denied");
    ck_assert(!root || seteuid(0) == 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    remove_dir();
}
END_TEST

START_TEST(links_are_replaced_and_modes_are_kept)
{
    make_dir();
    put_file(in_dir("real"), "old", 3);
    ck_assert_int_eq(chmod(in_dir("real"), 0640), 0);
    ck_assert_int_eq(symlink("real", in_dir("link")), 0);
    struct tk_output *o = open_ok(in_dir("link"), true);
    ck_assert_int_eq(tk_output_write(o, "new", 3, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    struct stat st;
    ck_assert_int_eq(lstat(in_dir("link"), &st), 0);
    ck_assert(S_ISREG(st.st_mode));
    ck_assert_int_eq(st.st_mode & 0777, 0640);
    check_file(in_dir("link"), "new", 3);
    check_file(in_dir("real"), "old", 3);
    ck_assert_int_eq(remove(in_dir("link")), 0);
    ck_assert_int_eq(symlink("nowhere", in_dir("link")), 0);
    o = open_ok(in_dir("link"), true);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    ck_assert_int_eq(lstat(in_dir("link"), &st), 0);
    ck_assert(S_ISREG(st.st_mode));
    ck_assert_int_eq(lstat(in_dir("nowhere"), &st), -1);
    umask(027);
    o = open_ok(in_dir("fresh"), false);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    ck_assert_int_eq(stat(in_dir("fresh"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0640);
    ck_assert_int_eq((int)st.st_size, 0);
    remove_dir();
}
END_TEST

START_TEST(devices_are_written_directly)
{
    struct tk_output *o = open_ok("/dev/null", false);
    ck_assert_int_eq(tk_output_write(o, bytes, SIZE, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    struct stat st;
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(full_disk_is_reported)
{
    if (access("/dev/full", W_OK))
        return;
    struct tk_err err = {0};
    struct tk_output *o = open_ok("/dev/full", false);
    ck_assert_int_eq(tk_output_write(o, bytes, 1000, &err), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, &err), TK_EOUTPUT);
    ck_assert_str_eq(err.text[0], "cannot write '/dev/full': no space left on device");
    o = open_ok("/dev/full", false);
    ck_assert_int_eq(tk_output_write(o, bytes, SIZE, &err), TK_EOUTPUT);
    ck_assert_int_eq(tk_output_write(o, bytes, 1, NULL), TK_EOUTPUT);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_EOUTPUT);
}
END_TEST

/* With the signal as programs find it, which would end them, and ignored. */
START_TEST(gone_reader_is_reported)
{
    for (int ignored = 0; ignored < 2; ignored++) {
        signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
        int fds[2];
        ck_assert_int_eq(pipe(fds), 0);
        ck_assert_int_ge(dup2(fds[1], STDOUT_FILENO), 0);
        close(fds[0]);
        struct tk_err err = {0};
        struct tk_output *o = open_ok("-", false);
        ck_assert_int_eq(tk_output_write(o, bytes, SIZE, &err), TK_EPIPE);
        ck_assert_int_eq(err.code, TK_EPIPE);
        ck_assert_int_eq(tk_output_commit(o, &err), TK_EPIPE);
        sigset_t pending;
        ck_assert_int_eq(sigpending(&pending), 0);
        ck_assert_int_eq(sigismember(&pending, SIGPIPE), 0);
        close(fds[1]);
    }
}
END_TEST

START_TEST(standard_output_stays_open)
{
    make_dir();
    int fd = open(in_dir("a"), O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_ge(dup2(fd, STDOUT_FILENO), 0);
    struct tk_output *o = open_ok("-", false);
    ck_assert_int_eq(tk_output_write(o, "one ", 4, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    o = open_ok("-", false);
    ck_assert_int_eq(tk_output_write(o, "two", 3, NULL), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
    ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD), 0);
    check_file(in_dir("a"), "one two", 7);
    close(STDOUT_FILENO);
    o = open_ok("-", false);
    struct tk_err err = {0};
    ck_assert_int_eq(tk_output_write(o, "x", 1, &err), TK_OK);
    ck_assert_int_eq(tk_output_commit(o, &err), TK_EOUTPUT);
    ck_assert_str_eq(err.text[0], "cannot write standard output: bad file descriptor");
    remove_dir();
}
END_TEST

static int say(void *ctx)
{
    int *left = ctx;
    return --*left < 0;
}

/* Each write to the system queries: two of the buffer are written, the third is not. */
START_TEST(writing_may_be_stopped)
{
    struct tk_err err = {0};
    int left = 2, rc = TK_OK;
    make_dir();
    struct tk_output *o = open_ok(in_dir("a"), false);
    tk_output_stop(o, say, &left);
    size_t written = 0;
    for (; rc == TK_OK && written < SIZE; written += 1000)
        rc = tk_output_write(o, bytes, 1000, &err);
    ck_assert_int_eq(rc, TK_ECANCELED);
    ck_assert_uint_lt(written, 4 << 17);
    ck_assert_uint_gt(written, 2 << 17);
    ck_assert_int_eq(tk_output_commit(o, &err), TK_ECANCELED);
    ck_assert_int_eq(count_files(), 0);
    remove_dir();
}
END_TEST

/* Of 10,000,000 bytes that are free nine tenths may be used; it is looked at twice in the last tenth. */
START_TEST(a_tenth_of_the_disk_is_left_free)
{
    enum { DISK = 10000000, PART = 100000 };
    struct tk_err err = {0};
    make_dir();
    small_disk = DISK;
    for (int whole = 0; whole < 2; whole++) {
        struct tk_output *o = open_ok(in_dir("a"), false);
        const size_t most = whole ? DISK / 10 * 9 : 2 * DISK;
        size_t written = 0;
        int rc = TK_OK;
        for (; rc == TK_OK && written < most; written += PART)
            rc = tk_output_write(o, bytes, PART, &err);
        rc = rc == TK_OK ? tk_output_commit(o, &err) : rc;
        ck_assert_int_eq(rc, whole ? TK_OK : TK_EOUTPUT);
        if (whole)
            break;
        ck_assert(written > DISK / 10 * 9 && written < DISK);
        ck_assert_ptr_nonnull(strstr(err.text[0], "90 % of the free space on the disk is used up"));
        err = (struct tk_err){0}; /* the caller later hears the same */
        ck_assert_int_eq(tk_output_write(o, bytes, PART, &err), TK_EOUTPUT);
        ck_assert_ptr_nonnull(strstr(err.text[0], "90 % of the free space on the disk is used up"));
        tk_output_discard(o);
        ck_assert_int_eq(count_files(), 0);
    }
    small_disk = 0;
    ck_assert_int_eq(count_files(), 1);
    remove_dir();
}
END_TEST

/* More files than a process may have open get their names together. */
START_TEST(closed_files_wait_for_their_names)
{
    enum { FILES = 1100 };
    static struct tk_output *files[FILES];
    char name[16];
    make_dir();
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%d", i);
        files[i] = open_ok(in_dir(name), false);
        ck_assert_int_eq(tk_output_write(files[i], name, strlen(name), NULL), TK_OK);
        ck_assert_int_eq(tk_output_close(files[i], NULL), TK_OK);
        ck_assert_int_ne(access(in_dir(name), F_OK), 0);
    }
    for (int i = 0; i < FILES; i++)
        ck_assert_int_eq(tk_output_commit(files[i], NULL), TK_OK);
    check_file(in_dir("1099"), "1099", 4);
    ck_assert_int_eq(count_files(), FILES);
    remove_dir();
}
END_TEST

/* Several megabytes, so that there is work for several threads: words that come again, in no order. */
static uint8_t *some_lines(size_t n)
{
    uint8_t *made = malloc(n);
    ck_assert_ptr_nonnull(made);
    uint32_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        made[i] = (uint8_t)("render,tick,audio\n"[seed >> 28]);
    }
    return made;
}

START_TEST(packed_bytes_do_not_depend_on_threads)
{
    enum { LINES = 9 << 20 };
    uint8_t *lines = some_lines(LINES), *unpacked = malloc(LINES), *packed[3];
    size_t sizes[3];
    make_dir();
    for (unsigned i = 0; i < 3; i++) {
        struct tk_output *o = open_ok(in_dir("a.zst"), true);
        tk_output_threads(o, 1 + i * 2);
        ck_assert_int_eq(tk_output_write(o, lines, LINES, NULL), TK_OK);
        ck_assert_int_eq(tk_output_commit(o, NULL), TK_OK);
        packed[i] = malloc(LINES);
        sizes[i] = get_file(in_dir("a.zst"), packed[i], LINES);
        ck_assert_uint_eq(sizes[i], sizes[0]);
        ck_assert(memcmp(packed[i], packed[0], sizes[0]) == 0);
    }
    ck_assert_uint_lt(sizes[0], LINES);
    ck_assert_uint_eq(ZSTD_decompress(unpacked, LINES, packed[0], sizes[0]), LINES);
    ck_assert(memcmp(unpacked, lines, LINES) == 0);
    for (unsigned i = 0; i < 3; i++)
        free(packed[i]);
    free(unpacked);
    free(lines);
    remove_dir();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        file_appears_when_complete,
        discarded_file_leaves_nothing,
        existing_file_is_kept_without_force,
        file_that_came_meanwhile_is_kept,
        two_outputs_of_one_name,
        leftovers_are_not_in_the_way,
        what_is_written_is_not_taken_for_left,
        files_of_a_set_come_all_or_none,
        files_of_a_set_are_written_in_turns,
        what_cannot_be_written_is_refused,
        links_are_replaced_and_modes_are_kept,
        devices_are_written_directly,
        full_disk_is_reported,
        gone_reader_is_reported,
        standard_output_stays_open,
        writing_may_be_stopped,
        a_tenth_of_the_disk_is_left_free,
        closed_files_wait_for_their_names,
        packed_bytes_do_not_depend_on_threads,
    };
    return RUN_TESTS("output", tests);
}
