/*
 * made-symbols OUT.utrace < DESCRIPTION
 *
 * A capture with modules, callstacks, samples and allocations that a description gives, a line each: what
 * symbols are tried with. Words are separated by spaces, numbers are hexadecimal.
 *
 *     format dwarf                       of the symbols
 *     module BASE SIZE ID NAME           ID "-": none
 *     stack ID ADDRESS...
 *     sample TIME ADDRESS...             of the thread 1002
 *     switch BEGIN END CORE              it ran on a core
 *     alloc ADDRESS SIZE STACK
 *     free ADDRESS
 *     now TIME                           for what is allocated and freed from here on
 *     bookmark TIME STACK
 *     interval MICROSECONDS              between samples
 *     timer ID NAME
 *     begin TIME TIMER, end TIME         scopes of the thread 1002
 *     frame BEGIN END                    of the game
 *     open TIME, close TIME              a frame around what stands between them
 */
#include "cpu.h"
#include "put_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1 << 16, MOST_NUMBERS = 4096, MOST_ID = 64 };

struct made {
    struct tk_uw uw;
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;
    struct put_type *format, *module, *stack, *sample, *memory, *alloc, *settings, *frame[2], *ran, *bookmark,
        *release, *now;
};

static struct put_type *type(struct made *m, const char *name, const char *fields, uint8_t flags)
{
    struct put_type *t = put_declare(&m->uw, name, fields, flags);
    if (!t)
        exit(1);
    return t;
}

static void declare(struct made *m)
{
    m->format =
        type(m, "Diagnostics.ModuleInit", "SymbolFormat:s ModuleBaseShift:b", TK_UW_NOSYNC | TK_UW_IMPORTANT);
    m->module =
        type(m, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i ImageId:B", TK_UW_NOSYNC | TK_UW_IMPORTANT);
    m->settings = type(m, "PlatformEvent.Settings", "SamplingInterval:i", TK_UW_NOSYNC | TK_UW_IMPORTANT);
    m->frame[0] = type(m, "Misc.BeginFrame", "Cycle:q FrameType:b", 0);
    m->frame[1] = type(m, "Misc.EndFrame", "Cycle:q FrameType:b", 0);
    m->stack = type(m, "Memory.CallstackSpec", "CallstackId:i Frames:U", TK_UW_NOSYNC);
    m->sample = type(m, "PlatformEvent.StackSample", "Time:q ThreadId:i Addresses:U", TK_UW_NOSYNC);
    m->ran =
        type(m, "PlatformEvent.ContextSwitch", "StartTime:q EndTime:q ThreadId:i CoreNumber:b", TK_UW_NOSYNC);
    m->bookmark = type(m, "Misc.Bookmark", "Cycle:q BookmarkPoint:q FormatArgs:B CallstackId:i", 0);
    m->memory = type(m, "Memory.Init", "PageSize:q MarkerPeriod:i Version:b MinAlignment:b SizeShift:b",
                     TK_UW_NOSYNC);
    m->alloc =
        type(m, "Memory.Alloc", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b RootHeap:b", 0);
    m->release = type(m, "Memory.Free", "Address:q CallstackId:i RootHeap:b", 0);
    m->now = type(m, "Memory.Marker", "Cycle:q", 0);
    put_event(&m->lane, m->memory, Q(16384), Q(4096), Q(2), Q(16), Q(3));
}

static size_t numbers(char *text, uint64_t *v)
{
    size_t n = 0;
    for (char *word = strtok(text, " \n"); word && n < MOST_NUMBERS; word = strtok(NULL, " \n"))
        v[n++] = strtoull(word, NULL, 16);
    return n;
}

static size_t id_bytes(const char *text, uint8_t *out)
{
    size_t n = 0;
    unsigned byte;
    while (n < MOST_ID && sscanf(text + 2 * n, "%2x", &byte) == 1)
        out[n++] = (uint8_t)byte;
    return n;
}

static void put_module(struct made *m, char *line)
{
    uint64_t base, size;
    uint8_t id[MOST_ID];
    char text[2 * MOST_ID + 1];
    int at = 0;
    if (sscanf(line, "%llx %llx %128s %n", (unsigned long long *)&base, (unsigned long long *)&size, text,
               &at) != 3)
        exit(1);
    line[strcspn(line, "\n")] = '\0';
    put_event(&m->uw.important, m->module, (const char *)line + at, base, size, (const void *)id,
              id_bytes(text, id));
}

static void put_line(struct made *m, char *line)
{
    static uint64_t v[MOST_NUMBERS];
    char *rest = strchr(line, ' ');
    if (!rest)
        return;
    *rest++ = '\0';
    if (strcmp(line, "format") == 0) {
        rest[strcspn(rest, "\n")] = '\0';
        put_event(&m->uw.important, m->format, (const char *)rest, Q(0));
        return;
    }
    if (strcmp(line, "module") == 0) {
        put_module(m, rest);
        return;
    }
    if (strcmp(line, "timer") == 0) {
        char *name;
        const uint32_t id = (uint32_t)strtoul(rest, &name, 16);
        name[strcspn(name, "\n")] = '\0';
        tk_uw_cpu_spec(&m->uw, id, name + 1, "game.cpp", 1);
        return;
    }
    size_t n = numbers(rest, v);
    if (strcmp(line, "begin") == 0 && n == 2)
        tk_uw_cpu_begin(&m->cpu, v[0], (uint32_t)v[1]);
    else if (strcmp(line, "end") == 0 && n == 1)
        tk_uw_cpu_end(&m->cpu, v[0]);
    else if (strcmp(line, "frame") == 0 && n == 2)
        for (int i = 0; i < 2; i++)
            put_event(&m->lane, m->frame[i], v[i], Q(0));
    else if (strcmp(line, "open") == 0 && n == 1)
        put_event(&m->lane, m->frame[0], v[0], Q(0));
    else if (strcmp(line, "close") == 0 && n == 1)
        put_event(&m->lane, m->frame[1], v[0], Q(0));
    else if (strcmp(line, "interval") == 0 && n == 1)
        put_event(&m->uw.important, m->settings, v[0]);
    if (strcmp(line, "stack") == 0 && n > 1)
        put_event(&m->lane, m->stack, v[0], (const void *)(v + 1), (n - 1) * sizeof *v);
    else if (strcmp(line, "sample") == 0 && n > 0)
        put_event(&m->lane, m->sample, v[0], Q(1002), (const void *)(v + 1), (n - 1) * sizeof *v);
    else if (strcmp(line, "switch") == 0 && n == 3)
        put_event(&m->lane, m->ran, v[0], v[1], Q(1002), v[2]);
    else if (strcmp(line, "alloc") == 0 && n == 3)
        put_event(&m->lane, m->alloc, v[0], v[2], v[1] >> 3, Q(4 << 3), Q(0));
    else if (strcmp(line, "free") == 0 && n == 1)
        put_event(&m->lane, m->release, v[0], Q(0), Q(0));
    else if (strcmp(line, "now") == 0 && n == 1)
        put_event(&m->lane, m->now, v[0]);
    else if (strcmp(line, "bookmark") == 0 && n == 2)
        put_event(&m->lane, m->bookmark, v[0], Q(1), "", (size_t)0, v[1]);
}

int main(int argc, char **argv)
{
    static struct made m;
    static char line[MOST_LINE];
    if (argc != 2)
        return 2;
    struct tk_uw_options options = {TK_UW_DEFAULTS, .path = argv[1]};
    options.start_cycle = 1000;
    options.frequency = 1000000;
    tk_uw_open(&m.uw, &options);
    tk_uw_thread(&m.uw, &m.lane, 2);
    tk_uw_new_trace(&m.uw);
    tk_uw_thread_info(&m.uw, 2, 1002, 1, "GameThread");
    declare(&m);
    tk_uw_cpu_init(&m.cpu, &m.uw, &m.lane, 2);
    while (fgets(line, sizeof line, stdin))
        put_line(&m, line);
    tk_uw_cpu_flush(&m.cpu);
    tk_uw_lane_flush(&m.lane);
    tk_uw_lane_release(&m.lane);
    free(m.format);
    free(m.module);
    free(m.stack);
    free(m.sample);
    free(m.ran);
    free(m.memory);
    free(m.alloc);
    free(m.settings);
    free(m.bookmark);
    free(m.release);
    free(m.now);
    return tk_uw_close(&m.uw) != 0;
}
