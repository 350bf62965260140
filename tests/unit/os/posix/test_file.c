/* Files, names and folders of os/, on a real folder; what is expected is what POSIX says of the calls. */
#include "io/files.h"
#include "os/path.h"

#include <signal.h>
#include <sys/wait.h>

static struct tk_os_file *created(const char *name)
{
    struct tk_os_file *f;
    ck_assert_int_eq(tk_os_file_create(&f, in_dir(name)).error, TK_OS_OK);
    return f;
}

static struct tk_os_file *opened(const char *name)
{
    struct tk_os_file *f;
    ck_assert_int_eq(tk_os_file_open_read(&f, in_dir(name)).error, TK_OS_OK);
    return f;
}

START_TEST(causes_have_a_sentence_each)
{
    struct tk_os_file *f;
    struct tk_os_result why = tk_os_file_open_read(&f, in_dir("none"));
    ck_assert_int_eq(why.error, TK_OS_NOT_FOUND);
    ck_assert_str_eq(tk_os_text(why), "no such file or directory");
    ck_assert_ptr_null(f);
    put_file(in_dir("a"), "x", 1);
    why = tk_os_file_open_read(&f, in_dir("a/b"));
    ck_assert_int_eq(why.error, TK_OS_NOT_FOUND);
    ck_assert_str_eq(tk_os_text(why), "not a directory");
    ck_assert_int_eq(tk_os_file_create(&f, in_dir("a")).error, TK_OS_EXISTS);
    why = tk_os_file_open_write(&f, dir);
    ck_assert_int_eq(why.error, TK_OS_IS_FOLDER);
    ck_assert_str_eq(tk_os_text(why), "is a directory");
    ck_assert_str_eq(tk_os_text(tk_os_result_of(TK_OS_NO_SPACE)), "no space left on device");
    ck_assert_str_eq(tk_os_text((struct tk_os_result){TK_OS_IO, ENOEXEC}), strerror(ENOEXEC));
}
END_TEST

START_TEST(reading_at_an_offset_moves_nothing)
{
    char got[8] = "";
    size_t n;
    put_file(in_dir("a"), "0123456789", 10);
    struct tk_os_file *f = opened("a");
    ck_assert_int_eq(tk_os_file_read_at(f, 7, got, 8, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert_mem_eq(got, "789", 3);
    ck_assert(tk_os_file_at_start(f));
    ck_assert_int_eq(tk_os_file_read(f, got, 4, &n).error, TK_OS_OK);
    ck_assert_mem_eq(got, "0123", 4);
    ck_assert(!tk_os_file_at_start(f));
    ck_assert_int_eq(tk_os_file_close(f).error, TK_OS_OK);
}
END_TEST

START_TEST(what_a_name_leads_to)
{
    struct tk_os_info a, b, link;
    put_file(in_dir("a"), "123", 3);
    ck_assert_int_eq(symlink("a", in_dir("link")), 0);
    ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
    ck_assert_int_eq(tk_os_path_info(in_dir("a"), &a).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_info(in_dir("link"), &link).error, TK_OS_OK);
    ck_assert_int_eq(a.kind, TK_OS_FILE);
    ck_assert_uint_eq(a.size, 3);
    ck_assert(a.volume == link.volume && a.identity[0] == link.identity[0]);
    ck_assert_int_eq(tk_os_path_link_info(in_dir("link"), &link).error, TK_OS_OK);
    ck_assert_int_eq(link.kind, TK_OS_DEVICE);
    ck_assert_int_eq(tk_os_path_info(in_dir("pipe"), &b).error, TK_OS_OK);
    ck_assert_int_eq(b.kind, TK_OS_PIPE);
    ck_assert_uint_ne(a.identity[0], b.identity[0]);
    ck_assert_int_eq(tk_os_path_info(dir, &b).error, TK_OS_OK);
    ck_assert_int_eq(b.kind, TK_OS_FOLDER);
    char *real = tk_os_path_real(in_dir("link")), *none = tk_os_path_real(in_dir("none"));
    ck_assert_str_eq(real + strlen(real) - 2, "/a");
    ck_assert_str_eq(none, in_dir("none"));
    free(real);
    free(none);
}
END_TEST

START_TEST(a_new_name_replaces_nothing)
{
    char got[4];
    put_file(in_dir("a"), "new", 3);
    put_file(in_dir("b"), "old", 3);
    ck_assert_int_eq(tk_os_path_rename_new(in_dir("a"), in_dir("b")).error, TK_OS_EXISTS);
    ck_assert_uint_eq(get_file(in_dir("b"), got, 4), 3);
    ck_assert_mem_eq(got, "old", 3);
    ck_assert_int_eq(tk_os_path_rename_over(in_dir("a"), in_dir("b")).error, TK_OS_OK);
    ck_assert_uint_eq(get_file(in_dir("b"), got, 4), 3);
    ck_assert_mem_eq(got, "new", 3);
    ck_assert_int_eq(tk_os_path_rename_new(in_dir("b"), in_dir("c")).error, TK_OS_OK);
    ck_assert_int_eq(count_files(), 1);
    ck_assert_int_eq(tk_os_path_remove(in_dir("c")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_remove(in_dir("c")).error, TK_OS_NOT_FOUND);
}
END_TEST

START_TEST(nameless_files_leave_nothing)
{
    struct tk_os_file *f;
    char got[4];
    size_t n;
    ck_assert_int_eq(tk_os_file_create_nameless(&f, dir).error, TK_OS_OK);
    ck_assert_int_eq(count_files(), 0);
    ck_assert_int_eq(tk_os_file_write(f, "abc", 3).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_read_at(f, 1, got, 4, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 2);
    ck_assert_mem_eq(got, "bc", 2);
    tk_os_file_close(f);
    ck_assert_int_eq(tk_os_file_create_nameless(&f, in_dir("none")).error, TK_OS_NOT_FOUND);
}
END_TEST

START_TEST(what_is_cut_is_gone)
{
    struct tk_os_file *f;
    struct tk_os_info info;
    char got[6];
    size_t n;
    ck_assert_int_eq(tk_os_file_create_nameless(&f, dir).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_write(f, "abcdef", 6).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_cut(f, 4).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_info(f, &info).error, TK_OS_OK);
    ck_assert_uint_eq(info.size, 4);
    ck_assert_int_eq(tk_os_file_read_at(f, 0, got, 6, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 4);
    ck_assert_mem_eq(got, "abcd", 4);
    tk_os_file_close(f);
}
END_TEST

START_TEST(a_reader_that_has_gone_is_no_signal)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const int out = dup(STDOUT_FILENO);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    close(ends[0]);
    signal(SIGPIPE, SIG_DFL);
    struct tk_os_result why = tk_os_file_write(tk_os_standard_output(), "x", 1);
    dup2(out, STDOUT_FILENO);
    ck_assert_int_eq(why.error, TK_OS_CLOSED_PIPE);
    ck_assert_int_eq(tk_os_file_close(tk_os_standard_output()).error, TK_OS_OK);
    ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD), 0);
}
END_TEST

/* The descriptors of files are for this program alone. */
START_TEST(others_inherit_nothing)
{
    struct tk_os_file *f, *g = created("b");
    put_file(in_dir("a"), "x", 1);
    f = opened("a");
    ck_assert_int_eq(system("test \"$(ls -l /proc/self/fd | grep -c tk-unit-io)\" = 0"), 0);
    tk_os_file_close(f);
    tk_os_file_close(g);
}
END_TEST

START_TEST(folders_are_gone_through_and_cleared)
{
    struct tk_os_folder *f;
    const char *name;
    int seen = 0;
    ck_assert_int_eq(tk_os_folder_make(in_dir("d")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_folder_make(in_dir("d")).error, TK_OS_EXISTS);
    put_file(in_dir("d/x"), "x", 1);
    put_file(in_dir("d/.y"), "x", 1);
    ck_assert_int_eq(tk_os_folder_open(&f, in_dir("d")).error, TK_OS_OK);
    while (tk_os_folder_next(f, &name).error == TK_OS_OK && name)
        seen += strcmp(name, "x") == 0 ? 1 : strcmp(name, ".y") == 0 ? 10 : 100;
    tk_os_folder_close(f);
    ck_assert_int_eq(seen, 11);
    ck_assert_int_eq(tk_os_folder_remove(in_dir("d")).error, TK_OS_NOT_EMPTY);
    tk_os_folder_clear(in_dir("d"));
    ck_assert_int_eq(tk_os_folder_remove(in_dir("d")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_folder_open(&f, in_dir("d")).error, TK_OS_NOT_FOUND);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {causes_have_a_sentence_each,
                                  reading_at_an_offset_moves_nothing,
                                  what_a_name_leads_to,
                                  a_new_name_replaces_nothing,
                                  nameless_files_leave_nothing,
                                  what_is_cut_is_gone,
                                  a_reader_that_has_gone_is_no_signal,
                                  others_inherit_nothing,
                                  folders_are_gone_through_and_cleared};
    return RUN_TESTS_AROUND("os-posix-file", tests, make_dir, remove_dir);
}
