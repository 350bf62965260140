/*
 * Messages wait for their threads (tracy-file 5.8, 5.10): a message stands before the zones and does not say
 * its thread; each thread lists the keys of its messages behind its zones. So messages are kept until the
 * threads are walked and sent then, in the order of the file. Those above the limit `held_events` are sent at
 * once, without a thread.
 */
#ifndef TK_FORMAT_TRACY_FEED_HELD_MESSAGES_H
#define TK_FORMAT_TRACY_FEED_HELD_MESSAGES_H

#include "base/hash.h"
#include "format/tracy/walk/strings.h"

struct tk_tracy_walk;

struct tk_tracy_message {
    uint64_t at;  /* offset in the payload */
    int64_t time; /* ns */
    struct tk_tracy_string_ref text;
    uint32_t thread; /* number, TK_NO_THREAD until a thread claims it */
    uint32_t colour, callstack;
    uint8_t source;   /* 0 the program, 1 the profiler */
    uint8_t severity; /* 0 trace, 1 debug, 2 info, 3 warning, 4 error, 5 fatal */
};

struct tk_tracy_messages {
    TK_VEC(struct tk_tracy_message) v;
    struct tk_map by_key; /* key -> place in v */
    size_t told;
};

/* Keeps a message, or tells it when there is no room. TK_OK or TK_ENOMEM. */
int tk_tracy_messages_take(struct tk_tracy_walk *w, uint64_t key, const struct tk_tracy_message *m);

/* A thread claims the message of a key. */
void tk_tracy_messages_claim(struct tk_tracy_messages *m, uint64_t key, uint32_t thread);

/* Tells what is kept until the batch is full: TK_ITEM; TK_OK when all is told; TK_ENOMEM. */
int tk_tracy_messages_tell(struct tk_tracy_walk *w);

void tk_tracy_messages_release(struct tk_tracy_messages *m);

#endif
