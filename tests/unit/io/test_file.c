/* Input files: plain ones, what cannot be read, standard input, pipes. */
#include "files.h"
#include "io/file.h"

enum { SIZE = 300000 };

static uint8_t bytes[SIZE], back[SIZE + 100];

static int open_with(struct tk_file **f, const char *path, struct tk_err *err)
{
    struct tk_limits limits = tk_limits_default();
    return tk_file_open(f, path, NULL, &limits, NULL, err);
}

static struct tk_file *open_ok(const char *path)
{
    struct tk_file *f;
    struct tk_err err = {0};
    int rc = open_with(&f, path, &err);
    ck_assert_msg(rc == TK_OK, "%s", err.text[0]);
    return f;
}

static size_t read_at(const struct tk_file *f, uint64_t offset, size_t n)
{
    size_t got;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_file_read(f, offset, back, n, &got, &err), TK_OK);
    return got;
}

START_TEST(plain_file_is_read_where_it_lies)
{
    make_dir();
    fill_bytes(bytes, SIZE);
    put_file(in_dir("a"), bytes, SIZE);
    struct tk_file *f = open_ok(in_dir("a"));
    ck_assert_uint_eq(tk_file_size(f), SIZE);
    ck_assert_uint_eq(tk_file_stored_size(f), SIZE);
    ck_assert_ptr_null(tk_file_compression(f));
    ck_assert(!tk_file_cut(f));
    ck_assert_uint_eq(read_at(f, 0, SIZE + 100), SIZE);
    ck_assert_mem_eq(back, bytes, SIZE);
    ck_assert_uint_eq(read_at(f, 777, 5000), 5000);
    ck_assert_mem_eq(back, bytes + 777, 5000);
    ck_assert_uint_eq(read_at(f, SIZE - 3, 5000), 3);
    ck_assert_uint_eq(read_at(f, SIZE, 1), 0);
    ck_assert_uint_eq(read_at(f, UINT64_MAX, 1), 0);
    ck_assert_uint_eq(read_at(f, 0, 0), 0);
    tk_file_close(f);
    tk_file_close(NULL);
    remove_dir();
}
END_TEST

START_TEST(size_is_that_of_the_opening)
{
    make_dir();
    fill_bytes(bytes, SIZE);
    put_file(in_dir("a"), bytes, 1000);
    struct tk_file *f = open_ok(in_dir("a"));
    put_file(in_dir("a"), bytes, 2000);
    ck_assert_uint_eq(read_at(f, 0, 5000), 1000);
    ck_assert_int_eq(truncate(in_dir("a"), 400), 0);
    ck_assert_uint_eq(read_at(f, 0, 5000), 400);
    ck_assert_uint_eq(read_at(f, 500, 100), 0);
    ck_assert_uint_eq(tk_file_size(f), 1000);
    tk_file_close(f);
    remove_dir();
}
END_TEST

static void check_refused(const char *path, const char *why)
{
    struct tk_file *f = (struct tk_file *)bytes;
    struct tk_err err = {0};
    ck_assert_int_eq(open_with(&f, path, &err), TK_EIO);
    ck_assert_ptr_null(f);
    ck_assert_int_eq(err.code, TK_EIO);
    ck_assert_msg(strstr(err.text[0], why) != NULL, "%s", err.text[0]);
    ck_assert_msg(strstr(err.text[0], path) != NULL, "%s", err.text[0]);
    ck_assert_int_eq(open_with(&f, path, NULL), TK_EIO);
}

START_TEST(what_cannot_be_read_is_refused)
{
    make_dir();
    check_refused(in_dir("missing"), "no such file or directory");
    check_refused(dir, "is a directory");
    put_file(in_dir("a"), "x", 1);
    check_refused(in_dir("a/b"), "not a directory");
    put_file(in_dir("secret"), "x", 1);
    ck_assert_int_eq(chmod(in_dir("secret"), 0), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    bool root = geteuid() == 0;
    ck_assert(!root || seteuid(65534) == 0);
    check_refused(in_dir("secret"), "permission denied");
    ck_assert(!root || seteuid(0) == 0);
    remove_dir();
}
END_TEST

START_TEST(empty_files_open)
{
    make_dir();
    put_file(in_dir("a"), "", 0);
    struct tk_file *f = open_ok(in_dir("a"));
    ck_assert_uint_eq(tk_file_size(f), 0);
    ck_assert_uint_eq(read_at(f, 0, 10), 0);
    tk_file_close(f);
    f = open_ok("/dev/null");
    ck_assert_uint_eq(tk_file_size(f), 0);
    tk_file_close(f);
    remove_dir();
}
END_TEST

START_TEST(long_names_are_cut_in_messages)
{
    struct tk_file *f;
    struct tk_err err = {0};
    static char path[3000];
    memset(path, 'a', sizeof path - 1);
    ck_assert_int_eq(open_with(&f, path, &err), TK_EIO);
    ck_assert_ptr_nonnull(strstr(err.text[0], "aaa...': file name too long"));
}
END_TEST

static void become_stdin(int fd)
{
    ck_assert_int_ge(dup2(fd, STDIN_FILENO), 0);
    close(fd);
}

START_TEST(standard_input_may_be_a_file)
{
    make_dir();
    fill_bytes(bytes, SIZE);
    put_file(in_dir("a"), bytes, SIZE);
    become_stdin(open(in_dir("a"), O_RDONLY));
    struct tk_file *f = open_ok("-");
    ck_assert_uint_eq(tk_file_size(f), SIZE);
    ck_assert_uint_eq(read_at(f, 10, 100), 100);
    ck_assert_mem_eq(back, bytes + 10, 100);
    tk_file_close(f);
    /* Somebody has read from it before: what is left counts. */
    ck_assert_int_eq((int)lseek(STDIN_FILENO, 1000, SEEK_SET), 1000);
    f = open_ok("-");
    ck_assert_uint_eq(tk_file_size(f), SIZE - 1000);
    ck_assert_uint_eq(read_at(f, 10, 100), 100);
    ck_assert_mem_eq(back, bytes + 1010, 100);
    tk_file_close(f);
    ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD) == -1, 0);
    close(STDIN_FILENO);
    struct tk_err err = {0};
    ck_assert_int_eq(open_with(&f, "-", &err), TK_EIO);
    ck_assert_str_eq(err.text[0], "cannot open standard input: bad file descriptor");
    remove_dir();
}
END_TEST

/* Writes all bytes to a pipe in small and large pieces, from another process. */
static int pipe_of(const uint8_t *p, size_t n)
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    if (fork() == 0) {
        close(fds[0]);
        for (size_t at = 0, k = 1; at < n; at += k, k = k * 3 % 10007) {
            size_t now = k < n - at ? k : n - at;
            if (write(fds[1], p + at, now) != (ssize_t)now)
                _exit(1);
        }
        _exit(0);
    }
    close(fds[1]);
    return fds[0];
}

START_TEST(pipe_becomes_a_file)
{
    make_dir();
    ck_assert_int_eq(setenv("TMPDIR", dir, 1), 0);
    fill_bytes(bytes, SIZE);
    become_stdin(pipe_of(bytes, SIZE));
    struct tk_file *f = open_ok("-");
    ck_assert_uint_eq(tk_file_size(f), SIZE);
    ck_assert_uint_eq(tk_file_stored_size(f), SIZE);
    ck_assert_ptr_null(tk_file_compression(f));
    ck_assert(!tk_file_cut(f));
    ck_assert_uint_eq(read_at(f, 0, SIZE), SIZE);
    ck_assert_mem_eq(back, bytes, SIZE);
    ck_assert_int_eq(count_files(), 0);
    tk_file_close(f);
    remove_dir();
}
END_TEST

START_TEST(named_pipe_becomes_a_file)
{
    make_dir();
    fill_bytes(bytes, SIZE);
    ck_assert_int_eq(mkfifo(in_dir("fifo"), 0600), 0);
    if (fork() == 0) {
        FILE *f = fopen(in_dir("fifo"), "wb");
        _exit(!f || fwrite(bytes, 1, SIZE, f) != SIZE || fclose(f));
    }
    struct tk_file *f = open_ok(in_dir("fifo"));
    ck_assert_uint_eq(tk_file_size(f), SIZE);
    ck_assert_uint_eq(read_at(f, 0, SIZE), SIZE);
    ck_assert_mem_eq(back, bytes, SIZE);
    tk_file_close(f);
    remove_dir();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        plain_file_is_read_where_it_lies,
        size_is_that_of_the_opening,
        what_cannot_be_read_is_refused,
        empty_files_open,
        long_names_are_cut_in_messages,
        standard_input_may_be_a_file,
        pipe_becomes_a_file,
        named_pipe_becomes_a_file,
    };
    return RUN_TESTS("file", tests);
}
