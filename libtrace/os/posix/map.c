/*
 * Mapped files, and the SIGBUS handler that guards them. Windows of io/input read through them.
 *
 * The handler finds the view of an address in a fixed table without locks. A view keeps its addresses from
 * open to close, so an entry changes only while none of its pages can fault. The whole file is mapped at one
 * time and what is done with is given up page by page: mapping piece after piece holds up the page faults of
 * other threads.
 */
#include "os/posix/posix.h"

#include "os/file.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Files without a name: made in a folder, then taken out of it. Spools and spills keep their data there.
 */

const char *tk_os_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

/* 0 or an errno. */
static int make_nameless(struct tk_os_file *f, char *path)
{
    f->fd = mkstemp(path);
    if (f->fd < 0)
        return errno;
    if (unlink(path) == 0 && fcntl(f->fd, F_SETFD, FD_CLOEXEC) == 0)
        return 0;
    const int errnum = errno;
    close(f->fd);
    return errnum;
}

struct tk_os_result tk_os_file_create_nameless(struct tk_os_file **out, const char *folder)
{
    const size_t capacity = strlen(folder) + sizeof "/tracekit-XXXXXX";
    char *path = malloc(capacity);
    struct tk_os_file *f = calloc(1, sizeof *f);
    int errnum = path && f ? 0 : ENOMEM;
    if (errnum == 0) {
        snprintf(path, capacity, "%s/tracekit-XXXXXX", folder);
        errnum = make_nameless(f, path);
    }
    free(path);
    if (errnum)
        free(f);
    *out = errnum ? NULL : f;
    return errnum ? tk_os_failure(errnum) : tk_os_result_of(TK_OS_OK);
}

enum { MOST_VIEWS = 64 };

struct tk_os_map {
    atomic_bool taken;
    atomic_bool faulted;
    atomic_uintptr_t base; /* 0: nothing there yet */
    atomic_uintptr_t size;
};

static struct tk_os_map views[MOST_VIEWS];

static struct {
    pthread_mutex_t lock;
    unsigned users;
    uintptr_t page;            /* size */
    struct sigaction previous; /* set before the handler is installed, never changed while it is */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct tk_os_map *view_of(uintptr_t address)
{
    for (size_t i = 0; i < MOST_VIEWS; i++) {
        uintptr_t base = atomic_load(&views[i].base);
        if (base && address - base < atomic_load(&views[i].size))
            return &views[i];
    }
    return NULL;
}

static bool put_zero_page(uintptr_t address)
{
    void *page = (void *)(address & ~(guard.page - 1));
    return mmap(page, guard.page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *to = &guard.previous;
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(sig, info, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(sig);
    } else if (to->sa_handler == SIG_DFL || info->si_code > 0) {
        /* Nobody wants it. Blocked now, it ends the process as it would have when this returns. */
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    /* Signals of other processes (code <= 0) have no address. */
    uintptr_t address = (uintptr_t)info->si_addr;
    struct tk_os_map *view = info->si_code > 0 ? view_of(address) : NULL;
    if (view && put_zero_page(address))
        atomic_store(&view->faulted, true);
    else
        pass_on(sig, info, context);
    errno = saved;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_sigbus;
}

static bool install(void)
{
    struct sigaction ours = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    guard.page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now))
        return false;
    if (is_ours(&now))
        return true;
    guard.previous = now;
    return sigaction(SIGBUS, &ours, NULL) == 0;
}

static bool enter_guard(void)
{
    pthread_mutex_lock(&guard.lock);
    bool ok = guard.users > 0 || install();
    guard.users += ok;
    pthread_mutex_unlock(&guard.lock);
    return ok;
}

static void leave_guard(void)
{
    pthread_mutex_lock(&guard.lock);
    struct sigaction now;
    /* A handler that somebody installed over ours stays, and may still call ours. */
    if (--guard.users == 0 && sigaction(SIGBUS, NULL, &now) == 0 && is_ours(&now))
        sigaction(SIGBUS, &guard.previous, NULL);
    pthread_mutex_unlock(&guard.lock);
}

static struct tk_os_map *claim(void)
{
    for (size_t i = 0; i < MOST_VIEWS; i++) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&views[i].taken, &expected, true)) {
            atomic_store(&views[i].faulted, false);
            return &views[i];
        }
    }
    return NULL;
}

struct tk_os_map *tk_os_map_open(const struct tk_os_file *f, uint64_t bytes)
{
    struct tk_os_map *view = bytes && bytes <= SIZE_MAX / 2 ? claim() : NULL;
    if (!view)
        return NULL;
    bool guarded = enter_guard();
    void *base = guarded ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, f->fd, 0) : MAP_FAILED;
    if (base == MAP_FAILED) {
        if (guarded)
            leave_guard();
        atomic_store(&view->taken, false);
        return NULL;
    }
    atomic_store(&view->size, (uintptr_t)bytes);
    atomic_store(&view->base, (uintptr_t)base);
    return view;
}

const uint8_t *tk_os_map_bytes(const struct tk_os_map *view)
{
    return (const uint8_t *)atomic_load(&view->base);
}

void tk_os_map_leave(struct tk_os_map *view, uint64_t offset, size_t n)
{
    uintptr_t size = atomic_load(&view->size);
    if (offset < size)
        (void)madvise((void *)(atomic_load(&view->base) + (uintptr_t)offset),
                      n < size - offset ? n : (size_t)(size - offset), MADV_DONTNEED);
}

bool tk_os_map_faulted(const struct tk_os_map *view)
{
    return atomic_load(&view->faulted);
}

void tk_os_map_close(struct tk_os_map *view)
{
    if (!view)
        return;
    void *base = (void *)atomic_exchange(&view->base, 0);
    munmap(base, atomic_load(&view->size));
    leave_guard();
    atomic_store(&view->taken, false);
}
