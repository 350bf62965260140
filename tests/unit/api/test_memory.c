/* Memory from events to tables: order across threads, tags, reallocations, containers, swapping, what does
 * not fit. Expectations are worked out by hand. */
#include "memory_put.h"

/* ---- order and addresses ---- */

/* The lanes come one after the other in the file; the serial numbers say what happened first. */
START_TEST(order_is_that_of_serials)
{
    alloc(1, 16, 80); /* thread 3 */
    marker(0, 1);
    release(0, 16);   /* thread 2 frees it, */
    alloc(1, 16, 24); /* and 3 uses the address again */
    alloc(0, 32, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", BLOCKS ",alignment,time,index,callstack_id"),
                     "16|24|0|3|allocation|0|16|1001|3|71\n"
                     "32|8|0|2|allocation|0|16|1001|4|70\n");
    capture->by = TK_BY_THREAD;
    ck_assert_str_eq(captured_table(capture, "memory",
                                    "by,key,alive_bytes,alive_count,peak_bytes,allocs,frees,alloc_bytes,"
                                    "free_bytes,short_lived"),
                     "total||32|2|80|3|1|112|80|1\n"
                     "thread|3|24|1|80|2|1|104|80|1\n"
                     "thread|2|8|1|8|1|0|8|0|0\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 0);
}
END_TEST

/* Size = Size << shift | the lower bits; 35 bits and more. */
START_TEST(sizes_and_alignments)
{
    put(capture, 0, ev.alloc, Q(16), Q(0), Q(UINT32_MAX), Q(0xff), Q(0)); /* 31 << 3 | 7 */
    put(capture, 0, ev.alloc, Q(32), Q(0), Q(0), Q(0), Q(0));
    marker(0, 1);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,bytes,alignment"),
                     "16|34359738367|2147483648\n32|0|1\n");
    capture->by = TK_BY_SIZE;
    ck_assert_str_eq(captured_table(capture, "memory", "by,key,alive_count"),
                     "total||2\nsize|34359738368|1\nsize|1|1\n");
}
END_TEST

START_TEST(a_shift_that_makes_no_sense)
{
    put(capture, 0, ev.init, Q(0), Q(4096), Q(2), Q(16), Q(200)); /* refused: 3 stays */
    alloc(0, 16, 80);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,bytes"), "16|80\n");
    ck_assert_uint_eq(captured_faults(capture, "allocations", "payload_damaged"), 1);
}
END_TEST

START_TEST(what_does_not_fit)
{
    alloc(0, 0, 8); /* at no address: ignored */
    release(0, 48); /* from before the recording */
    alloc(0, 16, 80);
    alloc(0, 16, 24); /* over a live one, which is taken as freed */
    put(capture, 0, ev.update, Q(64), Q(0), Q(0));
    put(capture, 0, ev.realloc_free, Q(64), Q(0));
    put(capture, 0, ev.realloc_alloc, Q(80), Q(9), Q(1), Q(0)); /* 8 bytes, tag 0 */
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", BLOCKS),
                     "16|24|0|2|allocation|0\n80|8|0|2|allocation|0\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(capture, "memory", "by,alive_bytes,allocs,frees,reallocs,peak_bytes,unknown_frees"),
        "total|32|2|1|1|80|2\nheap|32|2|1|1|80|2\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 4);
}
END_TEST

/* Root heaps have addresses of their own. */
START_TEST(video_memory)
{
    put(capture, 0, ev.heap, Q(0), Q(UINT32_MAX), Q(1), "System");
    put(capture, 0, ev.heap, Q(1), Q(UINT32_MAX), Q(1), "Video");
    alloc(0, 16, 80);
    put(capture, 0, ev.video, Q(16), Q(0), Q(100), Q(0));
    alloc_in(0, 16, 8, 5);
    release(0, 16);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", BLOCKS ",heap"),
                     "16|800|0|2|allocation|1|Video\n16|8|0|2|allocation|5|\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,heap_id,name,alive_bytes,peak_bytes"),
                     "total|||808|888\nheap|1|Video|800|800\nheap|5||8|8\nheap|0|System|0|80\n");
}
END_TEST

/* ---- tags ---- */

START_TEST(tags_are_of_the_thread)
{
    put(capture, 0, ev.tag, Q(5), Q(UINT32_MAX), "Meshes");
    put(capture, 0, ev.tag, Q(7), Q(8), "Hud");
    put(capture, 0, ev.tag, Q(8), Q(9), "CustomName");
    put(capture, 0, ev.tag, Q(9), Q(UINT32_MAX), "Engine/UI");
    enter(0, 5);
    alloc(1, 16, 8); /* another thread */
    alloc(0, 32, 8);
    enter(0, 7);
    alloc(0, 48, 8);
    leave(0);
    alloc(0, 64, 8);
    leave(0);
    leave(0); /* an end without a begin */
    alloc(0, 80, 8);
    enter(0, -3); /* not defined */
    alloc(0, 96, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,tag_id,tag"),
                     "16|0|Untagged\n32|5|Meshes\n48|7|Hud\n64|5|Meshes\n80|0|Untagged\n96|-3|\n");
    capture->by = TK_BY_TAG;
    ck_assert_str_eq(captured_table(capture, "memory", "by,key,name,path,alive_count"),
                     "total||||6\n"
                     "tag|0|Untagged|Untagged|2\n"
                     "tag|5|Meshes|Meshes|2\n"
                     "tag|7|Hud|UI/Hud|1\n"
                     "tag|-3|||1\n");
}
END_TEST

/* An event that has no scope record around it begins nothing. */
START_TEST(a_tag_without_a_scope)
{
    put(capture, 0, ev.scope, Q(5));
    alloc(0, 16, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,tag_id"), "16|0\n");
}
END_TEST

START_TEST(tags_of_pointers)
{
    enter(1, 5);
    alloc(1, 16, 8);
    alloc_in(1, 32, 8, 1);
    leave(1);
    alloc(0, 48, 8); /* so that thread 2 is behind thread 3 */
    tk_uw_enter(&capture->lanes[0]);
    put(capture, 0, ev.scope_of, Q(16), Q(0));
    alloc(0, 64, 8);
    release(0, 16); /* does not matter any more */
    alloc(0, 80, 8);
    leave(0);
    tk_uw_enter(&capture->lanes[0]);
    put(capture, 0, ev.scope_of, Q(32), Q(1)); /* in video memory */
    alloc(0, 96, 8);
    leave(0);
    tk_uw_enter(&capture->lanes[0]);
    put(capture, 0, ev.scope_of, Q(32), Q(0)); /* nothing there */
    alloc(0, 112, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,heap_id,tag_id"),
                     "32|1|5\n48|0|0\n64|0|5\n80|0|5\n96|0|5\n112|0|0\n");
}
END_TEST

/* ---- reallocations ---- */

/* Between the halves other threads do what they like, reallocations too. */
START_TEST(reallocations_pair_by_thread)
{
    enter(0, 5);
    alloc(0, 16, 8);
    leave(0);
    enter(0, 6);
    alloc(0, 32, 8);
    leave(0);
    enter(1, 7);
    put(capture, 0, ev.realloc_free, Q(16), Q(0));
    put(capture, 1, ev.realloc_free, Q(32), Q(0));
    alloc(2, 48, 8);
    put(capture, 1, ev.realloc_alloc, Q(16), Q(1), Q(2), Q(0)); /* takes the address, tag 6 */
    put(capture, 0, ev.realloc_alloc, Q(64), Q(1), Q(3), Q(0)); /* tag 5 */
    alloc(0, 80, 8);                                            /* untagged again */
    alloc(1, 96, 8);                                            /* tag 7 again */
    put(capture, 1, ev.realloc_alloc, Q(112), Q(1), Q(4),
        Q(0)); /* of null: only the new half; leaves the tags alone */
    alloc(1, 128, 8);
    put(capture, 1, ev.realloc_free, Q(128), Q(0)); /* only the old half: gone when the scope ends */
    leave(1);
    alloc(1, 144, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,bytes,tag_id,thread_id"),
                     "48|8|0|4\n16|16|6|3\n64|24|5|2\n80|8|0|2\n96|8|7|3\n112|32|7|3\n144|8|0|3\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(capture, "memory",
                       "by,alive_count,alive_bytes,allocs,frees,reallocs,alloc_bytes,free_bytes"),
        "total|7|104|7|0|3|128|24\nheap|7|104|7|0|3|128|24\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 0);
}
END_TEST

/* Tagged anew where it is; the page is not swapped out by that. */
START_TEST(updates)
{
    marker(0, 1);
    alloc(1, 16, 80);
    marker(0, 9);
    enter(0, 5);
    put(capture, 0, ev.update, Q(16), Q(99), Q(0));
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", BLOCKS ",callstack_id,time,index"),
                     "16|80|5|2|allocation|0|71|1009|2\n");
    capture->by = TK_BY_TAG;
    ck_assert_str_eq(captured_table(capture, "memory", "by,key,alive_bytes,peak_bytes,allocs,frees"),
                     "total||80|80|1|0\ntag|5|80|80|0|0\ntag|0|0|80|1|0\n");
}
END_TEST

/* ---- containers ---- */

START_TEST(containers_do_not_count_twice)
{
    put(capture, 0, ev.heap, Q(0), Q(UINT32_MAX), Q(1), "System");
    put(capture, 0, ev.heap, Q(16), Q(0), Q(0), "Module");
    put(capture, 0, ev.heap, Q(17), Q(16), Q(0), "Inner");
    alloc(0, 4096, 1000);
    put(capture, 0, ev.mark, Q(4096), Q(0), Q(1), Q(16));
    alloc(0, 4096, 400); /* served by it, at the same address */
    put(capture, 0, ev.mark, Q(4096), Q(0), Q(1), Q(17));
    alloc(0, 4096, 40);
    captured_close(capture);
    ck_assert_str_eq(
        captured_table(capture, "allocations", "address,bytes,kind,heap_id,heap"),
        "4096|1000|container|16|Module\n4096|400|container|17|Inner\n4096|40|allocation|0|System\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,heap_id,name,alive_bytes,alive_count,peak_bytes"),
                     "total|||40|1|1000\nheap|0|System|40|1|1000\n"
                     "container|16|Module|1000|1|1000\ncontainer|17|Inner|400|1|400\n");
}
END_TEST

START_TEST(containers_end)
{
    put(capture, 0, ev.heap, Q(16), Q(0), Q(0), "Module");
    alloc(0, 4096, 1000);
    put(capture, 0, ev.mark, Q(4096), Q(0), Q(1), Q(16));
    alloc(0, 4096, 40);
    release(0, 4096);                                 /* the small one */
    put(capture, 0, ev.unmark, Q(4096), Q(0), Q(16)); /* an ordinary one again */
    alloc(0, 8192, 500);
    put(capture, 0, ev.mark, Q(8192), Q(0), Q(1), Q(16));
    release(0, 8192);                                   /* the container itself */
    put(capture, 0, ev.mark, Q(64), Q(0), Q(1), Q(16)); /* nothing there */
    put(capture, 0, ev.unmark, Q(64), Q(0), Q(16));
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,bytes,kind"), "4096|1000|allocation\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,heap_id,alive_bytes,allocs,frees,free_bytes"),
                     "total||1000|3|2|540\nheap|0|1000|3|2|540\ncontainer|16|0|2|2|\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 2);
}
END_TEST

/* Parents in a circle: the search for a root ends. */
START_TEST(heaps_in_a_circle)
{
    put(capture, 0, ev.heap, Q(16), Q(17), Q(0), "A");
    put(capture, 0, ev.heap, Q(17), Q(16), Q(0), "B");
    alloc(0, 4096, 1000);
    put(capture, 0, ev.mark, Q(4096), Q(0), Q(1), Q(16));
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,kind"), "4096|allocation\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 1);
}
END_TEST

/* ---- swapping ---- */

START_TEST(pages_that_are_out)
{
    /* pages of 16384 bytes */
    alloc(0, 16384, 80);
    put(capture, 0, ev.swap, Q(16384 + 5), Q(0), Q(100), Q(0));
    put(capture, 0, ev.swap, Q(2 * 16384), Q(0), Q(200), Q(0));
    put(capture, 0, ev.swap, Q(3 * 16384), Q(0), Q(300), Q(0));
    put(capture, 0, ev.swap, Q(2 * 16384 + 1), Q(0), Q(0), Q(1)); /* in */
    put(capture, 0, ev.swap, Q(3 * 16384), Q(0), Q(0), Q(2));     /* freed while out */
    put(capture, 0, ev.swap, Q(16384), Q(0), Q(50), Q(0));        /* out while it is out */
    put(capture, 0, ev.swap, Q(9 * 16384), Q(0), Q(0), Q(1));     /* in, but was not out */
    put(capture, 0, ev.swap, Q(16384), Q(0), Q(0), Q(7));         /* what? */
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,bytes,kind"),
                     "16384|80|allocation\n16384|50|swap\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(
        captured_table(capture, "memory", "by,alive_bytes,alive_count,peak_bytes,allocs,frees,packed_bytes"),
        "total|80|1|80|1|0|\nheap|80|1|80|1|0|\nswap|16384|1|49152|4|3|50\n");
    ck_assert_uint_eq(captured_faults(capture, "memory", "memory_unmatched"), 2);
    ck_assert_uint_eq(captured_faults(capture, "memory", "payload_damaged"), 1);
}
END_TEST

/* Bits of a query that name no group of this table leave it whole. */
START_TEST(bits_that_are_no_groups)
{
    static const unsigned bits[] = {0, TK_BY_HUMAN, TK_BY_EXTRA, TK_BY_CLASS};
    alloc(0, 16, 80);
    captured_close(capture);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        capture->by = bits[i];
        ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes"),
                         "total|80\nheap|80\ntag|80\nthread|80\nsize|80\nasset|80\ncallstack|80\n");
    }
    capture->by = TK_BY_EXTRA | TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes"), "total|80\nheap|80\n");
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
        bits_that_are_no_groups,
    };
    return RUN_TESTS_AROUND("memory", tests, memory_begin, memory_end);
}
