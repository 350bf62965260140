/* What Windows does otherwise with files than POSIX, on a real folder: each test fails where POSIX names are
 * put over the calls of Windows as they are. What is expected is what Microsoft's reference says of the
 * calls. */
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

static char dir[MAX_PATH];

static const char *in_dir(const char *name)
{
    static char paths[4][1024];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s\\%s", dir, name);
    return path;
}

static void begin(void)
{
    snprintf(dir, sizeof dir, "%s\\tracekit-test-%llu", tk_os_temporary_folder(),
             (unsigned long long)tk_os_process_id());
    tk_os_folder_clear(dir);
    tk_os_folder_remove(dir);
    ck_assert_int_eq(tk_os_folder_make(dir).error, TK_OS_OK);
}

static void end(void)
{
    tk_os_folder_clear(dir);
    tk_os_folder_remove(dir);
}

static void put(const char *name, const char *text)
{
    struct tk_os_file *f;
    ck_assert_int_eq(tk_os_file_create(&f, in_dir(name)).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_write(f, text, strlen(text)).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_close(f).error, TK_OS_OK);
}

static const char *get(const char *name)
{
    static char text[64];
    struct tk_os_file *f;
    size_t n;
    if (tk_os_file_open_read(&f, in_dir(name)).error)
        return "";
    ck_assert_int_eq(tk_os_file_read(f, text, sizeof text - 1, &n).error, TK_OS_OK);
    text[n] = 0;
    tk_os_file_close(f);
    return text;
}

static int count_files(void)
{
    struct tk_os_folder *f;
    const char *name;
    int n = 0;
    ck_assert_int_eq(tk_os_folder_open(&f, dir).error, TK_OS_OK);
    while (tk_os_folder_next(f, &name).error == TK_OS_OK && name)
        n++;
    tk_os_folder_close(f);
    return n;
}

/* As another program has a file open: a scanner of viruses shares nothing, the engine lets others read. */
static HANDLE hold(const char *name, DWORD access, DWORD share)
{
    HANDLE h = CreateFileA(in_dir(name), access, share, NULL, OPEN_EXISTING, 0, NULL);
    ck_assert_ptr_ne(h, INVALID_HANDLE_VALUE);
    return h;
}

/* 4.1: a mapped file could be neither cut nor removed by who writes it. */
START_TEST(a_file_that_is_read_can_be_cut_and_removed)
{
    struct tk_os_file *f;
    put("a", "0123456789");
    ck_assert_int_eq(tk_os_file_open_read(&f, in_dir("a")).error, TK_OS_OK);
    ck_assert_ptr_null(tk_os_map_open(f, 10));
    HANDLE h = hold("a", GENERIC_WRITE, FILE_SHARE_READ);
    SetFilePointer(h, 3, NULL, FILE_BEGIN);
    ck_assert(SetEndOfFile(h));
    CloseHandle(h);
    ck_assert_int_eq(tk_os_path_remove(in_dir("a")).error, TK_OS_OK);
    tk_os_file_close(f);
    ck_assert_int_eq(count_files(), 0);
}
END_TEST

/* 4.2: ReadFile with an offset moves the position. */
START_TEST(reading_at_an_offset_moves_nothing)
{
    char got[16] = "";
    size_t n;
    struct tk_os_file *f;
    put("a", "0123456789");
    ck_assert_int_eq(tk_os_file_open_read(&f, in_dir("a")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_read_at(f, 7, got, 8, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert_mem_eq(got, "789", 3);
    ck_assert(tk_os_file_at_start(f));
    ck_assert_int_eq(tk_os_file_read(f, got, 4, &n).error, TK_OS_OK);
    ck_assert_mem_eq(got, "0123", 4);
    ck_assert_int_eq(tk_os_file_read_at(f, 10, got, 4, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(tk_os_file_read(f, got, 4, &n).error, TK_OS_OK);
    ck_assert_mem_eq(got, "4567", 4);
    tk_os_file_close(f);
}
END_TEST

/* 4.3: st_ino is 0 for all files, and st_size 0 for those above 2 GiB. */
START_TEST(files_are_distinguished)
{
    struct tk_os_info a, b, again;
    put("a", "123");
    put("b", "123");
    ck_assert_int_eq(tk_os_path_info(in_dir("a"), &a).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_info(in_dir("b"), &b).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_info(in_dir(".\\A"), &again).error, TK_OS_OK);
    ck_assert_int_eq(a.kind, TK_OS_FILE);
    ck_assert_uint_eq(a.size, 3);
    ck_assert(!tk_os_is_same(&a, &b));
    ck_assert(tk_os_is_same(&a, &again));
    ck_assert_int_eq(tk_os_path_info(dir, &b).error, TK_OS_OK);
    ck_assert_int_eq(b.kind, TK_OS_FOLDER);
    HANDLE h = hold("a", GENERIC_WRITE, FILE_SHARE_READ);
    LARGE_INTEGER large = {.QuadPart = 5368709120};
    ck_assert(SetFilePointerEx(h, large, NULL, FILE_BEGIN) && SetEndOfFile(h));
    CloseHandle(h);
    ck_assert_int_eq(tk_os_path_info(in_dir("a"), &a).error, TK_OS_OK);
    ck_assert_uint_eq(a.size, 5368709120);
}
END_TEST

/* 4.4: who writes shares reading alone. */
START_TEST(what_another_program_writes_can_be_read)
{
    DWORD k;
    put("a", "old");
    HANDLE h = hold("a", GENERIC_WRITE, FILE_SHARE_READ);
    ck_assert_str_eq(get("a"), "old");
    ck_assert(WriteFile(h, "new", 3, &k, NULL));
    ck_assert_str_eq(get("a"), "new");
    CloseHandle(h);
    h = hold("a", GENERIC_READ | GENERIC_WRITE, 0);
    struct tk_os_file *f;
    const struct tk_os_result why = tk_os_file_open_read(&f, in_dir("a"));
    ck_assert_int_eq(why.error, TK_OS_BUSY);
    ck_assert_str_eq(tk_os_text(why), "another program uses it");
    CloseHandle(h);
}
END_TEST

/* 4.5: SQLite does not share deleting, so that nobody may have requested it. */
START_TEST(an_output_can_be_opened_by_sqlite)
{
    struct tk_os_file *f;
    ck_assert_int_eq(tk_os_file_create(&f, in_dir("a")).error, TK_OS_OK);
    CloseHandle(hold("a", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE));
    tk_os_file_close(f);
}
END_TEST

/* 4.6: rename of C replaces nothing. */
START_TEST(renaming_replaces)
{
    put("a", "new");
    put("b", "old");
    ck_assert_int_eq(tk_os_path_rename_new(in_dir("a"), in_dir("b")).error, TK_OS_EXISTS);
    ck_assert_str_eq(get("b"), "old");
    ck_assert_int_eq(tk_os_path_rename_over(in_dir("a"), in_dir("b")).error, TK_OS_OK);
    ck_assert_str_eq(get("b"), "new");
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

static DWORD WINAPI let_go(void *handle)
{
    Sleep(150);
    CloseHandle(handle);
    return 0;
}

static void let_go_soon(HANDLE handle)
{
    CloseHandle(CreateThread(NULL, 0, let_go, handle, 0, NULL));
}

/* 4.6: a scanner of viruses has a new file for a while. */
START_TEST(what_is_held_for_a_moment_is_tried_again)
{
    put("a", "new");
    put("b", "old");
    let_go_soon(hold("a", GENERIC_READ, 0));
    ck_assert_int_eq(tk_os_path_rename_over(in_dir("a"), in_dir("b")).error, TK_OS_OK);
    ck_assert_str_eq(get("b"), "new");
    let_go_soon(hold("b", GENERIC_READ, 0));
    ck_assert_int_eq(tk_os_path_remove(in_dir("b")).error, TK_OS_OK);
    ck_assert_int_eq(count_files(), 0);
    put("a", "new");
    HANDLE h = hold("a", GENERIC_READ, 0);
    ck_assert_int_eq(tk_os_path_remove(in_dir("a")).error, TK_OS_BUSY);
    CloseHandle(h);
}
END_TEST

/* 4.7: the name of a file that was removed stays until its last handle is closed. */
START_TEST(nameless_files_leave_nothing)
{
    struct tk_os_file *f, *g;
    char got[4];
    size_t n;
    ck_assert_int_eq(tk_os_file_create_nameless(&f, dir).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_create_nameless(&g, dir).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_write(f, "abc", 3).error, TK_OS_OK);
    /* what is read ends before the end: the system's own position is there then */
    ck_assert_int_eq(tk_os_file_read_at(f, 0, got, 1, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_mem_eq(got, "a", 1);
    ck_assert_int_eq(tk_os_file_write(f, "d", 1).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_read_at(f, 0, got, 4, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 4);
    ck_assert_mem_eq(got, "abcd", 4);
    tk_os_file_close(f);
    tk_os_file_close(g);
    ck_assert_int_eq(count_files(), 0);
    ck_assert_int_eq(tk_os_file_create_nameless(&f, in_dir("none")).error, TK_OS_NOT_FOUND);
}
END_TEST

/* 4.13: a stream of another file would be made, and nobody would see it. */
START_TEST(streams_and_devices_are_no_files)
{
    struct tk_os_file *f;
    struct tk_os_info info;
    ck_assert_int_eq(tk_os_file_create(&f, in_dir("GPU:0.csv")).error, TK_OS_NAME);
    ck_assert_ptr_null(f);
    ck_assert_int_eq(tk_os_file_create(&f, "GPU:0.csv").error, TK_OS_NAME);
    ck_assert_int_eq(count_files(), 0);
    ck_assert_int_eq(tk_os_path_info("NUL", &info).error, TK_OS_OK);
    ck_assert_int_eq(info.kind, TK_OS_DEVICE);
    ck_assert_int_eq(tk_os_file_open_write(&f, "NUL").error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_write(f, "x", 1).error, TK_OS_OK);
    tk_os_file_close(f);
    ck_assert_int_ne(tk_os_file_create(&f, in_dir("a?b")).error, TK_OS_OK);
}
END_TEST

/* 4.14 */
START_TEST(names_that_differ_in_case_are_one)
{
    struct tk_os_file *f;
    put("Load.csv", "1");
    ck_assert_int_eq(tk_os_file_create(&f, in_dir("load.csv")).error, TK_OS_EXISTS);
}
END_TEST

/* 4.19: 260 characters, unless the path is absolute and marked. */
START_TEST(long_paths)
{
    char name[300], deep[64];
    struct tk_os_info info;
    memset(name, 'n', 200);
    name[200] = 0;
    ck_assert_int_eq(tk_os_folder_make(in_dir(name)).error, TK_OS_OK);
    snprintf(dir + strlen(dir), 202, "\\%s", name);
    snprintf(deep, sizeof deep, "%s", "deep/file-with-a-name-of-some-length.txt");
    ck_assert_int_eq(tk_os_folder_make(in_dir("deep")).error, TK_OS_OK);
    put(deep, "long");
    ck_assert_str_eq(get(deep), "long");
    ck_assert_uint_gt(strlen(in_dir(deep)), 260);
    ck_assert_int_eq(tk_os_path_rename_over(in_dir(deep), in_dir("deep\\other")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_info(in_dir("deep\\other"), &info).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_remove(in_dir("deep\\other")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_folder_remove(in_dir("deep")).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_folder_remove(dir).error, TK_OS_OK);
    *strrchr(dir, '\\') = 0;
    memset(name, 'n', 299); /* no volume has names of this length */
    name[299] = 0;
    struct tk_os_file *f;
    ck_assert_int_ne(tk_os_file_create(&f, in_dir(name)).error, TK_OS_OK);
}
END_TEST

/* 4.20: no character is changed in silence. */
START_TEST(names_come_back_as_they_were)
{
    static const char *const names[] = {"\xc3\x9c"
                                        "ber \xe6\xb8\xac\xe8\xa9\xa6",
                                        "\xf0\x9f\x98\x80"};
    struct tk_os_folder *folder;
    struct tk_os_file *f;
    const char *name;
    for (size_t i = 0; i < 2; i++) {
        put(names[i], "x");
        ck_assert_int_eq(tk_os_folder_open(&folder, dir).error, TK_OS_OK);
        ck_assert_int_eq(tk_os_folder_next(folder, &name).error, TK_OS_OK);
        ck_assert_str_eq(name, names[i]);
        tk_os_folder_close(folder);
        ck_assert_int_eq(tk_os_path_remove(in_dir(names[i])).error, TK_OS_OK);
    }
    const struct tk_os_result why = tk_os_file_create(&f, in_dir("\xff"));
    ck_assert_int_eq(why.error, TK_OS_NAME);
    ck_assert_str_eq(tk_os_text(why), "the name is not valid UTF-8");
}
END_TEST

/* 4.11: sentences are ours, with numbers where Windows has its own. */
START_TEST(causes_have_a_sentence_each)
{
    struct tk_os_file *f;
    struct tk_os_folder *folder;
    struct tk_os_result why = tk_os_file_open_read(&f, in_dir("none"));
    ck_assert_int_eq(why.error, TK_OS_NOT_FOUND);
    ck_assert_str_eq(tk_os_text(why), "no such file or directory");
    put("a", "x");
    ck_assert_int_eq(tk_os_file_create(&f, in_dir("a")).error, TK_OS_EXISTS);
    why = tk_os_folder_open(&folder, in_dir("a"));
    ck_assert_int_eq(why.error, TK_OS_NOT_FOUND);
    ck_assert_str_eq(tk_os_text(why), "not a directory");
    ck_assert_str_eq(tk_os_text((struct tk_os_result){TK_OS_IO, 1117}), "error 1117 of Windows");
    ck_assert_int_eq(tk_os_folder_remove(dir).error, TK_OS_NOT_EMPTY);
}
END_TEST

/* 4.12: a reader that has gone is an error, and a writer that has gone the end. */
START_TEST(closed_pipes)
{
    HANDLE read, write;
    struct tk_os_file *f;
    char got[8];
    size_t n;
    DWORD k;
    ck_assert(CreatePipe(&read, &write, NULL, 0));
    ck_assert(WriteFile(write, "abc", 3, &k, NULL));
    CloseHandle(write);
    SetStdHandle(STD_INPUT_HANDLE, read);
    ck_assert_int_eq(tk_os_file_read(tk_os_standard_input(), got, 8, &n).error, TK_OS_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert(CreatePipe(&read, &write, NULL, 0));
    CloseHandle(read);
    ck_assert_int_eq(tk_os_file_of_descriptor(&f, 99).error, TK_OS_OK);
    *(void **)f = write; /* the handle is its first field */
    ck_assert_int_eq(tk_os_file_write(f, "x", 1).error, TK_OS_CLOSED_PIPE);
    tk_os_file_close(f);
}
END_TEST

/* Two that replace one file: the second one waits. */
START_TEST(locks_keep_others_out_while_a_file_is_replaced)
{
    struct tk_os_file *first, *second;
    put("a", "1");
    put("new", "2");
    ck_assert_int_eq(tk_os_path_lock(&first, in_dir("a"), TK_OS_EXCLUSIVE, 0).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_lock(&second, in_dir(".\\A"), TK_OS_EXCLUSIVE, 0.05).error, TK_OS_BUSY);
    ck_assert_int_eq(tk_os_path_lock(&second, in_dir("a"), TK_OS_SHARED, 0).error, TK_OS_BUSY);
    ck_assert_str_eq(get("a"), "1");
    ck_assert_int_eq(tk_os_path_rename_over(in_dir("new"), in_dir("a")).error, TK_OS_OK);
    tk_os_file_close(first);
    ck_assert_int_eq(tk_os_path_lock(&second, in_dir("a"), TK_OS_EXCLUSIVE, 0).error, TK_OS_OK);
    tk_os_file_close(second);
    ck_assert_int_eq(tk_os_path_lock(&first, in_dir("a"), TK_OS_SHARED, 0).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_path_lock(&second, in_dir("a"), TK_OS_SHARED, 0).error, TK_OS_OK);
    tk_os_file_close(first);
    tk_os_file_close(second);
    ck_assert_str_eq(get("a"), "2");
    ck_assert_int_eq(count_files(), 1);
    ck_assert_int_eq(tk_os_path_lock(&first, in_dir("none"), TK_OS_SHARED, 0).error, TK_OS_NOT_FOUND);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_file_that_is_read_can_be_cut_and_removed,
                                  reading_at_an_offset_moves_nothing,
                                  files_are_distinguished,
                                  what_another_program_writes_can_be_read,
                                  an_output_can_be_opened_by_sqlite,
                                  renaming_replaces,
                                  what_is_held_for_a_moment_is_tried_again,
                                  nameless_files_leave_nothing,
                                  streams_and_devices_are_no_files,
                                  names_that_differ_in_case_are_one,
                                  long_paths,
                                  names_come_back_as_they_were,
                                  causes_have_a_sentence_each,
                                  closed_pipes,
                                  locks_keep_others_out_while_a_file_is_replaced};
    return RUN_TESTS_AROUND("os windows files", tests, begin, end);
}
