/*
 * A hash map with linear probing, and the hash functions. Used throughout the library.
 */
#include "base/hash.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "os/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * A set of hashes.
 */

/* Grown by an eighth when four of five slots are used: doubled tables are half empty, and there is one for
 * each thread of a capture. */
#define HASH_SET_FIRST_SLOTS 16u
#define MOST_SLOTS           (UINT32_C(1) << 31)

/* Where a hash stands, or would. */
static uint64_t *slot_of(uint64_t *slots, uint32_t n, uint64_t hash)
{
    uint32_t i = (uint32_t)((hash >> 32) * n >> 32);
    while (slots[i] && slots[i] != hash)
        i = i + 1 < n ? i + 1 : 0;
    return &slots[i];
}

static uint64_t key_of(uint64_t hash)
{
    return hash ? hash : 1;
}

static int grow_set(struct tk_hash_set *s)
{
    const uint32_t n = s->n_slots ? s->n_slots + s->n_slots / 8 : HASH_SET_FIRST_SLOTS;
    uint64_t *slots = n <= MOST_SLOTS ? calloc(n, sizeof *slots) : NULL;
    if (!slots)
        return -1;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (s->slots[i])
            *slot_of(slots, n, s->slots[i]) = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->n_slots = n;
    return 0;
}

bool tk_hash_set_has(const struct tk_hash_set *s, uint64_t hash)
{
    return s->count && *slot_of(s->slots, s->n_slots, key_of(hash));
}

int tk_hash_set_add(struct tk_hash_set *s, uint64_t hash)
{
    if (tk_hash_set_has(s, hash))
        return 0;
    if (s->count >= s->n_slots - s->n_slots / 5 && grow_set(s))
        return -1;
    *slot_of(s->slots, s->n_slots, key_of(hash)) = key_of(hash);
    s->count++;
    return 0;
}

void tk_hash_set_release(struct tk_hash_set *s)
{
    free(s->slots);
    *s = (struct tk_hash_set){0};
}

/*
 * Space for numbers.
 */

int tk_id_set_grow(struct tk_id_set *s, uint64_t id)
{
    if (id >= TK_ID_SET_DENSE)
        return tk_map_put(&s->far, id, 1);
    /* tk_vec_reach grows by half, so that this is seldom */
    if (tk_vec_reach(&s->bits, (size_t)(id / 64) + 1))
        return -1;
    s->bits.v[id / 64] |= UINT64_C(1) << id % 64;
    return 0;
}

void tk_id_set_release(struct tk_id_set *s)
{
    tk_vec_release(&s->bits);
    tk_map_release(&s->far);
}

/*
 * Places in a vector.
 */

#define PLACES_FIRST_SLOTS 64u

static void put_place(struct tk_places *p, uint64_t hash, uint32_t slot)
{
    size_t at = (size_t)hash;
    while (p->slots[at & p->mask])
        at++;
    p->slots[at & p->mask] = slot;
}

static int grow_places(struct tk_places *p, uint64_t (*hash)(const void *ctx, uint32_t place),
                       const void *ctx)
{
    const size_t had = p->slots ? p->mask + 1 : 0, n = had ? had * 2 : PLACES_FIRST_SLOTS;
    struct tk_places grown = {calloc(n, sizeof *grown.slots), n - 1, p->count};
    if (!grown.slots)
        return -1;
    for (size_t i = 0; i < had; i++)
        if (p->slots[i])
            put_place(&grown, hash(ctx, p->slots[i] - 1), p->slots[i]);
    free(p->slots);
    *p = grown;
    return 0;
}

int tk_places_add(struct tk_places *p, uint32_t place, uint64_t (*hash)(const void *ctx, uint32_t place),
                  const void *ctx)
{
    const size_t capacity = p->slots ? (p->mask + 1) / 4 * 3 : 0;
    if (place >= TK_MAP_NONE - 1 || (p->count >= capacity && grow_places(p, hash, ctx)))
        return -1;
    put_place(p, hash(ctx, place), place + 1);
    p->count++;
    return 0;
}

void tk_places_release(struct tk_places *p)
{
    free(p->slots);
    *p = (struct tk_places){0};
}

/*
 * Memory of hash tables.
 */

static struct tk_atomic proposed; /* a function; 0: none */

void *tk_table_memory(size_t n)
{
    void *(*memory)(size_t n) = (void *(*)(size_t))(uintptr_t)tk_atomic_get(&proposed);
    return memory ? memory(n) : malloc(n);
}

void tk_table_memory_by(void *(*memory)(size_t n))
{
    tk_atomic_claim(&proposed, (size_t)(uintptr_t)memory);
}

enum { FIRST_SLOTS = 16 };

/* ---- the key ---- */

static struct tk_atomic process_key; /* 0: none yet. As wide as every processor reads at once */

void tk_hash_propose_key(uint64_t random)
{
    size_t key = (size_t)(random ^ random >> 32);
    tk_atomic_claim(&process_key, key ? key : 1);
}

/* What a file that was written before cannot know: the time, and where system and loader put things. */
static size_t make_key(void)
{
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    const uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)clock(),
                              (uint64_t)(uintptr_t)&now, (uint64_t)(uintptr_t)&process_key};
    tk_hash_propose_key(tk_checksum(parts, sizeof parts, 0));
    return tk_atomic_get(&process_key);
}

static inline uint64_t key_of_process(void)
{
    size_t key = tk_atomic_get(&process_key);
    key = key ? key : make_key();
    return sizeof key < sizeof(uint64_t) ? key * UINT64_C(0x9e3779b97f4a7c15) : key;
}

uint64_t tk_hash_key(void)
{
    return key_of_process();
}

/* ---- hashes ---- */

TK_ALWAYS_INLINE uint64_t hash_number(uint64_t v)
{
    return tk_mix(v ^ key_of_process());
}

uint64_t tk_hash_u64(uint64_t v)
{
    return hash_number(v);
}

uint64_t tk_hash_bytes(const void *p, size_t n, uint64_t seed)
{
    return tk_checksum(p, n, seed ^ key_of_process());
}

/* ---- the map ---- */

TK_ALWAYS_INLINE struct tk_map_slot *find_hash(struct tk_map_slot *slots, size_t mask, uint64_t key)
{
    size_t i = (size_t)hash_number(key) & mask;
    while (slots[i].value != TK_MAP_NONE && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static int rehash(struct tk_map *m, size_t n)
{
    struct tk_map_slot *slots = n <= SIZE_MAX / sizeof *slots ? tk_table_memory(n * sizeof *slots) : NULL;
    if (!slots)
        return -1;
    for (size_t i = 0; i < n; i++)
        slots[i] = (struct tk_map_slot){.value = TK_MAP_NONE};
    for (size_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].value != TK_MAP_NONE)
            *find_hash(slots, n - 1, m->slots[i].key) = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->mask = n - 1;
    return 0;
}

uint32_t tk_map_get(const struct tk_map *m, uint64_t key)
{
    return m->slots ? find_hash(m->slots, m->mask, key)->value : TK_MAP_NONE;
}

void tk_map_prefetch(const struct tk_map *m, uint64_t key)
{
    if (m->slots)
        tk_prefetch(&m->slots[(size_t)hash_number(key) & m->mask]);
}

/* The slot of a key, with its value, or made for it with this one. NULL if out of memory. */
static struct tk_map_slot *reach_slot(struct tk_map *m, uint64_t key, uint32_t value)
{
    struct tk_map_slot *slot = m->slots ? find_hash(m->slots, m->mask, key) : NULL;
    if (slot && slot->value != TK_MAP_NONE)
        return slot;
    /* At most three slots of four are used. */
    if (!slot || m->count >= m->mask - m->mask / 4) {
        if (rehash(m, slot ? (m->mask + 1) * 2 : FIRST_SLOTS))
            return NULL;
        slot = find_hash(m->slots, m->mask, key);
    }
    *slot = (struct tk_map_slot){.key = key, .value = value};
    m->count++;
    return slot;
}

int tk_map_put(struct tk_map *m, uint64_t key, uint32_t value)
{
    struct tk_map_slot *slot = reach_slot(m, key, value);
    if (!slot)
        return -1;
    slot->value = value;
    return 0;
}

uint32_t tk_map_get_or_put(struct tk_map *m, uint64_t key, uint32_t value)
{
    const struct tk_map_slot *slot = reach_slot(m, key, value);
    return slot ? slot->value : TK_MAP_NONE;
}

void tk_map_release(struct tk_map *m)
{
    free(m->slots);
    *m = (struct tk_map){0};
}

/*
 * The checksum of bytes. Baselines hold it; hash.c makes hashes of it.
 */

/*
 * SHA-256 and HMAC.
 */

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t v, unsigned by)
{
    return v >> by | v << (32 - by);
}

static uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void spread(uint32_t w[64], const uint8_t *p)
{
    for (size_t i = 0; i < 16; i++)
        w[i] = load(p + 4 * i);
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void take_block(uint32_t state[8], const uint8_t *p)
{
    uint32_t w[64] = {0}, v[8];
    spread(w, p);
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t one =
            v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
        const uint32_t two =
            (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += v[i];
}

void tk_sha256_begin(struct tk_sha256 *h)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, first, sizeof first);
    h->total = 0;
}

void tk_sha256_add(struct tk_sha256 *h, const void *p, size_t n)
{
    const uint8_t *from = p;
    while (n) {
        const size_t at = h->total % TK_SHA256_BLOCK;
        const size_t part = n < TK_SHA256_BLOCK - at ? n : TK_SHA256_BLOCK - at;
        memcpy(h->block + at, from, part);
        h->total += part;
        from += part;
        n -= part;
        if (at + part == TK_SHA256_BLOCK)
            take_block(h->state, h->block);
    }
}

void tk_sha256_end(struct tk_sha256 *h, uint8_t out[TK_SHA256_BYTES])
{
    static const uint8_t pad[TK_SHA256_BLOCK] = {0x80};
    const uint64_t bits = h->total * 8;
    uint8_t length[8];
    const size_t at = h->total % TK_SHA256_BLOCK;
    tk_sha256_add(h, pad, at < 56 ? 56 - at : 120 - at);
    store(length, (uint32_t)(bits >> 32));
    store(length + 4, (uint32_t)bits);
    tk_sha256_add(h, length, sizeof length);
    for (size_t i = 0; i < 8; i++)
        store(out + 4 * i, h->state[i]);
}

void tk_hmac_key(struct tk_hmac *m, const void *key, size_t n)
{
    uint8_t block[TK_SHA256_BLOCK] = {0}, digest[TK_SHA256_BYTES];
    if (n > sizeof block) {
        tk_sha256_begin(&m->inner);
        tk_sha256_add(&m->inner, key, n);
        tk_sha256_end(&m->inner, digest);
        key = digest;
        n = sizeof digest;
    }
    if (n)
        memcpy(block, key, n);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] ^= 0x36;
    tk_sha256_begin(&m->inner);
    tk_sha256_add(&m->inner, block, sizeof block);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] ^= 0x36 ^ 0x5c;
    tk_sha256_begin(&m->outer);
    tk_sha256_add(&m->outer, block, sizeof block);
}

void tk_hmac_of(const struct tk_hmac *m, const void *p, size_t n, uint8_t out[TK_SHA256_BYTES])
{
    struct tk_sha256 h = m->inner;
    tk_sha256_add(&h, p, n);
    tk_sha256_end(&h, out);
    h = m->outer;
    tk_sha256_add(&h, out, TK_SHA256_BYTES);
    tk_sha256_end(&h, out);
}

uint64_t tk_checksum(const void *p, size_t n, uint64_t seed)
{
    const uint8_t *b = p;
    uint64_t h = seed ^ (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = 0;
    for (; n - at >= 8; at += 8)
        h = tk_mix(h ^ tk_load64(b + at));
    if (at < n)
        h = tk_mix(h ^ tk_load_le(b + at, n - at));
    return tk_mix(h);
}

uint64_t tk_checksum_wide(const void *p, size_t n, uint64_t seed)
{
    const uint8_t *b = p;
    const size_t wide = n - n % 32;
    uint64_t h0 = seed, h1 = seed + 1, h2 = seed + 2, h3 = seed + 3;
    for (size_t at = 0; at < wide; at += 32) {
        h0 = tk_mix(h0 ^ tk_load64(b + at));
        h1 = tk_mix(h1 ^ tk_load64(b + at + 8));
        h2 = tk_mix(h2 ^ tk_load64(b + at + 16));
        h3 = tk_mix(h3 ^ tk_load64(b + at + 24));
    }
    const uint64_t rest = tk_checksum(wide < n ? b + wide : b, n - wide, seed ^ n);
    return tk_mix(tk_mix(tk_mix(tk_mix(rest ^ h0) ^ h1) ^ h2) ^ h3);
}
