/*
 * The content of network packets (events 8.7): entries for objects, names, bunches and bunch headers.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_NET_NET_ENTRIES_H
#define TK_FORMAT_UTRACE_FAMILIES_NET_NET_ENTRIES_H

#include "base/hash.h"
#include "base/record_map.h"
#include "base/vec.h"
#include "format/utrace/feed/family.h"

/* Content that was told since the last packet of a connection and direction. */
struct tk_ut_net_entries {
    TK_VEC(struct tk_net_part) parts;
    TK_VEC(struct tk_net_bunch) bunches;
    struct tk_map channels; /* channel -> place in channel_names */
    TK_VEC(uint32_t) channel_names;
    uint64_t offset; /* where the next part's position counts from */
    uint32_t taken;  /* parts that belong to bunches so far */
};

/* Numbers for names, by their ids in the capture, from the first mention on: a name can come after it. */
struct tk_ut_net_names {
    struct tk_map index;
    uint32_t n;    /* numbers given, from 1 on */
    uint64_t most; /* that may be given */
};

/* The number of a name; 0 when there are too many, UINT32_MAX if out of memory. */
uint32_t tk_ut_net_name(struct tk_ut_net_names *names, uint64_t id);

/* What entries are read with. */
struct tk_ut_net_reader {
    struct tk_ut_net_names *names;
    const struct tk_record_map *objects; /* tk_ut_net_object_key -> uint32_t, number of the name */
    uint32_t instance;
    uint32_t version; /* of the writer of the entries */
};

/* The key of an object; ids are of one instance. */
static inline uint64_t tk_ut_net_object_key(uint32_t instance, uint64_t id)
{
    return tk_hash_u64(id) ^ tk_hash_u64(~(uint64_t)instance);
}

/*
 * Takes the entries of one event. TK_OK; TK_ENOMEM; TK_EDAMAGE when they break off or are of no known type
 * (what came before is kept); TK_ELIMIT when there are more than `most` parts.
 */
int tk_ut_net_entries_feed(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader,
                           struct tk_bytes data, uint64_t most);

/* The packet is complete: forgets its content, but not the names of channels. */
void tk_ut_net_entries_clear(struct tk_ut_net_entries *c);

void tk_ut_net_entries_release(struct tk_ut_net_entries *c);

#endif
