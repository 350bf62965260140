/* Memory from events to tables: order across threads, reallocations, containers, tags, contexts, swapping,
 * the clock of memory, what does not fit, damage. Expectations are worked out by hand. */
#include "put.h"

#define START 1000 /* cycle 0 of the recording, 1000 cycles a second */

struct types {
    struct put_type *init, *marker, *alloc, *release, *realloc_alloc, *realloc_free, *video, *update, *mark,
        *unmark, *swap, *scope, *scope_of, *heap, *tag;
};

#define MEMORY_ALL (sizeof(struct types) / sizeof(struct put_type *))

static void memory_types(struct captured *c, struct types *t)
{
    *t = (struct types){
        .init = put_new(c, "Memory.Init", "PageSize:q MarkerPeriod:i Version:b MinAlignment:b SizeShift:b",
                        TK_UW_NOSYNC),
        .marker = put_new(c, "Memory.Marker", "Cycle:q", 0),
        .alloc = put_new(c, "Memory.Alloc",
                         "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b RootHeap:b", 0),
        .release = put_new(c, "Memory.Free", "Address:q CallstackId:i RootHeap:b", 0),
        .realloc_alloc = put_new(c, "Memory.ReallocAllocSystem",
                                 "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b", 0),
        .realloc_free = put_new(c, "Memory.ReallocFreeSystem", "Address:q CallstackId:i", 0),
        .video =
            put_new(c, "Memory.AllocVideo", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b", 0),
        .update = put_new(c, "Memory.UpdateAlloc", "Address:q CallstackId:i RootHeap:b", 0),
        .mark = put_new(c, "Memory.HeapMarkAlloc", "Address:q CallstackId:i Flags:h Heap:i", 0),
        .unmark = put_new(c, "Memory.HeapUnmarkAlloc", "Address:q CallstackId:i Heap:i", 0),
        .swap = put_new(c, "Memory.MemorySwapOp", "Address:q CallstackId:i CompressedSize:i SwapOp:b", 0),
        .scope = put_new(c, "Memory.MemoryScope", "Tag:j", TK_UW_NOSYNC),
        .scope_of = put_new(c, "Memory.MemoryScopePtr", "Ptr:q RootHeap:b", TK_UW_NOSYNC),
        .heap = put_new(c, "Memory.HeapSpec", "Id:i ParentId:i Flags:h Name:w", TK_UW_NOSYNC),
        .tag = put_new(c, "Memory.TagSpec", "Tag:j Parent:j Display:s", TK_UW_NOSYNC),
    };
    put(c, 0, t->init, Q(16384), Q(4096), Q(2), Q(16), Q(3));
}

static void memory_free(struct captured *c, struct types *t)
{
    struct put_type *all[MEMORY_ALL];
    memcpy(all, t, sizeof all);
    for (size_t i = 0; i < MEMORY_ALL; i++)
        free(all[i]);
    captured_free(c);
}

/* Sizes in bytes, alignment 16. */
static void alloc_in(struct captured *c, struct types *t, unsigned lane, uint64_t address, uint32_t size,
                     unsigned heap)
{
    put(c, lane, t->alloc, address, Q(lane + 70), Q(size >> 3), Q(4 << 3 | (size & 7)), Q(heap));
}

static void alloc(struct captured *c, struct types *t, unsigned lane, uint64_t address, uint32_t size)
{
    alloc_in(c, t, lane, address, size, 0);
}

static void release(struct captured *c, struct types *t, unsigned lane, uint64_t address)
{
    put(c, lane, t->release, address, Q(0), Q(0));
}

static void marker(struct captured *c, struct types *t, unsigned lane, uint64_t time)
{
    put(c, lane, t->marker, Q(START + time));
}

static void enter(struct captured *c, struct types *t, unsigned lane, int32_t tag)
{
    tk_uw_enter(&c->lanes[lane]);
    put(c, lane, t->scope, Q((uint32_t)tag));
}

static void leave(struct captured *c, unsigned lane)
{
    tk_uw_leave(&c->lanes[lane]);
}

#define BLOCKS "address,size,tag,thread_id,kind,heap"

/* ---- order and addresses ---- */

/* The lanes come one after the other in the file; the serial numbers say what happened first. */
START_TEST(order_is_that_of_serials)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    alloc(c, &t, 1, 16, 80); /* thread 3 */
    marker(c, &t, 0, 1);
    release(c, &t, 0, 16);   /* thread 2 frees it, */
    alloc(c, &t, 1, 16, 24); /* and 3 uses the address again */
    alloc(c, &t, 0, 32, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", BLOCKS ",alignment,time,index,callstack"),
                     "16|24|0|3|allocation|0|16|1001|3|71\n"
                     "32|8|0|2|allocation|0|16|1001|4|70\n");
    c->by = TK_BY_THREAD;
    ck_assert_str_eq(captured_table(c, "memory",
                                    "by,key,alive_bytes,alive_count,peak_bytes,allocs,frees,alloc_bytes,"
                                    "free_bytes,short_lived"),
                     "total||32|2|80|3|1|112|80|1\n"
                     "thread|3|24|1|80|2|1|104|80|1\n"
                     "thread|2|8|1|8|1|0|8|0|0\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 0);
    memory_free(c, &t);
}
END_TEST

/* Size = Size << shift | the lower bits; 35 bits and more. */
START_TEST(sizes_and_alignments)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.alloc, Q(16), Q(0), Q(UINT32_MAX), Q(0xff), Q(0)); /* 31 << 3 | 7 */
    put(c, 0, t.alloc, Q(32), Q(0), Q(0), Q(0), Q(0));
    marker(c, &t, 0, 1);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,size,alignment"),
                     "16|34359738367|2147483648\n32|0|1\n");
    c->by = TK_BY_SIZE;
    ck_assert_str_eq(captured_table(c, "memory", "by,key,alive_count"),
                     "total||2\nsize|34359738368|1\nsize|1|1\n");
    memory_free(c, &t);
}
END_TEST

START_TEST(a_shift_that_makes_no_sense)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.init, Q(0), Q(4096), Q(2), Q(16), Q(200)); /* refused: 3 stays */
    alloc(c, &t, 0, 16, 80);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,size"), "16|80\n");
    ck_assert_uint_eq(captured_faults(c, "allocations", "payload_damaged"), 1);
    memory_free(c, &t);
}
END_TEST

START_TEST(what_does_not_fit)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    alloc(c, &t, 0, 0, 8); /* at no address: ignored */
    release(c, &t, 0, 48); /* from before the recording */
    alloc(c, &t, 0, 16, 80);
    alloc(c, &t, 0, 16, 24); /* over a live one, which is taken as freed */
    put(c, 0, t.update, Q(64), Q(0), Q(0));
    put(c, 0, t.realloc_free, Q(64), Q(0));
    put(c, 0, t.realloc_alloc, Q(80), Q(9), Q(1), Q(0)); /* 8 bytes, tag 0 */
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", BLOCKS),
                     "16|24|0|2|allocation|0\n80|8|0|2|allocation|0\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(c, "memory", "by,alive_bytes,allocs,frees,reallocs,peak_bytes,unknown_frees"),
        "total|32|2|1|1|80|2\nheap|32|2|1|1|80|2\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 4);
    memory_free(c, &t);
}
END_TEST

/* Root heaps have addresses of their own. */
START_TEST(video_memory)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.heap, Q(0), Q(UINT32_MAX), Q(1), "System");
    put(c, 0, t.heap, Q(1), Q(UINT32_MAX), Q(1), "Video");
    alloc(c, &t, 0, 16, 80);
    put(c, 0, t.video, Q(16), Q(0), Q(100), Q(0));
    alloc_in(c, &t, 0, 16, 8, 5);
    release(c, &t, 0, 16);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", BLOCKS ",heap_name"),
                     "16|800|0|2|allocation|1|Video\n16|8|0|2|allocation|5|\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,heap,name,alive_bytes,peak_bytes"),
                     "total|||808|888\nheap|1|Video|800|800\nheap|5||8|8\nheap|0|System|0|80\n");
    memory_free(c, &t);
}
END_TEST

/* ---- tags ---- */

START_TEST(tags_are_of_the_thread)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.tag, Q(5), Q(UINT32_MAX), "Meshes");
    put(c, 0, t.tag, Q(7), Q(8), "Hud");
    put(c, 0, t.tag, Q(8), Q(9), "CustomName");
    put(c, 0, t.tag, Q(9), Q(UINT32_MAX), "Engine/UI");
    enter(c, &t, 0, 5);
    alloc(c, &t, 1, 16, 8); /* another thread */
    alloc(c, &t, 0, 32, 8);
    enter(c, &t, 0, 7);
    alloc(c, &t, 0, 48, 8);
    leave(c, 0);
    alloc(c, &t, 0, 64, 8);
    leave(c, 0);
    leave(c, 0); /* an end without a begin */
    alloc(c, &t, 0, 80, 8);
    enter(c, &t, 0, -3); /* not defined */
    alloc(c, &t, 0, 96, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,tag,tag_name"),
                     "16|0|Untagged\n32|5|Meshes\n48|7|Hud\n64|5|Meshes\n80|0|Untagged\n96|-3|\n");
    c->by = TK_BY_TAG;
    ck_assert_str_eq(captured_table(c, "memory", "by,key,name,path,alive_count"),
                     "total||||6\n"
                     "tag|0|Untagged|Untagged|2\n"
                     "tag|5|Meshes|Meshes|2\n"
                     "tag|7|Hud|UI/Hud|1\n"
                     "tag|-3|||1\n");
    memory_free(c, &t);
}
END_TEST

/* An event that has no scope record around it begins nothing. */
START_TEST(a_tag_without_a_scope)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.scope, Q(5));
    alloc(c, &t, 0, 16, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,tag"), "16|0\n");
    memory_free(c, &t);
}
END_TEST

START_TEST(tags_of_pointers)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    enter(c, &t, 1, 5);
    alloc(c, &t, 1, 16, 8);
    alloc_in(c, &t, 1, 32, 8, 1);
    leave(c, 1);
    alloc(c, &t, 0, 48, 8); /* so that thread 2 is behind thread 3 */
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, t.scope_of, Q(16), Q(0));
    alloc(c, &t, 0, 64, 8);
    release(c, &t, 0, 16); /* does not matter any more */
    alloc(c, &t, 0, 80, 8);
    leave(c, 0);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, t.scope_of, Q(32), Q(1)); /* in video memory */
    alloc(c, &t, 0, 96, 8);
    leave(c, 0);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, t.scope_of, Q(32), Q(0)); /* nothing there */
    alloc(c, &t, 0, 112, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,heap,tag"),
                     "32|1|5\n48|0|0\n64|0|5\n80|0|5\n96|0|5\n112|0|0\n");
    memory_free(c, &t);
}
END_TEST

/* ---- reallocations ---- */

/* Between the halves other threads do what they like, reallocations too. */
START_TEST(reallocations_pair_by_thread)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    enter(c, &t, 0, 5);
    alloc(c, &t, 0, 16, 8);
    leave(c, 0);
    enter(c, &t, 0, 6);
    alloc(c, &t, 0, 32, 8);
    leave(c, 0);
    enter(c, &t, 1, 7);
    put(c, 0, t.realloc_free, Q(16), Q(0));
    put(c, 1, t.realloc_free, Q(32), Q(0));
    alloc(c, &t, 2, 48, 8);
    put(c, 1, t.realloc_alloc, Q(16), Q(1), Q(2), Q(0)); /* takes the address, tag 6 */
    put(c, 0, t.realloc_alloc, Q(64), Q(1), Q(3), Q(0)); /* tag 5 */
    alloc(c, &t, 0, 80, 8);                              /* untagged again */
    alloc(c, &t, 1, 96, 8);                              /* tag 7 again */
    put(c, 1, t.realloc_alloc, Q(112), Q(1), Q(4),
        Q(0)); /* of null: only the new half; leaves the tags alone */
    alloc(c, &t, 1, 128, 8);
    put(c, 1, t.realloc_free, Q(128), Q(0)); /* only the old half: gone when the scope ends */
    leave(c, 1);
    alloc(c, &t, 1, 144, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,size,tag,thread_id"),
                     "48|8|0|4\n16|16|6|3\n64|24|5|2\n80|8|0|2\n96|8|7|3\n112|32|7|3\n144|8|0|3\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(c, "memory",
                       "by,alive_count,alive_bytes,allocs,frees,reallocs,alloc_bytes,free_bytes"),
        "total|7|104|7|0|3|128|24\nheap|7|104|7|0|3|128|24\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 0);
    memory_free(c, &t);
}
END_TEST

/* Tagged anew where it is; the page is not swapped out by that. */
START_TEST(updates)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    marker(c, &t, 0, 1);
    alloc(c, &t, 1, 16, 80);
    marker(c, &t, 0, 9);
    enter(c, &t, 0, 5);
    put(c, 0, t.update, Q(16), Q(99), Q(0));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", BLOCKS ",callstack,time,index"),
                     "16|80|5|2|allocation|0|71|1009|2\n");
    c->by = TK_BY_TAG;
    ck_assert_str_eq(captured_table(c, "memory", "by,key,alive_bytes,peak_bytes,allocs,frees"),
                     "total||80|80|1|0\ntag|5|80|80|0|0\ntag|0|0|80|1|0\n");
    memory_free(c, &t);
}
END_TEST

/* ---- containers ---- */

START_TEST(containers_do_not_count_twice)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.heap, Q(0), Q(UINT32_MAX), Q(1), "System");
    put(c, 0, t.heap, Q(16), Q(0), Q(0), "Module");
    put(c, 0, t.heap, Q(17), Q(16), Q(0), "Inner");
    alloc(c, &t, 0, 4096, 1000);
    put(c, 0, t.mark, Q(4096), Q(0), Q(1), Q(16));
    alloc(c, &t, 0, 4096, 400); /* served by it, at the same address */
    put(c, 0, t.mark, Q(4096), Q(0), Q(1), Q(17));
    alloc(c, &t, 0, 4096, 40);
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "allocations", "address,size,kind,heap,heap_name"),
        "4096|1000|container|16|Module\n4096|400|container|17|Inner\n4096|40|allocation|0|System\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,heap,name,alive_bytes,alive_count,peak_bytes"),
                     "total|||40|1|1000\nheap|0|System|40|1|1000\n"
                     "container|16|Module|1000|1|1000\ncontainer|17|Inner|400|1|400\n");
    memory_free(c, &t);
}
END_TEST

START_TEST(containers_end)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.heap, Q(16), Q(0), Q(0), "Module");
    alloc(c, &t, 0, 4096, 1000);
    put(c, 0, t.mark, Q(4096), Q(0), Q(1), Q(16));
    alloc(c, &t, 0, 4096, 40);
    release(c, &t, 0, 4096);                   /* the small one */
    put(c, 0, t.unmark, Q(4096), Q(0), Q(16)); /* an ordinary one again */
    alloc(c, &t, 0, 8192, 500);
    put(c, 0, t.mark, Q(8192), Q(0), Q(1), Q(16));
    release(c, &t, 0, 8192);                     /* the container itself */
    put(c, 0, t.mark, Q(64), Q(0), Q(1), Q(16)); /* nothing there */
    put(c, 0, t.unmark, Q(64), Q(0), Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,size,kind"), "4096|1000|allocation\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,heap,alive_bytes,allocs,frees,free_bytes"),
                     "total||1000|3|2|540\nheap|0|1000|3|2|540\ncontainer|16|0|2|2|\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 2);
    memory_free(c, &t);
}
END_TEST

/* Parents in a circle: the search for a root ends. */
START_TEST(heaps_in_a_circle)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    put(c, 0, t.heap, Q(16), Q(17), Q(0), "A");
    put(c, 0, t.heap, Q(17), Q(16), Q(0), "B");
    alloc(c, &t, 0, 4096, 1000);
    put(c, 0, t.mark, Q(4096), Q(0), Q(1), Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,kind"), "4096|allocation\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 1);
    memory_free(c, &t);
}
END_TEST

/* ---- swapping ---- */

START_TEST(pages_that_are_out)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t); /* pages of 16384 bytes */
    alloc(c, &t, 0, 16384, 80);
    put(c, 0, t.swap, Q(16384 + 5), Q(0), Q(100), Q(0));
    put(c, 0, t.swap, Q(2 * 16384), Q(0), Q(200), Q(0));
    put(c, 0, t.swap, Q(3 * 16384), Q(0), Q(300), Q(0));
    put(c, 0, t.swap, Q(2 * 16384 + 1), Q(0), Q(0), Q(1)); /* in */
    put(c, 0, t.swap, Q(3 * 16384), Q(0), Q(0), Q(2));     /* freed while out */
    put(c, 0, t.swap, Q(16384), Q(0), Q(50), Q(0));        /* out while it is out */
    put(c, 0, t.swap, Q(9 * 16384), Q(0), Q(0), Q(1));     /* in, but was not out */
    put(c, 0, t.swap, Q(16384), Q(0), Q(0), Q(7));         /* what? */
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,size,kind"),
                     "16384|80|allocation\n16384|50|swap\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(c, "memory", "by,alive_bytes,alive_count,peak_bytes,allocs,frees,packed_bytes"),
        "total|80|1|80|1|0|\nheap|80|1|80|1|0|\nswap|16384|1|49152|4|3|50\n");
    ck_assert_uint_eq(captured_faults(c, "memory", "memory_unmatched"), 2);
    ck_assert_uint_eq(captured_faults(c, "memory", "payload_damaged"), 1);
    memory_free(c, &t);
}
END_TEST

/* ---- time ---- */

static struct captured *write_times(struct types *t)
{
    struct captured *c = captured_new(7);
    memory_types(c, t);
    alloc(c, t, 0, 16, 8); /* before the first marker: has its time */
    marker(c, t, 0, 100);
    alloc(c, t, 0, 32, 8);
    marker(c, t, 1, 50); /* goes backwards: ignored */
    alloc(c, t, 0, 48, 8);
    marker(c, t, 0, 200);
    alloc(c, t, 0, 64, 8);
    marker(c, t, 0, 200 + 300000); /* 5 minutes: ignored */
    alloc(c, t, 0, 80, 8);
    release(c, t, 0, 16);
    marker(c, t, 0, 300);
    release(c, t, 0, 32);
    captured_close(c);
    return c;
}

START_TEST(time_is_that_of_the_latest_marker)
{
    struct types t;
    struct captured *c = write_times(&t);
    ck_assert_str_eq(captured_table(c, "allocations", "address,time"), "48|1100\n64|1200\n80|1200\n");
    ck_assert_uint_eq(captured_faults(c, "allocations", "time_backwards"), 1);
    ck_assert_uint_eq(captured_faults(c, "allocations", "time_unreliable"), 1);
    memory_free(c, &t);
}
END_TEST

START_TEST(alive_at_a_moment)
{
    static const struct {
        int64_t ms;
        const char *alive;
    } moments[] = {{99, ""},
                   {100, "16|1100\n32|1100\n48|1100\n"},
                   {199, "16|1100\n32|1100\n48|1100\n"},
                   {200, "32|1100\n48|1100\n64|1200\n80|1200\n"},
                   {300, "48|1100\n64|1200\n80|1200\n"},
                   {9000, "48|1100\n64|1200\n80|1200\n"}};
    struct types t;
    struct captured *c = write_times(&t);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        c->memory = (struct tk_memory_query){.has_at = true, .at_ns = moments[i].ms * 1000000};
        ck_assert_str_eq(captured_table(c, "allocations", "address,time"), moments[i].alive);
    }
    c->memory = (struct tk_memory_query){.has_at = true, .at_ns = 100000000};
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,alive_bytes,alive_count,peak_bytes,allocs,frees"),
                     "total|24|3|40|5|2\nheap|24|3|40|5|2\n");
    memory_free(c, &t);
}
END_TEST

/* Allocated in [A, B) and alive at C. */
START_TEST(allocated_in_a_window)
{
    struct types t;
    struct captured *c = write_times(&t);
    c->memory = (struct tk_memory_query){.has_window = true, .from_ns = 100000000, .to_ns = 200000000};
    ck_assert_str_eq(captured_table(c, "allocations", "address,time"), "48|1100\n");
    c->memory.has_at = true;
    c->memory.at_ns = 200000000;
    ck_assert_str_eq(captured_table(c, "allocations", "address,time"), "32|1100\n48|1100\n");
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,alive_bytes,allocs"), "total|16|5\nheap|16|5\n");
    memory_free(c, &t);
}
END_TEST

START_TEST(without_a_marker)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    alloc(c, &t, 0, 16, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,time"), "16|1000\n");
    c->limit = "held_events=0";
    ck_assert_str_eq(captured_table(c, "allocations", "address,time"), "16|1000\n");
    ck_assert_uint_eq(captured_faults(c, "allocations", "time_unreliable"), 1);
    memory_free(c, &t);
}
END_TEST

/* The selection cuts what comes and goes; what is alive is that of the end. */
START_TEST(selected_time_and_threads)
{
    static const char *const worker[] = {"Thread 3"};
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    marker(c, &t, 0, 100);
    alloc(c, &t, 0, 16, 80);
    alloc(c, &t, 1, 32, 40);
    marker(c, &t, 0, 200);
    release(c, &t, 0, 16);
    alloc(c, &t, 1, 48, 8);
    captured_close(c);
    c->by = TK_BY_HEAP;
    c->select = (struct tk_selection){.has_from = true, .from_ns = 150000000};
    ck_assert_str_eq(captured_table(c, "memory", "by,alive_bytes,peak_bytes,allocs,frees,free_bytes"),
                     "total|48|120|1|1|80\nheap|48|120|1|1|80\n");
    c->select = (struct tk_selection){.threads = worker, .n_threads = 1};
    ck_assert_str_eq(captured_table(c, "memory", "by,alive_bytes,peak_bytes,allocs,frees"),
                     "total|48|48|2|0\nheap|48|48|2|0\n");
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "32\n48\n");
    memory_free(c, &t);
}
END_TEST

/* Frames by order, not by the coarse clock of memory: 48 bytes in the first, 8 and 16 in the second, none in
 * the third. */
START_TEST(churn_by_frame)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    marker(c, &t, 0, 1);
    alloc(c, &t, 0, 16, 800); /* outside of frames */
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 10, 0);
    alloc(c, &t, 1, 32, 48);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 15, 1); /* rendering: does not matter */
    tk_uw_frame_end(&c->uw, &c->lanes[0], START + 20, 0);
    alloc(c, &t, 0, 48, 800);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 30, 0);
    alloc(c, &t, 0, 64, 8);
    release(c, &t, 0, 64);
    put(c, 0, t.realloc_free, Q(32), Q(0));
    put(c, 0, t.realloc_alloc, Q(32), Q(0), Q(2), Q(0));
    tk_uw_frame_end(&c->uw, &c->lanes[0], START + 40, 0);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 50, 0);
    tk_uw_frame_end(&c->uw, &c->lanes[0], START + 60, 0);
    captured_close(c);
    c->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(c, "memory", "by,frame_allocs,frame_bytes,frame_max"),
                     "total|1r|24r|48\nheap|1r|24r|48\n");
    memory_free(c, &t);
}
END_TEST

/* ---- damage and limits ---- */

START_TEST(the_old_form_is_refused)
{
    struct captured *c = captured_new(7);
    struct put_type *init = put_new(c, "Memory.Init", "Version:b SizeShift:b", TK_UW_NOSYNC);
    struct put_type *alloc_old =
        put_new(c, "Memory.Alloc", "Owner:q Address:q Size:i Alignment_SizeLower:b", 0);
    struct put_type *free_old = put_new(c, "Memory.Free", "Address:q", 0);
    put(c, 0, init, Q(0), Q(3));
    put(c, 0, alloc_old, Q(1), Q(16), Q(1), Q(0));
    put(c, 0, free_old, Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "");
    ck_assert_uint_eq(captured_faults(c, "allocations", "version_unsupported"), 2);
    free(init);
    free(alloc_old);
    free(free_old);
    captured_free(c);
}
END_TEST

START_TEST(fields_are_missing)
{
    struct captured *c = captured_new(7);
    struct put_type *no_size = put_new(c, "Memory.AllocSystem", "Address:q", 0);
    struct put_type *no_address = put_new(c, "Memory.FreeSystem", "Adress:q", 0);
    struct put_type *text = put_new(c, "Memory.Marker", "Cycle:s", 0);
    struct put_type *frames = put_new(c, "Memory.CallstackSpec", "CallstackId:i", TK_UW_NOSYNC);
    put(c, 0, no_size, Q(16));
    put(c, 0, no_address, Q(16));
    put(c, 0, text, "soon");
    put(c, 0, frames, Q(1));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "");
    ck_assert_uint_eq(captured_faults(c, "allocations", "payload_damaged"), 3);
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack"), "");
    ck_assert_uint_eq(captured_faults(c, "callstacks", "payload_damaged"), 1);
    free(no_size);
    free(no_address);
    free(text);
    free(frames);
    captured_free(c);
}
END_TEST

/* Where bytes of a thread are missing its tags and contexts are forgotten, in their place, those of others
 * are not. */
START_TEST(bytes_are_missing)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    enter(c, &t, 0, 5);
    enter(c, &t, 1, 6);
    alloc(c, &t, 0, 16, 8);
    captured_send(c);
    tk_uw_raw(&c->lanes[0].pending, "\x1c", 1); /* a code that is reserved */
    tk_uw_lane_mark(&c->lanes[0]);
    captured_send(c);
    alloc(c, &t, 0, 32, 8);
    alloc(c, &t, 1, 48, 8);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,tag"), "16|5\n32|0\n48|6\n");
    ck_assert_uint_eq(captured_faults(c, "allocations", "stream_break"), 1);
    memory_free(c, &t);
}
END_TEST

START_TEST(limits_are_told)
{
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    for (unsigned i = 1; i <= 5; i++)
        alloc(c, &t, i % 2, 16 * i, 8);
    captured_close(c);
    c->limit = "alive_allocations=3";
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "16\n32\n48\n");
    ck_assert_uint_eq(captured_faults(c, "allocations", "limit_reached"), 2);
    c->limit = "memory_groups=1";
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "16\n32\n48\n64\n80\n");
    ck_assert_uint_ge(captured_faults(c, "allocations", "limit_reached"), 1);
    memory_free(c, &t);
}
END_TEST

/* ---- contexts ---- */

struct asset_types {
    struct tk_uw_type name, asset;
    struct put_type *package, *other, *clear, *save, *restore, *mapping;
};

static const struct tk_uw_field name_fields[] = {
    {.name = "DisplayWide", .type = TK_UW_WIDE},
    {.name = "DisplayAnsi", .type = TK_UW_ANSI},
    {.name = "", .type = TK_UW_U32, .family = TK_UW_DEFINITION_ID},
};

static void asset_types(struct captured *c, struct asset_types *t, struct tk_uw_field fields[3])
{
    static const char *const names[] = {"Name", "Class", "Package"};
    t->name = (struct tk_uw_type){.logger = "Strings",
                                  .event = "FName",
                                  .fields = name_fields,
                                  .field_count = 3,
                                  .flags = TK_UW_NOSYNC | TK_UW_AUX | TK_UW_DEFINITION};
    captured_type(c, &t->name);
    for (size_t i = 0; i < 3; i++)
        fields[i] = (struct tk_uw_field){
            .name = names[i], .type = TK_UW_U32, .family = TK_UW_REFERENCE, .refers_to = t->name.uid};
    t->asset =
        (struct tk_uw_type){.logger = "Metadata", .event = "Asset", .fields = fields, .field_count = 3};
    captured_type(c, &t->asset);
    t->package = put_new(c, "Metadata.PackageId", "Id:q", TK_UW_NOSYNC);
    t->other = put_new(c, "Metadata.Plugin", "Whatever:i", TK_UW_NOSYNC);
    t->clear = put_new(c, "MetadataStack.ClearScope", "", TK_UW_NOSYNC);
    t->save = put_new(c, "MetadataStack.SaveStack", "Id:i", 0);
    t->restore = put_new(c, "MetadataStack.RestoreStack", "Id:i", 0);
}

static void asset_free(struct asset_types *t)
{
    free(t->package);
    free(t->other);
    free(t->clear);
    free(t->save);
    free(t->restore);
}

static void define(struct captured *c, unsigned lane, struct asset_types *t, uint32_t id, const char *wide,
                   const char *ansi)
{
    struct tk_uw_bytes text = {0};
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_wide(&text, wide);
    tk_uw_begin(to, &t->name);
    tk_uw_u32(&to->pending, id);
    tk_uw_value(to, &t->name, 0, text.data, text.size);
    tk_uw_value(to, &t->name, 1, ansi, strlen(ansi));
    tk_uw_end(to, &t->name);
    tk_uw_bytes_release(&text);
}

static void enter_asset(struct captured *c, unsigned lane, struct asset_types *t, uint32_t name)
{
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_enter(to);
    tk_uw_begin(to, &t->asset);
    tk_uw_u32(&to->pending, name);
    tk_uw_u32(&to->pending, 90);
    tk_uw_u32(&to->pending, 91);
    tk_uw_end(to, &t->asset);
}

START_TEST(allocations_know_their_asset)
{
    struct types t;
    struct asset_types a;
    struct tk_uw_field fields[3];
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    asset_types(c, &a, fields);
    enter_asset(c, 0, &a, 1);
    alloc(c, &t, 0, 16, 8);
    alloc(c, &t, 1, 32, 8); /* another thread */
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.other, Q(3)); /* of no asset: the one around it stays */
    alloc(c, &t, 0, 48, 8);
    leave(c, 0);
    enter_asset(c, 0, &a, 2);
    alloc(c, &t, 0, 64, 16);
    put(c, 0, a.save, Q(77));
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.clear);
    alloc(c, &t, 0, 80, 8); /* nothing */
    enter_asset(c, 0, &a, 1);
    alloc(c, &t, 0, 96, 8);
    leave(c, 0);
    leave(c, 0);
    alloc(c, &t, 0, 112, 8); /* 2 again */
    leave(c, 0);
    leave(c, 0);
    alloc(c, &t, 0, 128, 8); /* nothing */
    enter_asset(c, 1, &a, 1);
    tk_uw_enter(&c->lanes[1]);
    put(c, 1, a.restore, Q(77)); /* what thread 2 saved */
    alloc(c, &t, 1, 144, 8);
    leave(c, 1);
    alloc(c, &t, 1, 160, 8); /* 1 */
    tk_uw_enter(&c->lanes[1]);
    put(c, 1, a.restore, Q(78)); /* never saved */
    alloc(c, &t, 1, 176, 8);
    leave(c, 1);
    define(c, 1, &a, 1, "", "Rock"); /* late, and on another thread */
    define(c, 1, &a, 2, "Tree", "not this");
    define(c, 1, &a, 90, "", "Mesh");
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "allocations", "address,asset,asset_class,package"),
        "16|Rock|Mesh|\n32|||\n48|Rock|Mesh|\n64|Tree|Mesh|\n80|||\n96|Rock|Mesh|\n112|Tree|Mesh|\n"
        "128|||\n144|Tree|Mesh|\n160|Rock|Mesh|\n176|||\n");
    ck_assert_str_eq(captured_table(c, "assets", "asset,class,package,scopes,alive_bytes,alive_count,allocs"),
                     "Rock|Mesh||3|32|4|4\nTree|Mesh||1|32|3|3\n");
    c->by = TK_BY_ASSET;
    ck_assert_str_eq(captured_table(c, "memory", "by,name,alive_bytes"),
                     "total||96\nasset||32\nasset|Rock|32\nasset|Tree|32\n");
    ck_assert_uint_eq(captured_faults(c, "assets", "memory_unmatched"), 1);
    asset_free(&a);
    memory_free(c, &t);
}
END_TEST

/* A package counts where no asset is around it; its name may come at any time. */
START_TEST(packages_stand_in_for_assets)
{
    struct types t;
    struct asset_types a;
    struct tk_uw_field fields[3];
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    asset_types(c, &a, fields);
    struct tk_uw_field mapping_fields[] = {
        {.name = "Id", .type = TK_UW_U64},
        {.name = "Package", .type = TK_UW_U32, .family = TK_UW_REFERENCE, .refers_to = a.name.uid}};
    struct tk_uw_type mapping = {
        .logger = "Package", .event = "PackageMapping", TK_UW_FIELDS(mapping_fields), .flags = TK_UW_NOSYNC};
    captured_type(c, &mapping);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.package, Q(0xabcdef0123456789));
    alloc(c, &t, 0, 16, 8);
    enter_asset(c, 0, &a, 1);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.package, Q(5));
    alloc(c, &t, 0, 32, 8);
    tk_uw_begin(&c->lanes[1], &mapping);
    tk_uw_u64(&c->lanes[1].pending, 0xabcdef0123456789);
    tk_uw_u32(&c->lanes[1].pending, 7);
    tk_uw_end(&c->lanes[1], &mapping);
    define(c, 1, &a, 7, "/Game/Level", "");
    define(c, 1, &a, 1, "", "Rock");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,asset,package"),
                     "16|/Game/Level|/Game/Level\n32|Rock|\n");
    ck_assert_str_eq(captured_table(c, "assets", "asset,package,scopes,alive_count"),
                     "/Game/Level|/Game/Level|1|1\nRock||1|1\n||1|0\n");
    asset_free(&a);
    memory_free(c, &t);
}
END_TEST

/* The latest text of an id, the wide one unless it is empty; types without a text too. */
START_TEST(definitions_by_type_and_id)
{
    static const struct tk_uw_field bare_fields[] = {
        {.name = "", .type = TK_UW_U64, .family = TK_UW_DEFINITION_ID}};
    struct asset_types a;
    struct tk_uw_field fields[3];
    struct captured *c = captured_new(7);
    asset_types(c, &a, fields);
    struct tk_uw_type bare = {.logger = "Other",
                              .event = "Thing",
                              TK_UW_FIELDS(bare_fields),
                              .flags = TK_UW_NOSYNC | TK_UW_DEFINITION};
    captured_type(c, &bare);
    define(c, 0, &a, 9, "Old", "");
    define(c, 1, &a, 3, "", "narrow");
    define(c, 0, &a, 9, "New", "");
    tk_uw_begin(&c->lanes[0], &bare);
    tk_uw_u64(&c->lanes[0].pending, 9);
    tk_uw_end(&c->lanes[0], &bare);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "definitions", "type,id,text"),
                     "Other.Thing|9|\nStrings.FName|3|narrow\nStrings.FName|9|New\n");
    asset_free(&a);
    captured_free(c);
}
END_TEST

/* ---- callstacks and modules ---- */

static void callstack(struct captured *c, unsigned lane, const struct tk_uw_type *type, uint32_t id,
                      const uint64_t *frames, size_t n)
{
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_begin(to, type);
    tk_uw_u32(&to->pending, id);
    tk_uw_value(to, type, 1, frames, n * sizeof *frames);
    tk_uw_end(to, type);
}

START_TEST(frames_by_module_and_offset)
{
    static const struct tk_uw_field fields[] = {{.name = "CallstackId", .type = TK_UW_U32},
                                                {.name = "Frames", .type = TK_UW_U64S}};
    struct tk_uw_type spec = {.logger = "Memory",
                              .event = "CallstackSpec",
                              TK_UW_FIELDS(fields),
                              .flags = TK_UW_NOSYNC | TK_UW_AUX};
    struct types t;
    struct captured *c = captured_new(7);
    memory_types(c, &t);
    captured_type(c, &spec);
    struct put_type *init =
        put_new(c, "Diagnostics.ModuleInit", "SymbolFormat:s ModuleBaseShift:b", TK_UW_NOSYNC);
    struct put_type *load =
        put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i ImageId:B", TK_UW_NOSYNC);
    struct put_type *unload = put_new(c, "Diagnostics.ModuleUnload", "Base:q", TK_UW_NOSYNC);
    put(c, 0, init, "dwarf", Q(0));
    put(c, 0, load, "/opt/game", Q(0x1000), Q(0x1000), "\x01\xab", (size_t)2);
    put(c, 0, load, "C:\\bin\\old.dll", Q(0x4000), Q(0x1000), "", (size_t)0);
    put(c, 0, unload, Q(0x4000));
    put(c, 0, load, "new.dll", Q(0x4800), Q(0x1000), "", (size_t)0);
    put(c, 0, load, "huge", Q(0xfffffffffffff000), Q(0xffffffff), "", (size_t)0);
    put(c, 0, unload, Q(0x7777)); /* never loaded */
    alloc(c, &t, 0, 16, 8);       /* callstack 70, defined later on another thread */
    alloc(c, &t, 1, 32, 8);       /* callstack 71, never defined */
    callstack(c, 1, &spec, 70, (const uint64_t[]){0x1fff, 0x2000, 0x4100, 0x4900, 0x57ff, UINT64_MAX}, 6);
    callstack(c, 0, &spec, 3, (const uint64_t[]){0x1000}, 1);
    callstack(c, 0, &spec, 4, NULL, 0);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "modules", "module,base,size,image_id,symbol_format,unloaded,path"),
                     "game|4096|4096|01ab|dwarf|0|/opt/game\n"
                     "old.dll|16384|4096||dwarf|1|C:\\bin\\old.dll\n"
                     "new.dll|18432|4096||dwarf|0|new.dll\n"
                     "huge|-4096|4294967295||dwarf|0|huge\n");
    ck_assert_uint_eq(captured_faults(c, "modules", "definition_missing"), 1);
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack,frame,address,module,offset"),
                     "3|0|4096|game|0\n"
                     "70|0|8191|game|4095\n"
                     "70|1|8192||\n"
                     "70|2|16640|old.dll|256\n"
                     "70|3|18688|new.dll|256\n"
                     "70|4|22527|new.dll|4095\n"
                     "70|5|-1|huge|4095\n");
    c->by = TK_BY_CALLSTACK;
    ck_assert_str_eq(captured_table(c, "memory", "by,key,name,alive_bytes"),
                     "total|||16\ncallstack|70|game+0xfff|8\ncallstack|71||8\n");
    ck_assert_str_eq(captured_table(c, "allocations", "callstack,frame"), "70|game+0xfff\n71|\n");
    c->limit = "callstack_bytes=60"; /* room for the one of one frame and the empty one */
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack,frame"), "3|0\n");
    ck_assert_uint_eq(captured_faults(c, "callstacks", "limit_reached"), 1);
    free(init);
    free(load);
    free(unload);
    memory_free(c, &t);
}
END_TEST

/* Early engines write 32 bits, to be shifted. */
START_TEST(bases_of_32_bits)
{
    struct captured *c = captured_new(7);
    struct put_type *load = put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:i Size:i", TK_UW_NOSYNC);
    struct put_type *init = put_new(c, "Diagnostics.ModuleInit", "SymbolFormat:s", TK_UW_NOSYNC);
    put(c, 0, load, "a", Q(0x7fff1234), Q(16)); /* 0x7fff12340000 */
    put(c, 0, init, "pdb");
    put(c, 0, load, "b", Q(1), Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "modules", "module,base,symbol_format"),
                     "a|140733498785792|\nb|65536|pdb\n");
    free(init);
    free(load);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        order_is_that_of_serials,
        sizes_and_alignments,
        a_shift_that_makes_no_sense,
        what_does_not_fit,
        video_memory,
        tags_are_of_the_thread,
        a_tag_without_a_scope,
        tags_of_pointers,
        reallocations_pair_by_thread,
        updates,
        containers_do_not_count_twice,
        containers_end,
        heaps_in_a_circle,
        pages_that_are_out,
        time_is_that_of_the_latest_marker,
        alive_at_a_moment,
        allocated_in_a_window,
        without_a_marker,
        selected_time_and_threads,
        churn_by_frame,
        the_old_form_is_refused,
        fields_are_missing,
        bytes_are_missing,
        limits_are_told,
        allocations_know_their_asset,
        packages_stand_in_for_assets,
        definitions_by_type_and_id,
        frames_by_module_and_offset,
        bases_of_32_bits,
    };
    return RUN_TESTS("memory", tests);
}
