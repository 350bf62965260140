/*
 * Chapter: reads a capture for a page, and writes its sections in their order.
 */
#include "api/trace.h"
#include "base/health/health.h"
#include "os/process.h"
#include "page/markup.h"
#include "report/report_in.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <string.h>

/* ---- the lists of sections ---- */

static const struct tk_list frame_lists[] = {
    {"frame_stats", "Frames by type",
     "type,count,open?,total,mean,min,median,p95,p99,max,rate,over_60,over_30", NULL, 20, 20, "frames"},
    {"smoothness", "How evenly frames come",
     "hitches,hitches_min,hitch_ratio,hitch_time,loading_hitches,startup_hitches,uneven,oscillation,pacing,"
     "low1,low01,"
     "missed?,late?,rule",
     NULL, 1, 1, NULL},
    {"regions", "Regions", "name,category,start,end,dur,thread", NULL, 60, 60, NULL},
    {"bookmarks", "Bookmarks", "time,text,thread", NULL, 60, 60, NULL},
};
static const struct tk_list timer_lists[] = {
    {"timers", "Timers by exclusive time",
     "timer,excl,share,incl,count,frame_mean,min,mean,median,p95,p99,max,open?,kind?", "excl", 60, 3000,
     "CPU time by timer"},
};
static const struct tk_list thread_lists[] = {
    {"threads", "Threads", "thread,group,scopes,open?,max_depth,unmatched?,busy,working,waiting,events,bytes",
     "busy", 100, 100, NULL},
    {"switches", "Threads on cores",
     "thread,process_id,count,running,waits,waiting,wait_max,cores,migrations", "running", 40, 40, NULL},
    {"cores", "Cores", "core,count,busy,own,idle,threads", NULL, 64, 64, NULL},
};
static const struct tk_list gpu_lists[] = {
    {"gpu_queues", "Queues of the GPU",
     "queue,type,work_items,work,busy,waits,waiting,idle,frames,draws,primitives", NULL, 32, 32, "GPU time"},
    {"gpu", "GPU passes by exclusive time",
     "queue,timer,kind,excl,incl,count,frame_mean,mean,median,p95,p99,max", "excl", 40, 600, NULL},
};
static const struct tk_list memory_lists[] = {
    {"memory", "Memory by heap and tag",
     "by,name,heap,alive_bytes,alive_count,peak_bytes,allocs,frees,reallocs,alloc_bytes,frame_allocs,"
     "short_lived",
     "alive_bytes", 60, 400, "memory"},
    {"llm", "Memory tags over time", "tracker?,tag,first,last,min,peak,growth,growth_minute", "peak", 40, 40,
     NULL},
};
static const struct tk_list counter_lists[] = {
    {"counters", "Counters", "counter,type?,unit,count,first,last,min,max,mean,median,p95,p99", NULL, 80, 600,
     NULL},
    {"stats", "Statistics", "stat,group,unit,count,first,last,min,max,mean,p95", NULL, 40, 300, NULL},
    {"csv", "Series of the CSV profiler", "series,thread,unit,count,first,last,min,max,mean,p95", NULL, 40,
     300, NULL},
};
static const struct tk_list loading_lists[] = {
    {"load_groups", "Groups of load requests", "group,start,dur,requests,packages", "dur", 20, 20, "loading"},
    {"load_requests", "Load requests", "request_id,group,start,dur,packages,thread", "dur", 20, 200, NULL},
    {"packages", "Packages", "name,exports,serialized_bytes,serialize_time,postload_time,excl,first,last",
     "excl", 30, 300, NULL},
    {"files", "Files", "path,opens,reads,bytes_read,read_time,writes?,bytes_written?,failed?,max",
     "read_time", 30, 300, NULL},
};
static const struct tk_list task_lists[] = {
    {"tasks", "Tasks",
     "task,count,ran,total,mean,p95,max,schedule_wait,schedule_wait_max,start_wait,start_wait_max", "total",
     40, 300, NULL},
    {"locks", "Locks", "lock,thread,mode,count,total,mean,p99,max,held,held_max", "total", 40, 300, NULL},
};
static const struct tk_list log_lists[] = {
    {"logs", "Log messages", "time,verbosity,category,thread,text", NULL, 60, 5000, NULL},
};
static const struct tk_list net_lists[] = {
    {"net", "Connections",
     "instance,connection,direction,address,packets,bytes,bits_per_s,dropped,mean,p95,max,state", NULL, 40,
     40, "network"},
    {"net_objects", "Objects", "name,count,bits,polls,poll_time,wasted_polls,written", "bits", 30, 300, NULL},
};
static const struct tk_list metric_lists[] = {
    {"metrics", "Metrics", "name,value,unit,better,state,source", NULL, 256, 256, NULL},
};
static const struct tk_list sample_lists[] = {
    {"samples", "Functions in samples", "function,module,thread,count,share,first,last", "count", 40, 600,
     "samples"},
};
static const struct tk_list health_lists[] = {
    {"health", "Faults", "kind,damage,count,offset,text", NULL, 100, 100, NULL},
    {"quality", "What distorts times", "kind,subject,start,count,total,text", NULL, 60, 60, NULL},
    {"can", "What the capture can answer", "question,answer,found,missing,how", NULL, 40, 40, NULL},
    {"coverage_summary", "Events understood", "kind,types,count,bytes,share", NULL, 10, 10, NULL},
    {"ledger", "Bytes of the file", "part,bytes,share", NULL, 40, 40, NULL},
};
/* The first ones are about game frames. */
static const struct tk_gather_want own_tables[] = {
    {"hitches", 20000}, {"bound", 0}, {"bound_shares", 20}, {"capture", 1}, {"crash", 20}};

enum { OF_FRAMES = 3 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int put_tags(struct tk_chapter *c)
{
    return tk_values_put(c, "tags", &c->first.tags);
}

static int put_counters(struct tk_chapter *c)
{
    return tk_values_put(c, "values", &c->first.counters);
}

typedef int put_part(struct tk_chapter *c);

static const struct section {
    const char *id, *title;
    put_part *first; /* what stands before its lists; NULL: nothing */
    const struct tk_list *lists;
    size_t n;
} sections[] = {
    {"findings", "Findings", tk_findings_put, NULL, 0},
    {"frames", "Frames", tk_frames_put, frame_lists, COUNT(frame_lists)},
    {"hitches", "Hitches", tk_hitches_put, NULL, 0},
    {"map", "Map", tk_level_map_put, NULL, 0},
    {"timers", "Timers", tk_curves_put, timer_lists, COUNT(timer_lists)},
    {"tree", "Call tree", tk_tree_put, NULL, 0},
    {"threads", "Threads", NULL, thread_lists, COUNT(thread_lists)},
    {"gpu", "GPU", NULL, gpu_lists, COUNT(gpu_lists)},
    {"memory", "Memory", put_tags, memory_lists, COUNT(memory_lists)},
    {"counters", "Counters", put_counters, counter_lists, COUNT(counter_lists)},
    {"loading", "Loading", NULL, loading_lists, COUNT(loading_lists)},
    {"tasks", "Tasks and locks", NULL, task_lists, COUNT(task_lists)},
    {"logs", "Log", NULL, log_lists, COUNT(log_lists)},
    {"network", "Network", NULL, net_lists, COUNT(net_lists)},
    {"metrics", "Metrics", NULL, metric_lists, COUNT(metric_lists)},
    {"samples", "Samples", NULL, sample_lists, COUNT(sample_lists)},
    {"health", "Health", tk_about_put, health_lists, COUNT(health_lists)},
};

/* ---- the chapter ---- */

int tk_about_put(struct tk_chapter *c)
{
    if (tk_damaged(c->trace))
        tk_markup_put(c->m,
                      "<p class=\"bad\">The capture is damaged: all that could be read is in this page, and "
                      "what is wrong is below.</p>\n");
    else if (tk_partial(c->trace))
        tk_markup_put(c->m,
                      "<p class=\"bad\">A limit was reached, and something was left out: see below.</p>\n");
    else
        tk_markup_put(c->m, "<p class=\"good\">Everything was read, and nothing is damaged.</p>\n");
    return tk_gather_health(&c->first, c->trace, c->err);
}

static int put_section(struct tk_chapter *c, const struct section *s)
{
    int rc = TK_OK;
    tk_section_begin(c, s->id, s->title);
    if (s->first)
        rc = s->first(c);
    if (s->lists == log_lists && c->options->no_logs)
        tk_markup_put(c->m, "<p class=\"none\">Log messages were left out.</p>\n");
    else
        for (size_t i = 0; i < s->n && rc == TK_OK; i++)
            rc = tk_list_put(&s->lists[i], &c->first, c->prefix, c->m, c->err);
    tk_section_end(c);
    return rc;
}

/* Metrics are there where some were named, and a map where something has positions. */
static bool has_section(const struct tk_chapter *c, const struct section *s)
{
    if (s->first == tk_level_map_put)
        return c->options->position || tk_has_table(c->trace, "spatial");
    return s->lists != metric_lists || c->trace->options.metrics;
}

static void put_links(struct tk_chapter *c)
{
    char label[64];
    tk_chapter_label(c, "Sections", label, sizeof label);
    tk_markup_format(c->m, "<nav aria-label=\"%s\"><ul>", label);
    for (size_t i = 0; i < COUNT(sections); i++)
        if (has_section(c, &sections[i]))
            tk_markup_format(c->m, "<li><a href=\"#%s%s\">%s</a></li>", c->prefix, sections[i].id,
                             sections[i].title);
    tk_markup_put(c->m, "</ul></nav>\n");
}

static size_t want_all(const struct tk_chapter *c, struct tk_gather_want *wanted, size_t capacity)
{
    size_t n = 0;
    for (; n < COUNT(own_tables); n++)
        wanted[n] = own_tables[n];
    for (size_t i = 0; !c->options->no_pictures && tk_album_table(i); i++)
        wanted[n++] = (struct tk_gather_want){tk_album_table(i), 0};
    for (size_t s = 0; s < COUNT(sections); s++)
        for (size_t i = 0; i < sections[s].n && n < capacity; i++) {
            const struct tk_list *list = &sections[s].lists[i];
            /* What is sorted has to be there as a whole, within reason. */
            wanted[n++] = (struct tk_gather_want){list->table, list->sort ? 50000 : list->kept};
        }
    return n;
}

/* The first reading. Without a game frame there are no hitches to ask for, which the library finds out before
 * it reads; what else matches nothing is found once more. */
static int gather_first(struct tk_chapter *c)
{
    struct tk_gather_want wanted[TK_GATHER_TABLES];
    const size_t n = want_all(c, wanted, COUNT(wanted));
    int rc = tk_gather_run(&c->first, c->trace, c->query, wanted, n, c->err);
    if (rc != TK_EMATCH)
        return rc;
    tk_gather_release(&c->first);
    c->first = (struct tk_gather){0};
    return tk_gather_run(&c->first, c->trace, c->query, wanted + OF_FRAMES, n - OF_FRAMES, c->err);
}

/* Game frames come first: the head and the pictures are about the first type. */
static int sort_types(struct tk_chapter *c)
{
    const struct tk_gathered *kept;
    size_t n;
    if (!tk_gather_table(&c->first, "frame_stats", &kept, &n))
        return TK_OK;
    tk_frame_times_sort(&c->first.frames);
    return tk_result_sort(kept->rows, 0, "type_id", false, c->err);
}

int tk_chapter_put(struct tk_chapter *c)
{
    struct tk_album_want hitches[TK_HITCHES_REPORTED];
    int rc = gather_first(c);
    if (c->trace->ctx.limits.hitches >=
        TK_HITCHES_REPORTED) /* the page counts them all, and says the longest */
        c->hitches_beyond = tk_health_take_limit(&c->trace->ctx.health, TK_LIMIT_hitches);
    if (rc == TK_OK)
        rc = sort_types(c);
    tk_os_heap_trim();
    if (rc == TK_OK)
        rc = tk_pictures_gather(c, hitches, tk_hitches_longest(c, hitches, TK_HITCHES_REPORTED));
    if (rc == TK_OK)
        rc = tk_tree_gather(c);
    if (rc == TK_OK)
        rc = tk_head_put(c);
    put_links(c);
    for (size_t i = 0; i < COUNT(sections) && rc == TK_OK; i++)
        rc = has_section(c, &sections[i]) ? put_section(c, &sections[i]) : TK_OK;
    tk_gather_release(&c->first);
    tk_gather_release(&c->second);
    return rc == TK_OK && c->m->out.status < 0 ? c->m->out.status : rc;
}
