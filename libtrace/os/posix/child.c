/*
 * A child process behind a pipe.
 */
#include "os/posix/posix.h"

#include "os/child.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static struct {
    pid_t pid;   /* 0: none */
    bool errors; /* it has standard error, too */
} child;

/* With standard input from `in`, and signals as they usually are. 0 or what errno would be. */
static int spawn(const char *command, int in)
{
    char *const direct[] = {(char *)(uintptr_t)command, NULL};
    char *const shell[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command,
                           NULL};
    const bool plain = strcspn(command, "|&;<>()$`\\\"' \t\n*?[#~=%") == strlen(command);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t usual;
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawnp(&child.pid, plain ? command : "/bin/sh", &files, &attr, plain ? direct : shell,
                          environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* macOS cannot do both at once: who starts a program meanwhile hands the ends on. */
static bool open_pipe(int ends[2])
{
#ifdef __APPLE__
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
#else
    return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

bool tk_os_child_start(const char *command, bool errors)
{
    int ends[2];
    fflush(stdout);
    if (!open_pipe(ends))
        return false;
    if (spawn(command, ends[0]) == 0) {
        child.errors = errors;
        dup2(ends[1], STDOUT_FILENO);
        if (errors)
            dup2(ends[1], STDERR_FILENO);
    } else {
        child.pid = 0;
    }
    close(ends[0]);
    close(ends[1]);
    return child.pid != 0;
}

void tk_os_child_wait(void)
{
    int status;
    fflush(stdout);
    fflush(stderr);
    close(STDOUT_FILENO);
    if (child.errors)
        close(STDERR_FILENO);
    while (child.pid && waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child.pid = 0;
}

const char *tk_os_child_pager(void)
{
    return "less";
}
