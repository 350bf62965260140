/*
 * Memory events of a test, in one line each, in a capture that memory_begin makes before the test and
 * memory_end frees after it (RUN_TESTS_AROUND).
 */
#ifndef TK_TESTS_UNIT_ROOT_MEMORY_PUT_H
#define TK_TESTS_UNIT_ROOT_MEMORY_PUT_H

#include "put.h"

#define START 1000 /* cycle 0 of the recording, 1000 cycles per second */

struct types {
    struct put_type *init, *marker, *alloc, *release, *realloc_alloc, *realloc_free, *video, *update, *mark,
        *unmark, *swap, *scope, *scope_of, *heap, *tag;
};

#define MEMORY_ALL (sizeof(struct types) / sizeof(struct put_type *))

static struct captured *capture; /* of the test that runs, with the types below */
static struct types ev;

static inline void memory_begin(void)
{
    struct captured *c = capture = captured_new(7);
    ev = (struct types){
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
    put(c, 0, ev.init, Q(16384), Q(4096), Q(2), Q(16), Q(3));
}

static inline void memory_end(void)
{
    struct put_type *all[MEMORY_ALL];
    memcpy(all, &ev, sizeof all);
    for (size_t i = 0; i < MEMORY_ALL; i++)
        free(all[i]);
    captured_free(capture);
}

/* Sizes in bytes, alignment 16. */
static inline void alloc_in(unsigned lane, uint64_t address, uint32_t size, unsigned heap)
{
    put(capture, lane, ev.alloc, address, Q(lane + 70), Q(size >> 3), Q(4 << 3 | (size & 7)), Q(heap));
}

static inline void alloc(unsigned lane, uint64_t address, uint32_t size)
{
    alloc_in(lane, address, size, 0);
}

static inline void release(unsigned lane, uint64_t address)
{
    put(capture, lane, ev.release, address, Q(0), Q(0));
}

static inline void marker(unsigned lane, uint64_t time)
{
    put(capture, lane, ev.marker, Q(START + time));
}

static inline void enter(unsigned lane, int32_t tag)
{
    tk_uw_enter(&capture->lanes[lane]);
    put(capture, lane, ev.scope, Q((uint32_t)tag));
}

static inline void leave(unsigned lane)
{
    tk_uw_leave(&capture->lanes[lane]);
}

#define BLOCKS "address,bytes,tag_id,thread_id,kind,heap_id"

#endif
