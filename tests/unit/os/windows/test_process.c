/* The process on Windows: its name, limits, threads, and programs that it starts. */
#include "os/windows/win32.h"

#include "os/clock.h"
#include "os/process.h"
#include "os/program.h"
#include "os/stream.h"
#include "os/thread.h"
#include "run.h"

#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

static const char *name_of(const char *path)
{
    static char name[64];
    unsigned n;
    const char *at = tk_os_program_name(path, &n);
    ck_assert_uint_lt(n, sizeof name);
    memcpy(name, at, n);
    name[n] = 0;
    return name;
}

/* 4.9 */
START_TEST(a_program_is_named_without_its_ending)
{
    ck_assert_str_eq(name_of("C:\\tools\\trace-stats.exe"), "trace-stats");
    ck_assert_str_eq(name_of("trace-stats.EXE"), "trace-stats");
    ck_assert_str_eq(name_of("C:trace-stats"), "trace-stats");
    ck_assert_str_eq(name_of("a/b\\trace-stats.exe"), "trace-stats");
    ck_assert_str_eq(name_of(".exe"), ".exe");
}
END_TEST

static HANDLE waiting;

static void stop(void *ctx)
{
    (void)ctx;
    ck_assert_int_eq(tk_os_stopped(), 0);
    GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0);
    SetEvent(waiting);
}

/* 4.16: the handler runs in a thread of its own. */
START_TEST(what_wants_to_stop_is_noted)
{
    struct tk_os_thread thread;
    waiting = CreateEventA(NULL, TRUE, FALSE, NULL);
    AllocConsole();
    tk_os_note_stop();
    ck_assert(tk_os_thread_start(&thread, stop, NULL));
    tk_os_thread_join(&thread);
    for (int i = 0; i < 200 && !tk_os_stopped(); i++)
        Sleep(10);
    ck_assert_int_ne(tk_os_stopped(), 0);
}
END_TEST

/* 4.17: what the system was reported. Wine keeps no limit, so that nothing is allocated here. */
START_TEST(memory_is_limited_by_a_job)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit;
    ck_assert(tk_os_limit_memory((uint64_t)1 << 30));
    if (QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &limit, sizeof limit, NULL)) {
        ck_assert(limit.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY);
        ck_assert_uint_eq(limit.ProcessMemoryLimit, (SIZE_T)1 << 30);
    }
    ck_assert(!tk_os_limit_memory(UINT64_MAX));
}
END_TEST

/* 4.18 */
START_TEST(processors_of_all_groups_count)
{
    ck_assert_uint_ge(tk_os_processors(), GetActiveProcessorCount(0));
}
END_TEST

static void use_stack(void *ctx)
{
    volatile char buffer[4 << 20];
    for (size_t i = 0; i < sizeof buffer; i += 4096)
        buffer[i] = 1;
    *(int *)ctx = buffer[0];
}

/* Section 3: one of 1 MiB would not do. */
START_TEST(threads_have_a_stack_as_elsewhere)
{
    struct tk_os_thread thread;
    int done = 0;
    ck_assert(tk_os_thread_start(&thread, use_stack, &done));
    tk_os_thread_join(&thread);
    ck_assert_int_eq(done, 1);
}
END_TEST

static int run_to_end(const char *const *words)
{
    struct tk_os_program *p;
    int status = -1;
    ck_assert_int_eq(tk_os_program_start(&p, words).error, TK_OS_OK);
    for (int i = 0; i < 1000 && !tk_os_program_ended(p, &status); i++)
        Sleep(10);
    tk_os_program_close(p);
    return status;
}

START_TEST(programs_return_their_status)
{
    static const char *const seven[] = {"cmd.exe", "/c", "exit 7", NULL}, *const none[] = {"no-such-program",
                                                                                           NULL};
    struct tk_os_program *p;
    ck_assert_int_eq(run_to_end(seven), 7);
    ck_assert_int_eq(tk_os_program_start(&p, none).error, TK_OS_NOT_FOUND);
    ck_assert_ptr_null(p);
}
END_TEST

START_TEST(words_that_are_no_utf8_are_named_as_the_cause)
{
    static const char *const words[] = {"cmd.exe", "\xff", NULL};
    struct tk_os_program *p;
    ck_assert_int_eq(tk_os_program_start(&p, words).error, TK_OS_NAME);
    ck_assert_ptr_null(p);
}
END_TEST

/* A bare name is searched for in the current folder before that of the system. */
START_TEST(the_shell_is_that_of_the_system)
{
    char before[MAX_PATH], folder[MAX_PATH], other[MAX_PATH];
    GetCurrentDirectoryA(MAX_PATH, before);
    GetTempPathA(MAX_PATH - 40, folder);
    snprintf(folder + strlen(folder), 40, "tracekit-shell-%lu", GetCurrentProcessId());
    GetSystemDirectoryA(other, MAX_PATH - 20);
    strcat(other, "\\hostname.exe");
    ck_assert(CreateDirectoryA(folder, NULL) && SetCurrentDirectoryA(folder));
    ck_assert(CopyFileA(other, "cmd.exe", TRUE));
    const int out = _dup(1);
    const bool started = tk_os_child_start("echo by the shell> told.txt", false);
    tk_os_child_wait();
    _dup2(out, 1);
    _close(out);
    const bool reported = GetFileAttributesA("told.txt") != INVALID_FILE_ATTRIBUTES;
    DeleteFileA("told.txt");
    DeleteFileA("cmd.exe");
    SetCurrentDirectoryA(before);
    RemoveDirectoryA(folder);
    ck_assert(started);
    ck_assert(reported);
}
END_TEST

/* Standard output and standard error are one console in most cases: its mode must not be taken for changed by
 * others. */
START_TEST(the_console_is_put_back)
{
    DWORD plain = 0, mode = 0;
    const HANDLE was[2] = {GetStdHandle(STD_OUTPUT_HANDLE), GetStdHandle(STD_ERROR_HANDLE)};
    AllocConsole();
    const HANDLE console = CreateFileA("CONOUT$", GENERIC_READ | GENERIC_WRITE,
                                       FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    ck_assert_ptr_ne(console, INVALID_HANDLE_VALUE);
    ck_assert(SetConsoleMode(console, ENABLE_PROCESSED_OUTPUT) && GetConsoleMode(console, &plain));
    SetStdHandle(STD_OUTPUT_HANDLE, console);
    SetStdHandle(STD_ERROR_HANDLE, console);
    tk_os_console_begin();
    ck_assert(GetConsoleMode(console, &mode));
    ck_assert_uint_ne(mode, plain);
    tk_os_console_end();
    ck_assert(GetConsoleMode(console, &mode));
    SetStdHandle(STD_OUTPUT_HANDLE, was[0]);
    SetStdHandle(STD_ERROR_HANDLE, was[1]);
    CloseHandle(console);
    ck_assert_uint_eq(mode, plain);
}
END_TEST

START_TEST(clocks)
{
    const double before = tk_os_seconds();
    Sleep(20);
    ck_assert(tk_os_seconds() - before >= 0.01);
    ck_assert_int_gt(tk_os_now(), 1700000000);
    ck_assert_int_ge(tk_os_local_date(tk_os_now()).year, 2023);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_program_is_named_without_its_ending,
                                  what_wants_to_stop_is_noted,
                                  memory_is_limited_by_a_job,
                                  processors_of_all_groups_count,
                                  threads_have_a_stack_as_elsewhere,
                                  programs_return_their_status,
                                  words_that_are_no_utf8_are_named_as_the_cause,
                                  the_shell_is_that_of_the_system,
                                  the_console_is_put_back,
                                  clocks};
    return RUN_TESTS("os windows process", tests);
}
