/*
 * Names that others look up, as semaphores.
 */
#include "os/posix/posix.h"

#include "os/beacon.h"

#include "os/posix/failure.h"

#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct tk_os_beacon {
    sem_t *semaphore;
    bool ours;
    char name[64]; /* with its slash */
};

struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name)
{
    struct tk_os_beacon *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    snprintf(b->name, sizeof b->name, "/%s", name);
    b->semaphore = sem_open(b->name, O_CREAT | O_EXCL, 0666, 0);
    b->ours = b->semaphore != SEM_FAILED;
    if (!b->ours && errno == EEXIST)
        b->semaphore = sem_open(b->name, 0);
    if (b->semaphore == SEM_FAILED) {
        const int errnum = errno;
        free(b);
        return tk_os_failure(errnum);
    }
    *out = b;
    return tk_os_result_of(TK_OS_OK);
}

void tk_os_beacon_close(struct tk_os_beacon *b)
{
    if (!b)
        return;
    sem_close(b->semaphore);
    if (b->ours)
        sem_unlink(b->name);
    free(b);
}
