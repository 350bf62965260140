/*
 * The records of a .tracy, each described once: how it lies in the file, and what its fields are to those who
 * cut, anonymise and merge captures. Structs, readers, writers (sections_out.h) and what edits do with a
 * record (edit/tracy) are made of these lists. A section's counts, lists in lists and zones are C.
 *
 * A field is F(name, kind, role, text, when, what):
 *
 *   kind   its bytes: U8 to U64, I8 to I64, F32, F64; COUNT as U64, but no more than the payload allows; DT a
 * difference to the running time of the payload, and GT to that of the GPU, which give an absolute one; REF a
 * StringRef; NAME12 twelve bytes role   what a merge does with it: TIME, END (below 0: none) and LATER (up to
 * 0: none) are shifted; POINTER, INDEX, REF and STRING (a key) name a text, STACK a callstack, LOCAL,
 * EXTERNAL and TID a thread, PLACE a source location, NAMED one whose function is a name, ADDRESS code, KEY a
 * message, LOCK a lock, IMAGE a frame image; PLAIN stays text   what its text is used for, one of enum
 * tk_tracy_role (edit/tracy); NONE: it has none when does the layout `l` have it? what   the word in a fault.
 * It is output.
 */
#ifndef TK_FORMAT_TRACY_FILE_RECORDS_H
#define TK_FORMAT_TRACY_FILE_RECORDS_H

/* ---- front (tracy-file 4) ---- */

/* Three texts follow, and behind the second one the times. */
#define TK_TRACY_HEADER_FIELDS(F)                                                                            \
    F(delay, I64, PLAIN, NONE, l->delay, "delay")                                                            \
    F(resolution, I64, PLAIN, NONE, 1, "TimerResolution")                                                    \
    F(period, F64, PLAIN, NONE, 1, "nanoseconds a tick")                                                     \
    F(last_time, I64, PLAIN, NONE, 1, "last time")                                                           \
    F(frame_offset, U64, PLAIN, NONE, 1, "frame offset")                                                     \
    F(pid, U64, PLAIN, NONE, 1, "ProcessId")                                                                 \
    F(sampling, I64, PLAIN, NONE, 1, "SamplingPeriod")                                                       \
    F(arch, U8, PLAIN, NONE, 1, "CPU architecture")                                                          \
    F(cpu_id, U32, PLAIN, NONE, 1, "CPU id")                                                                 \
    F(manufacturer, NAME12, PLAIN, NONE, 1, "CPU manufacturer")                                              \
    F(on_demand, U8, PLAIN, NONE, l->on_demand, "on demand")

#define TK_TRACY_HEADER_TIMES_FIELDS(F)                                                                      \
    F(capture, U64, PLAIN, NONE, 1, "capture time")                                                          \
    F(executable, U64, PLAIN, NONE, l->exec_time, "ExecutableTime")

#define TK_TRACY_CRASH_FIELDS(F)                                                                             \
    F(tid, U64, TID, NONE, 1, "thread of the crash")                                                         \
    F(time, I64, TIME, NONE, 1, "time of the crash")                                                         \
    F(message, U64, POINTER, CRASH, 1, "message of the crash")                                               \
    F(callstack, U32, STACK, NONE, 1, "callstack of the crash")

#define TK_TRACY_FRAME_SET_FIELDS(F)                                                                         \
    F(name, U64, POINTER, NAME, 1, "name of a frame set")                                                    \
    F(continuous, U8, PLAIN, NONE, 1, "kind of a frame set")

/* Of sets that are continuous, and of those that are not. */
#define TK_TRACY_FRAME_FIELDS(F)                                                                             \
    F(start, DT, TIME, NONE, 1, "start of a frame")                                                          \
    F(image, I32, IMAGE, NONE, 1, "image of a frame")

#define TK_TRACY_LONE_FRAME_FIELDS(F)                                                                        \
    F(start, DT, TIME, NONE, 1, "start of a frame")                                                          \
    F(end, DT, END, NONE, 1, "end of a frame")                                                               \
    F(image, I32, IMAGE, NONE, 1, "image of a frame")

#define TK_TRACY_TIME_SECTION_FIELDS(F)                                                                      \
    F(start, I48, TIME, NONE, 1, "start of a section")                                                       \
    F(end, I48, END, NONE, 1, "end of a section")                                                            \
    F(text, U24, INDEX, NAME, 1, "text of a section")

#define TK_TRACY_CATEGORY_FIELDS(F) F(category, U16, PLAIN, NONE, 1, "category of sections")

#define TK_TRACY_DESCRIPTION_FIELDS(F)                                                                       \
    F(category, U16, PLAIN, NONE, 1, "category of sections")                                                 \
    F(text, U24, INDEX, NAME, 1, "description of a category")

/* ---- strings and threads (tracy-file 5.1 to 5.3) ---- */

/* Its n bytes follow. */
#define TK_TRACY_STRING_FIELDS(F)                                                                            \
    F(key, U64, PLAIN, NONE, 1, "key of a string")                                                           \
    F(n, U64, PLAIN, NONE, 1, "length of a string")

#define TK_TRACY_POINTER_FIELDS(F)                                                                           \
    F(pointer, U64, PLAIN, NONE, 1, "pointer of a string")                                                   \
    F(key, U64, PLAIN, NONE, 1, "key of a pointer")

#define TK_TRACY_THREAD_NAME_FIELDS(F)                                                                       \
    F(tid, U64, TID, NONE, 1, "thread of a name")                                                            \
    F(name, U64, STRING, THREAD, 1, "name of a thread")

#define TK_TRACY_EXTERNAL_NAME_FIELDS(F)                                                                     \
    F(tid, U64, TID, NONE, 1, "thread of a name")                                                            \
    F(process, U64, STRING, PROCESS, 1, "name of a process")                                                 \
    F(name, U64, STRING, THREAD, 1, "name of a thread")

/* ---- source locations, numbers of zones (tracy-file 5.5, 5.6) ---- */

/* What is displayed of a zone is its name, else its function. */
#define TK_TRACY_LOCATION_FIELDS(F)                                                                          \
    F(name, REF, REF, TIMER, 1, "name of a source location")                                                 \
    F(function, REF, REF, FUNCTION_OR_TIMER, 1, "function of a source location")                             \
    F(file, REF, REF, FILE, 1, "file of a source location")                                                  \
    F(line, U32, PLAIN, NONE, 1, "line of a source location")                                                \
    F(colour, U32, PLAIN, NONE, 1, "colour of a source location")

#define TK_TRACY_ZONE_COUNT_FIELDS(F)                                                                        \
    F(location, I16, PLACE, NONE, 1, "source location of a zone count")                                      \
    F(zones, U64, PLAIN, NONE, 1, "zone count")

/* ---- locks (tracy-file 5.7) ---- */

/* Its threads follow, and its events, whose times count from the announcement. */
#define TK_TRACY_LOCK_FIELDS(F)                                                                              \
    F(id, U32, LOCK, NONE, 1, "id of a lock")                                                                \
    F(name, U24, INDEX, NAME, 1, "name of a lock")                                                           \
    F(location, I16, NAMED, NAME, 1, "source location of a lock")                                            \
    F(type, U8, PLAIN, NONE, 1, "type of a lock")                                                            \
    F(valid, U8, PLAIN, NONE, 1, "state of a lock")                                                          \
    F(announced, I64, TIME, NONE, 1, "announcement of a lock")                                               \
    F(terminated, I64, LATER, NONE, 1, "end of a lock")

#define TK_TRACY_LOCK_THREAD_FIELDS(F) F(tid, U64, TID, NONE, 1, "thread of a lock")

#define TK_TRACY_LOCK_EVENT_FIELDS(F)                                                                        \
    F(time, DT, TIME, NONE, 1, "time")                                                                       \
    F(location, I16, PLACE, NONE, 1, "source location")                                                      \
    F(thread, U8, PLAIN, NONE, 1, "thread in the list of the lock")                                          \
    F(kind, U8, PLAIN, NONE, 1, "kind")

/* ---- messages (tracy-file 5.8) ---- */

#define TK_TRACY_MESSAGE_FIELDS(F)                                                                           \
    F(key, U64, KEY, NONE, 1, "key of a message")                                                            \
    F(time, DT, TIME, NONE, 1, "time of a message")                                                          \
    F(text, REF, REF, MESSAGE, 1, "text of a message")                                                       \
    F(colour, U32, PLAIN, NONE, 1, "colour of a message")                                                    \
    F(callstack, U24, STACK, NONE, 1, "callstack of a message")                                              \
    F(source, U8, PLAIN, NONE, l->message_source, "source of a message")                                     \
    F(severity, U8, PLAIN, NONE, l->message_source, "severity of a message")

/* ---- threads (tracy-file 5.9, 5.10) ---- */

#define TK_TRACY_EXTRA_FIELDS(F)                                                                             \
    F(callstack, U24, STACK, NONE, 1, "callstack")                                                           \
    F(text, U24, INDEX, ZONE_TEXT, 1, "text")                                                                \
    F(name, U24, INDEX, TIMER, 1, "own name")                                                                \
    F(colour, U24, PLAIN, NONE, l->zone_colour, "colour")

/* Its zones follow. */
#define TK_TRACY_THREAD_FIELDS(F)                                                                            \
    F(tid, U64, TID, NONE, 1, "thread")                                                                      \
    F(zones, COUNT, PLAIN, NONE, 1, "zones of a thread")                                                     \
    F(kernel_samples, U64, PLAIN, NONE, l->kernel_samples, "kernel samples of a thread")                     \
    F(fiber, U8, PLAIN, NONE, l->fiber, "fiber")                                                             \
    F(hint, I32, PLAIN, NONE, l->group_hint, "group of a thread")

#define TK_TRACY_THREAD_MESSAGE_FIELDS(F) F(key, U64, KEY, NONE, 1, "message of a thread")

#define TK_TRACY_SAMPLE_FIELDS(F)                                                                            \
    F(time, DT, TIME, NONE, 1, "time")                                                                       \
    F(callstack, U24, STACK, NONE, 1, "callstack")

/* ---- GPU (tracy-file 5.11) ---- */

/* Names of notes, timelines and what was noted follow. */
#define TK_TRACY_GPU_CONTEXT_FIELDS(F)                                                                       \
    F(tid, U64, TID, NONE, 1, "thread of a GPU context")                                                     \
    F(calibrated, U8, PLAIN, NONE, 1, "calibration of a GPU context")                                        \
    F(zones, U64, PLAIN, NONE, 1, "zones of a GPU context")                                                  \
    F(period, F32, PLAIN, NONE, 1, "period of a GPU context")                                                \
    F(type, U8, PLAIN, NONE, 1, "type of a GPU context")                                                     \
    F(name, U24, INDEX, NAME, l->gpu_name, "name of a GPU context")                                          \
    F(overflow, U64, PLAIN, NONE, l->gpu_overflow, "overflow of a GPU context")

#define TK_TRACY_NOTE_NAME_FIELDS(F)                                                                         \
    F(id, I64, PLAIN, NONE, 1, "id of a GPU note")                                                           \
    F(name, U24, INDEX, NAME, 1, "name of a GPU note")

/* So many zones of the first level follow. */
#define TK_TRACY_GPU_TIMELINE_FIELDS(F)                                                                      \
    F(tid, U64, TID, NONE, 1, "thread of a GPU timeline")                                                    \
    F(zones, COUNT, PLAIN, NONE, 1, "zones of a GPU timeline")

/* So many zones follow in front of its end. */
#define TK_TRACY_GPU_BEGIN_FIELDS(F)                                                                         \
    F(cpu, DT, END, NONE, 1, "start on the CPU")                                                             \
    F(gpu, GT, END, NONE, 1, "start on the GPU")                                                             \
    F(location, I16, PLACE, NONE, 1, "source location")                                                      \
    F(callstack, U24, STACK, NONE, 1, "callstack")                                                           \
    F(thread, U16, LOCAL, NONE, 1, "thread")                                                                 \
    F(children, U64, PLAIN, NONE, 1, "children")

#define TK_TRACY_GPU_END_FIELDS(F)                                                                           \
    F(cpu, DT, END, NONE, 1, "end on the CPU")                                                               \
    F(gpu, GT, END, NONE, 1, "end on the GPU")                                                               \
    F(query, U16, PLAIN, NONE, l->gpu_notes, "query")

#define TK_TRACY_GPU_QUERY_FIELDS(F) F(query, U16, PLAIN, NONE, 1, "GPU query")

#define TK_TRACY_GPU_NOTE_FIELDS(F)                                                                          \
    F(id, I64, PLAIN, NONE, 1, "id of a GPU note")                                                           \
    F(value, F64, PLAIN, NONE, 1, "value of a GPU note")

/* ---- plots, memory (tracy-file 5.12) ---- */

#define TK_TRACY_PLOT_FIELDS(F)                                                                              \
    F(type, U8, PLAIN, NONE, 1, "type of a plot")                                                            \
    F(format, U8, PLAIN, NONE, 1, "format of a plot")                                                        \
    F(steps, U8, PLAIN, NONE, l->plot_style, "steps of a plot")                                              \
    F(fill, U8, PLAIN, NONE, l->plot_style, "fill of a plot")                                                \
    F(colour, U32, PLAIN, NONE, l->plot_style, "colour of a plot")                                           \
    F(name, U64, POINTER, NAME, 1, "name of a plot")                                                         \
    F(min, F64, PLAIN, NONE, 1, "least value of a plot")                                                     \
    F(max, F64, PLAIN, NONE, 1, "greatest value of a plot")                                                  \
    F(sum, F64, PLAIN, NONE, l->plot_sum, "sum of a plot")

#define TK_TRACY_POINT_FIELDS(F)                                                                             \
    F(time, DT, TIME, NONE, 1, "time of a point")                                                            \
    F(value, F64, PLAIN, NONE, 1, "value of a point")

/* Its n events follow, and its end. */
#define TK_TRACY_POOL_FIELDS(F)                                                                              \
    F(name, U64, POINTER, NAME, l->named_pools, "name of a memory pool")                                     \
    F(n, COUNT, PLAIN, NONE, 1, "events of a memory pool")                                                   \
    F(active, U64, PLAIN, NONE, 1, "active allocations of a memory pool")                                    \
    F(frees, U64, PLAIN, NONE, 1, "releases of a memory pool")

/* Until its release it lived so long; below 0: it was not released. */
#define TK_TRACY_MEMORY_FIELDS(F)                                                                            \
    F(address, U64, PLAIN, NONE, 1, "address")                                                               \
    F(size, U64, PLAIN, NONE, 1, "size")                                                                     \
    F(callstack, U24, STACK, NONE, 1, "callstack")                                                           \
    F(free_callstack, U24, STACK, NONE, 1, "callstack of the release")                                       \
    F(time, DT, TIME, NONE, 1, "time")                                                                       \
    F(life, I64, PLAIN, NONE, 1, "life")                                                                     \
    F(thread, U16, LOCAL, NONE, 1, "thread")                                                                 \
    F(free_thread, U16, LOCAL, NONE, 1, "thread of the release")

#define TK_TRACY_POOL_END_FIELDS(F)                                                                          \
    F(high, U64, PLAIN, NONE, 1, "highest address of a memory pool")                                         \
    F(low, U64, PLAIN, NONE, 1, "lowest address of a memory pool")                                           \
    F(used, U64, PLAIN, NONE, 1, "bytes of a memory pool")                                                   \
    F(name, U64, POINTER, NAME, l->named_pools, "name of a memory pool")

/* ---- code (tracy-file 5.13, 5.19 to 5.21) ---- */

#define TK_TRACY_CALLSTACK_FIELDS(F)   F(depth, U16, PLAIN, NONE, 1, "depth of a callstack")
#define TK_TRACY_STACK_FRAME_FIELDS(F) F(id, U64, ADDRESS, NONE, 1, "callstack")

#define TK_TRACY_CODE_FRAME_FIELDS(F)                                                                        \
    F(id, U64, ADDRESS, NONE, 1, "id of a callstack frame")                                                  \
    F(places, U8, PLAIN, NONE, 1, "functions of a callstack frame")                                          \
    F(image, U24, INDEX, MODULE, 1, "image of a callstack frame")

#define TK_TRACY_CODE_PLACE_FIELDS(F)                                                                        \
    F(function, U24, INDEX, FUNCTION, 1, "function of a callstack frame")                                    \
    F(file, U24, INDEX, FILE, 1, "file of a callstack frame")                                                \
    F(line, U32, PLAIN, NONE, 1, "line of a callstack frame")                                                \
    F(symbol, U64, ADDRESS, NONE, 1, "symbol of a callstack frame")

#define TK_TRACY_SYMBOL_FIELDS(F)                                                                            \
    F(address, U64, ADDRESS, NONE, 1, "address of a symbol")                                                 \
    F(name, U24, INDEX, FUNCTION, 1, "name of a symbol")                                                     \
    F(file, U24, INDEX, FILE, 1, "file of a symbol")                                                         \
    F(line, U32, PLAIN, NONE, 1, "line of a symbol")                                                         \
    F(image, U24, INDEX, MODULE, 1, "image of a symbol")                                                     \
    F(call_file, U24, INDEX, FILE, 1, "file of a call")                                                      \
    F(call_line, U32, PLAIN, NONE, 1, "line of a call")                                                      \
    F(is_inline, U8, PLAIN, NONE, 1, "kind of a symbol")                                                     \
    F(size, U24, PLAIN, NONE, 1, "size of a symbol")

/* Its bytes follow. */
#define TK_TRACY_CODE_FIELDS(F)                                                                              \
    F(address, U64, ADDRESS, NONE, 1, "address of code")                                                     \
    F(n, U32, PLAIN, NONE, 1, "size of code")

/* Its n numbers follow. */
#define TK_TRACY_CODE_LOCATION_FIELDS(F)                                                                     \
    F(place, U64, PLAIN, NONE, 1, "location of code")                                                        \
    F(n, U16, PLAIN, NONE, 1, "location of code")

#define TK_TRACY_CODE_SYMBOL_FIELDS(F)                                                                       \
    F(code, U64, ADDRESS, NONE, 1, "address of code")                                                        \
    F(symbol, U64, ADDRESS, NONE, 1, "symbol of code")

#define TK_TRACY_HARDWARE_FIELDS(F)        F(address, U64, ADDRESS, NONE, 1, "address of hardware samples")
#define TK_TRACY_HARDWARE_SAMPLE_FIELDS(F) F(time, DT, TIME, NONE, 1, "hardware sample")

/* ---- images (tracy-file 5.15) ---- */

/* Its pixels follow. */
#define TK_TRACY_IMAGE_FIELDS(F)                                                                             \
    F(width, U16, PLAIN, NONE, 1, "width of a frame image")                                                  \
    F(height, U16, PLAIN, NONE, 1, "height of a frame image")                                                \
    F(flipped, U8, PLAIN, NONE, 1, "direction of a frame image")

/* ---- times on cores (tracy-file 5.16 to 5.18) ---- */

#define TK_TRACY_SWITCHES_FIELDS(F) F(tid, U64, TID, NONE, 1, "thread with context switches")

#define TK_TRACY_SWITCH_FIELDS(F)                                                                            \
    F(wakeup, DT, TIME, NONE, 1, "wakeup of a context switch")                                               \
    F(start, DT, TIME, NONE, 1, "start of a context switch")                                                 \
    F(end, DT, END, NONE, 1, "end of a context switch")                                                      \
    F(cpu, U8, PLAIN, NONE, 1, "CPU of a context switch")                                                    \
    F(reason, I8, PLAIN, NONE, 1, "reason of a context switch")                                              \
    F(state, I8, PLAIN, NONE, 1, "state of a context switch")                                                \
    F(thread, U64, TID, NONE, l->switch_thread, "thread of a context switch")                                \
    F(wakeup_cpu, U8, PLAIN, NONE, l->wakeup_cpu, "CPU of a wakeup")

#define TK_TRACY_CPU_RUN_FIELDS(F)                                                                           \
    F(start, DT, TIME, NONE, 1, "start of a switch of a CPU")                                                \
    F(end, DT, END, NONE, 1, "end of a switch of a CPU")                                                     \
    F(thread, U16, EXTERNAL, NONE, 1, "thread of a switch of a CPU")

#define TK_TRACY_PROCESS_FIELDS(F)                                                                           \
    F(tid, U64, TID, NONE, 1, "thread of a process")                                                         \
    F(pid, U64, PLAIN, NONE, 1, "process of a thread")

#define TK_TRACY_CPU_USE_FIELDS(F)                                                                           \
    F(tid, U64, TID, NONE, 1, "thread that ran")                                                             \
    F(running, I64, PLAIN, NONE, 1, "running time of a thread")                                              \
    F(regions, U32, PLAIN, NONE, 1, "running regions of a thread")                                           \
    F(migrations, U32, PLAIN, NONE, 1, "migrations of a thread")

/* ---- what the program says of itself (tracy-file 5.14) ---- */

#define TK_TRACY_APP_INFO_FIELDS(F) F(text, REF, REF, INFO_OR_EDIT, 1, "application information")

/*
 * All of them: X(record, fields, how, title). Where the payload ends inside of one, the fault is that of the
 * field (EACH) or of the record, by its title (WHOLE).
 */
#define TK_TRACY_EACH_RECORD(X)                                                                              \
    X(header, TK_TRACY_HEADER_FIELDS, EACH, "header")                                                        \
    X(header_times, TK_TRACY_HEADER_TIMES_FIELDS, EACH, "times of the header")                               \
    X(crash, TK_TRACY_CRASH_FIELDS, EACH, "crash")                                                           \
    X(frame_set, TK_TRACY_FRAME_SET_FIELDS, EACH, "frame set")                                               \
    X(frame, TK_TRACY_FRAME_FIELDS, EACH, "frame of a continuous set")                                       \
    X(lone_frame, TK_TRACY_LONE_FRAME_FIELDS, EACH, "frame with an end")                                     \
    X(time_section, TK_TRACY_TIME_SECTION_FIELDS, EACH, "section of time")                                   \
    X(category, TK_TRACY_CATEGORY_FIELDS, EACH, "category of sections")                                      \
    X(description, TK_TRACY_DESCRIPTION_FIELDS, EACH, "description of a category")                           \
    X(string, TK_TRACY_STRING_FIELDS, EACH, "string")                                                        \
    X(pointer, TK_TRACY_POINTER_FIELDS, EACH, "pointer of a string")                                         \
    X(thread_name, TK_TRACY_THREAD_NAME_FIELDS, EACH, "name of a thread")                                    \
    X(external_name, TK_TRACY_EXTERNAL_NAME_FIELDS, EACH, "name of a thread of others")                      \
    X(location, TK_TRACY_LOCATION_FIELDS, EACH, "source location")                                           \
    X(zone_count, TK_TRACY_ZONE_COUNT_FIELDS, EACH, "zone count")                                            \
    X(lock, TK_TRACY_LOCK_FIELDS, EACH, "lock")                                                              \
    X(lock_thread, TK_TRACY_LOCK_THREAD_FIELDS, EACH, "thread of a lock")                                    \
    X(lock_event, TK_TRACY_LOCK_EVENT_FIELDS, WHOLE, "event of a lock")                                      \
    X(message, TK_TRACY_MESSAGE_FIELDS, EACH, "message")                                                     \
    X(extra, TK_TRACY_EXTRA_FIELDS, WHOLE, "zone extra")                                                     \
    X(thread, TK_TRACY_THREAD_FIELDS, EACH, "thread")                                                        \
    X(thread_message, TK_TRACY_THREAD_MESSAGE_FIELDS, EACH, "message of a thread")                           \
    X(sample, TK_TRACY_SAMPLE_FIELDS, WHOLE, "sample")                                                       \
    X(gpu_context, TK_TRACY_GPU_CONTEXT_FIELDS, EACH, "GPU context")                                         \
    X(note_name, TK_TRACY_NOTE_NAME_FIELDS, EACH, "name of a GPU note")                                      \
    X(gpu_timeline, TK_TRACY_GPU_TIMELINE_FIELDS, EACH, "GPU timeline")                                      \
    X(gpu_begin, TK_TRACY_GPU_BEGIN_FIELDS, WHOLE, "begin of a GPU zone")                                    \
    X(gpu_end, TK_TRACY_GPU_END_FIELDS, WHOLE, "end of a GPU zone")                                          \
    X(gpu_query, TK_TRACY_GPU_QUERY_FIELDS, EACH, "GPU query")                                               \
    X(gpu_note, TK_TRACY_GPU_NOTE_FIELDS, EACH, "GPU note")                                                  \
    X(plot, TK_TRACY_PLOT_FIELDS, EACH, "plot")                                                              \
    X(point, TK_TRACY_POINT_FIELDS, EACH, "point of a plot")                                                 \
    X(pool, TK_TRACY_POOL_FIELDS, EACH, "memory pool")                                                       \
    X(memory, TK_TRACY_MEMORY_FIELDS, WHOLE, "memory event")                                                 \
    X(pool_end, TK_TRACY_POOL_END_FIELDS, EACH, "end of a memory pool")                                      \
    X(callstack, TK_TRACY_CALLSTACK_FIELDS, EACH, "callstack")                                               \
    X(stack_frame, TK_TRACY_STACK_FRAME_FIELDS, EACH, "frame of a callstack")                                \
    X(code_frame, TK_TRACY_CODE_FRAME_FIELDS, EACH, "code of a frame")                                       \
    X(code_place, TK_TRACY_CODE_PLACE_FIELDS, EACH, "function of a frame")                                   \
    X(image, TK_TRACY_IMAGE_FIELDS, EACH, "frame image")                                                     \
    X(switches, TK_TRACY_SWITCHES_FIELDS, EACH, "thread with context switches")                              \
    X(switch, TK_TRACY_SWITCH_FIELDS, EACH, "context switch")                                                \
    X(cpu_run, TK_TRACY_CPU_RUN_FIELDS, EACH, "switch of a CPU")                                             \
    X(process, TK_TRACY_PROCESS_FIELDS, EACH, "process of a thread")                                         \
    X(cpu_use, TK_TRACY_CPU_USE_FIELDS, EACH, "running time of a thread")                                    \
    X(symbol, TK_TRACY_SYMBOL_FIELDS, EACH, "symbol")                                                        \
    X(code, TK_TRACY_CODE_FIELDS, EACH, "code of a symbol")                                                  \
    X(code_location, TK_TRACY_CODE_LOCATION_FIELDS, EACH, "location of code")                                \
    X(code_symbol, TK_TRACY_CODE_SYMBOL_FIELDS, EACH, "symbol of code")                                      \
    X(hardware, TK_TRACY_HARDWARE_FIELDS, EACH, "address of hardware samples")                               \
    X(hardware_sample, TK_TRACY_HARDWARE_SAMPLE_FIELDS, EACH, "hardware sample")                             \
    X(app_info, TK_TRACY_APP_INFO_FIELDS, EACH, "application information")

#endif
