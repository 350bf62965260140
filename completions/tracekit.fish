# Made from the options of the commands; cmake --build build/release --target refresh-manual writes it anew.
# Completion of tracekit and trace-COMMAND for fish.

# What was given on this line for an option of these names.
function __tracekit_given
    set -l tokens (commandline -opc)
    for i in (seq (count $tokens))
        for name in $argv
            if test $tokens[$i] = $name
                test $i -lt (count $tokens); and echo $tokens[(math $i + 1)]
                return
            else if string match -q -- "--*" $name; and string match -q -- "$name=*" $tokens[$i]
                string replace -- "$name=" '' $tokens[$i]
                return
            end
        end
    end
end

# The words of a list, where it hangs on other options of those; with a second argument several joined by it.
function __tracekit_words
    set -l list $argv[1]
    set -l found
    if test $list = columns
        set -l table (__tracekit_given --table -t)
        test -n "$table"; or set table timers
        set list columns-$table
    else if test $list = export-tables
        set -l preset (__tracekit_given --preset -p)
        set list tables
        test -n "$preset"; and set list preset-$preset
    end
    switch $list
        case args
            set found none all
        case budget-reports
            set found text markdown json csv junit github sarif html
        case classes
            set found users addresses paths commands project logs assets objects functions names pictures sources timers all
        case colours
            set found auto always never
        case columns-allocations
            set found index time address bytes alignment kind heap_id heap tag_id tag thread_id thread role process_id process callstack_id frame asset asset_class package
        case columns-android_frames
            set found start end dur kind process_id process layer jank blame present on_time gpu expected_start expected token display_token
        case columns-assets
            set found asset class package package_id scopes alive_bytes alive_count peak_bytes allocs frees alloc_bytes
        case columns-bookmarks
            set found time thread_id thread role process_id process text file line callstack_id function
        case columns-bound
            set found frame start dur bound_by game game_wait render render_wait rhi rhi_wait gpu gpu_wait thread role process_id process waited_in chain
        case columns-bound_shares
            set found bound_by frames share dur game render rhi gpu off_core
        case columns-callees
            set found depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line
        case columns-callers
            set found depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line
        case columns-callstacks
            set found callstack_id frame address module offset function file line inlined
        case columns-can
            set found question answer found missing how
        case columns-capture
            set found format app project platform engine build branch host recorded start_cycle frequency epoch first last dur threads timers bytes empty truncated damaged faults notices
        case columns-channels
            set found channel_id name enabled read_only
        case columns-cook
            set found package_id package class step count sum incl excl time
        case columns-cores
            set found core count busy own idle threads
        case columns-counter_values
            set found time counter_id counter group value unit frame thread_id thread role process_id process
        case columns-counters
            set found counter_id counter group type unit count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max
        case columns-coverage
            set found event family count bytes share
        case columns-coverage_summary
            set found kind types count bytes share
        case columns-cpu_use
            set found system_id thread_id thread role process_id process name running regions migrations
        case columns-crash
            set found time system_id thread role process_id process message callstack_id stack scopes
        case columns-critical_path
            set found frame rank thread_id thread role process_id process timer from to dur share via
        case columns-csv
            set found series thread_id thread role process_id process frame_type unit count first last min max mean time_mean median p90 p95 p99 frame_mean
        case columns-csv_events
            set found time kind category key text thread_id thread role process_id process
        case columns-csv_values
            set found time frame_type frame series value unit thread_id thread role process_id process
        case columns-definitions
            set found type definition_id text
        case columns-edits
            set found edit from to first_frame record
        case columns-event_counts
            set found event count bytes
        case columns-events
            set found time thread_id thread role process_id process event serial offset within fields attachment incomplete
        case columns-file
            set found format magic transport protocol control_port session_guid trace_guid bytes packets sync_packets verified truncated version container compression streams blocks form
        case columns-file_activity
            set found start end dur op path offset requested_bytes bytes failed in_flight thread_id thread role process_id process
        case columns-files
            set found path opens reopens closes reads writes failed open bytes_read read_time read_bandwidth bytes_written write_time write_bandwidth open_time close_time min max mean median p95 p99 first last
        case columns-frame_images
            set found image_id width height flipped bytes data frame time
        case columns-frame_stats
            set found type_id type count open total mean min median p95 p99 max jitter rate rate_low over_120 over_60 over_30
        case columns-frames
            set found type_id frame start end dur type lost
        case columns-generic_events
            set found time thread_id thread role process_id process event serial offset within fields attachment incomplete
        case columns-gpu
            set found queue_id queue timer kind file line sources places count open incl total excl working share min max mean median p50 p90 p95 p99 p999 mode stddev frame_mean frame_p95
        case columns-gpu_fences
            set found queue_id queue time value other_id other signal_time signal_value
        case columns-gpu_frames
            set found queue_id queue frame time work waiting draws primitives dropped
        case columns-gpu_labels
            set found queue_id queue start timer label
        case columns-gpu_notes
            set found context_id name query_id note_id what value
        case columns-gpu_queues
            set found queue_id queue gpu type index work_items work busy waits waiting idle frames invalid_frames dropped draws primitives signals fences
        case columns-gpu_scopes
            set found queue_id queue timer start dur depth scope_id parent_id kind file line
        case columns-groups
            set found group number start dur timer count incl total excl mean kind
        case columns-hardware_functions
            set found function module file line cycles retired cache_references cache_misses branches branch_misses cycles_share ipc cache_miss branch_miss offsets
        case columns-hardware_lines
            set found function module file line cycles retired cache_references cache_misses branches branch_misses cycles_share ipc cache_miss branch_miss offsets
        case columns-hardware_samples
            set found time address event
        case columns-health
            set found kind damage count offset text
        case columns-histogram
            set found from to count share up_to bar
        case columns-hitch_events
            set found frame kind start dur count bytes text thread role process_id process
        case columns-hitches
            set found frame start dur expected excess explained rank timer work thread role process_id process thread_id count excl off_core typical growth share class cause
        case columns-http
            set found request_id start end dur status bytes host url priority category dispatcher ranges
        case columns-http_ranges
            set found time request_id url fields thread_id thread role process_id process
        case columns-io
            set found created start end wait service state requested_bytes offset bytes backend chunk chunk_type batch_id in_flight callstack_id thread_id thread role process_id process
        case columns-io_batches
            set found batch_id issued resolved dur requested_bytes
        case columns-io_chunks
            set found time offset requested_bytes chunk hash merged thread_id thread role process_id process
        case columns-late_frames
            set found frame start dur expected class
        case columns-leaks
            set found bytes count share function module file line callstack_id heap_id heap
        case columns-ledger
            set found part bytes share help
        case columns-llm
            set found tracker tag_set tag count first last min peak mean time_mean median p90 p95 p99 growth growth_minute
        case columns-llm_values
            set found time tracker tag value frame thread_id thread role process_id process
        case columns-load_activity
            set found start end dur state thread_id thread role process_id process
        case columns-load_groups
            set found group start end dur requests packages thread_id thread role process_id process
        case columns-load_requests
            set found request_id source_id group start end dur packages thread_id thread role process_id process
        case columns-lock_rows
            set found lock lock_id mode thread_id thread role process_id process requested obtained released wait held
        case columns-locks
            set found lock lock_id thread_id thread role process_id process mode count open total min max mean median p95 p99 held held_min held_max held_mean held_median held_p95 held_p99
        case columns-logs
            set found time thread_id thread role process_id process category verbosity file line text
        case columns-memory
            set found by heap_id heap key name path alive_bytes alive_count peak_bytes peak_count allocs frees reallocs alloc_bytes free_bytes frame_allocs frame_bytes frame_max short_lived short_bytes unknown_frees packed_bytes
        case columns-memory_growth
            set found by heap_id heap key name path growth_bytes growth_count from_bytes from_count to_bytes to_count kept_bytes kept_count churn_bytes churn_count peak_bytes peak_time grain
        case columns-metrics
            set found name unit better value state source
        case columns-modules
            set found module base bytes image_id symbol_format unloaded path
        case columns-net
            set found instance_id instance connection_id connection direction address packets bits bytes bits_per_s dropped missing bunches bunch_bits header_bits content min max mean median p95 p99 first last state server
        case columns-net_content
            set found instance_id instance connection_id connection direction node_id parent_id depth kind name count bits excl_bits max
        case columns-net_objects
            set found instance_id object_id name type_id owner_id parent_id count bits polls poll_time wasted_polls wasted_time quantized quantize_time written write_time destroyed
        case columns-net_packets
            set found instance_id instance connection_id connection direction time sequence bits bytes bunches bunch_bits content state
        case columns-net_values
            set found instance_id instance connection_id connection basis name count sum first last min max mean median p95 p99
        case columns-objects
            set found snapshot time class objects bytes more_objects more_bytes instance_bytes system_bytes video_bytes total_bytes references complete
        case columns-open_scopes
            set found thread_id thread role process_id process depth timer start
        case columns-package_classes
            set found class created serialized postloads serialized_bytes create_time serialize_time postload_time excl max
        case columns-packages
            set found name package_id header_bytes imports exports priority request_id group created serialized postloads serialized_bytes summary_time create_time serialize_time postload_time excl max first last
        case columns-per_frame
            set found frame start dur timer count incl total excl
        case columns-quality
            set found kind subject start count total text
        case columns-regions
            set found name category region_id start end dur thread_id thread role process_id process state
        case columns-running
            set found thread_id thread role process_id process timer kind file line count total running waiting share min max mean median p95 p99
        case columns-sample_callees
            set found depth function excl incl share incl_time pruned node_id parent_id file line
        case columns-sample_callers
            set found depth function excl incl share incl_time pruned node_id parent_id file line
        case columns-sample_functions
            set found system_id thread_id thread role process_id process function module file line excl excl_share excl_time incl incl_share incl_time running waiting waits wakeups incl_running incl_waiting incl_waits incl_wakeups offsets
        case columns-sample_lines
            set found system_id thread_id thread role process_id process function module file line excl excl_share excl_time incl incl_share incl_time running waiting waits wakeups incl_running incl_waiting incl_waits incl_wakeups offsets
        case columns-sample_modules
            set found system_id thread_id thread role process_id process function module file line excl excl_share excl_time incl incl_share incl_time running waiting waits wakeups incl_running incl_waiting incl_waits incl_wakeups offsets
        case columns-sample_rows
            set found time system_id thread_id thread role process_id process depth address module offset function callstack_id stack
        case columns-sample_timers
            set found timer thread_id thread role process_id process excl excl_share excl_time incl incl_share incl_time kind file line
        case columns-sample_tree
            set found depth function excl incl share incl_time pruned node_id parent_id file line
        case columns-samples
            set found system_id thread_id thread role process_id process address module offset function count share first last
        case columns-scopes
            set found thread_id thread timer start dur depth scope_id parent_id kind file line role process_id process
        case columns-screenshots
            set found time screenshot_id name width height bytes chunks chunks_total complete hash data
        case columns-sections
            set found section offset bytes items complete
        case columns-session
            set found session
        case columns-slowest
            set found rank timer kind dur excl start thread role process_id process thread_id frame text depth stack file line
        case columns-smoothness
            set found frames dur rule hitches hitches_min hitch_ratio hitch_time loading_hitches startup_hitches startup_frames uneven_frames uneven oscillation pacing low1 low01 missed late
        case columns-source_files
            set found file bytes text
        case columns-source_lines
            set found function file line excl excl_share excl_time incl text
        case columns-spatial
            set found time point_id name x y z vx vy vz dx dy dz thread_id thread role process_id process
        case columns-stat_values
            set found time stat_id stat op operand value unit frame thread_id thread role process_id process
        case columns-stats
            set found stat_id stat description group type unit clears count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max
        case columns-streams
            set found thread_id packets bytes
        case columns-switch_rows
            set found start end dur system_id thread_id thread role process_id process core end_state wake waker_core
        case columns-switches
            set found system_id thread_id thread role process_id process count running min max mean median p95 p99 waits waiting wait_min wait_max wait_mean wait_median wait_p95 wait_p99 wakeups waking preempted ready blocked cores migrations first last
        case columns-symbol_files
            set found module state addresses resolved file found_by wanted note
        case columns-symbols
            set found address bytes name file line image inline call_file call_line
        case columns-task_counter_values
            set found time counter_id counter value unit frame thread_id thread role process_id process
        case columns-task_counters
            set found counter_id counter type unit count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max
        case columns-task_rows
            set found task_id task thread_id thread role process_id process tracked created launched scheduled started finished completed destroyed schedule_wait start_wait run launcher_id target bytes synthesized prerequisites subsequents nested chain chain_length
        case columns-task_waits
            set found thread_id thread role process_id process start end dur count first_task_id first_task ran_on
        case columns-tasks
            set found task count tracked ran total min max mean median p95 p99 schedule_wait schedule_wait_min schedule_wait_max schedule_wait_mean schedule_wait_median schedule_wait_p95 schedule_wait_p99 start_wait start_wait_min start_wait_max start_wait_mean start_wait_median start_wait_p95 start_wait_p99 chain chain_length prerequisites nested
        case columns-threads
            set found thread_id thread role process_id process group system_id sort_hint named packets bytes events scopes open max_depth unmatched busy working waiting
        case columns-timers
            set found thread_id thread timer kind file line sources places count open incl total excl working share min max mean median p50 p90 p95 p99 p999 mode stddev frame_mean frame_p95 role process_id process
        case columns-toggles
            set found index channel_id name enabled announced
        case columns-tree
            set found depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line
        case columns-types
            set found logger event type_id flags fields bytes offset
        case columns-verse
            set found start end dur function depth samples excl_samples native_samples line
        case eols
            set found lf crlf
        case event-columns
            set found time thread_id thread role process_id process event serial offset within fields attachment incomplete
        case exports
            set found csv tsv ndjson parquet arrow arrows sqlite chrome perfetto speedscope tracy folded flamegraph pprof tksym pictures
        case formats
            set found table plot text csv tsv json ndjson markdown parquet arrow arrows
        case groupings
            set found thread class file label region frame-type tag heap size asset callstack function module source
        case limits
            set found memory unpacked_bytes unpacked_ratio members whole_bytes packets types fields definitions threads connections timers strings event_bytes group_events group_bytes open_scopes lanes kept_events nesting hitches tree_nodes stack_name_bytes stacks_ratio stacks_bytes pending_scopes pending_serials metadata_instances late_metadata scope_texts pending_logs tasks sample_addresses switches rows counters counter_window alive_allocations memory_groups callstack_bytes ordered_facts held_events parts metric_seconds health_items
        case live-formats
            set found text json
        case orders
            set found file serial time
        case orders-of-scopes
            set found start
        case pair-presets
            set found tracy
        case pair-tables
            set found zones frames
        case preset-insights
            set found threads timers timing_events timer_statistics timer_callees counters counter_values
        case preset-summarize
            set found scopes counters bookmarks telemetry
        case preset-tracy
            set found zones gpu messages plots
        case preset-tracy-0.10
            set found zones gpu messages plots
        case preset-tracy-0.9
            set found zones gpu messages plots
        case presets
            set found insights summarize tracy tracy-0.10 tracy-0.9
        case questions
            set found blocking-loads busy-threads damage frame-budget frame-timers gpu-passes hitch-causes hitches lock-waits log-problems parents slow-files slow-frames slow-packages thread-hand-offs top-timers worst-allocators
        case reports
            set found text markdown json csv junit github sarif folded flamegraph html
        case run-orders
            set found time name given
        case tables
            set found timers threads frame_stats frames regions bookmarks logs open_scopes scopes event_counts events generic_events capture session channels toggles health ledger gpu gpu_queues gpu_frames gpu_scopes gpu_fences tasks task_rows task_waits task_counters task_counter_values switches switch_rows cores running samples sample_functions sample_lines source_lines sample_timers sample_tree sample_callers sample_callees sample_modules hardware_functions hardware_lines sample_rows locks lock_rows memory memory_growth leaks allocations assets modules symbol_files callstacks definitions counters counter_values stats stat_values csv csv_values llm llm_values coverage crash can coverage_summary files file_activity packages package_classes net net_packets net_content net_objects net_values tree callers callees hitches late_frames smoothness hitch_events bound bound_shares critical_path slowest histogram per_frame groups quality metrics gpu_labels csv_events load_requests load_groups load_activity io io_batches io_chunks cook http http_ranges verse objects spatial screenshots file streams types edits gpu_notes symbols hardware_samples frame_images source_files cpu_use sections android_frames
        case trend-reports
            set found text markdown json csv junit html
        case units
            set found ns us ms s cycles
        case units-of-sql
            set found ns us ms s
        case weights
            set found time count bytes samples
    end
    if test (count $argv) -gt 1
        __fish_append $argv[2] $found
    else if test $list = limits
        printf '%s=\n' $found
    else
        printf '%s\n' $found
    end
end

complete -c tracekit -n __fish_use_subcommand -f -a info -d 'Content of a capture: session, engine, duration, threads, channels, health of the file.'
complete -c trace-info -l full -d 'show all tables with complete data: exact times, scopes per thread, all faults'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l full -d 'show all tables with complete data: exact times, scopes per thread, all faults'
complete -c trace-info -l types -d 'also list the declared event types'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l types -d 'also list the declared event types'
complete -c trace-info -l coverage -d 'also list which events are decoded'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l coverage -d 'also list which events are decoded'
complete -c trace-info -l can -d 'also list the questions it can answer, and how to record the rest'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l can -d 'also list the questions it can answer, and how to record the rest'
complete -c trace-info -l modules -d 'also list the modules that contain recorded addresses, and their symbol files'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l modules -d 'also list the modules that contain recorded addresses, and their symbol files'
complete -c trace-info -l missing -d 'list only the missing symbols: paths in a symbol store, build ids, UUIDs'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l missing -d 'list only the missing symbols: paths in a symbol store, build ids, UUIDs'
complete -c trace-info -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c trace-info -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c trace-info -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c trace-info -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l force -d 'replace the file of --output'
complete -c trace-info -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c trace-info -l exact -d 'full precision, also in human-readable formats'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l exact -d 'full precision, also in human-readable formats'
complete -c trace-info -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-info -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-info -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l strict -d 'fail at the first damage of the capture'
complete -c trace-info -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-info -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-info -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-info -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-info -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-info -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-info -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-info -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l no-cache -d 'do not use the cache'
complete -c trace-info -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-info -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from info' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-info -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s h -l help -d 'print this'
complete -c trace-info -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from info' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a events -d 'The events of a capture as stored, or their counts.'
complete -c trace-events -l count -d 'only count the events of each type'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l count -d 'only count the events of each type'
complete -c trace-events -l order -x -a "(__tracekit_words orders)" -d 'file (default), serial or time'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l order -x -a "(__tracekit_words orders)" -d 'file (default), serial or time'
complete -c trace-events -s c -l columns -x -a "(__tracekit_words event-columns ,)" -d 'these columns, in this order'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s c -l columns -x -a "(__tracekit_words event-columns ,)" -d 'these columns, in this order'
complete -c trace-events -s n -l top -x -d 'only the first N events'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s n -l top -x -d 'only the first N events'
complete -c trace-events -l follow -d 'keep showing new events while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the recording ends'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l follow -d 'keep showing new events while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the recording ends'
complete -c trace-events -l idle -x -d 'with --follow: stop after this many seconds without new data, where the recorder does not signal its end (default 10)'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l idle -x -d 'with --follow: stop after this many seconds without new data, where the recorder does not signal its end (default 10)'
complete -c trace-events -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-events -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l to -x -d 'up to this time (exclusive)'
complete -c trace-events -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-events -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-events -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-events -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-events -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-events -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c trace-events -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c trace-events -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c trace-events -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l force -d 'replace the file of --output'
complete -c trace-events -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c trace-events -l exact -d 'full precision, also in human-readable formats'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l exact -d 'full precision, also in human-readable formats'
complete -c trace-events -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-events -l unit -x -a "(__tracekit_words units)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l unit -x -a "(__tracekit_words units)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c trace-events -l no-header -d 'csv and tsv: no header line'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l no-header -d 'csv and tsv: no header line'
complete -c trace-events -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-events -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l strict -d 'fail at the first damage of the capture'
complete -c trace-events -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-events -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-events -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-events -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-events -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-events -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-events -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-events -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l no-cache -d 'do not use the cache'
complete -c trace-events -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-events -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from events' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-events -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s h -l help -d 'print this'
complete -c trace-events -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from events' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a stats -d 'Tables with percentiles of a capture: timers, frames, threads, regions, logs.'
complete -c trace-stats -s t -l table -x -a "(__tracekit_words tables ,)" -d 'show these tables (default: a summary on a terminal, else timers)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s t -l table -x -a "(__tracekit_words tables ,)" -d 'show these tables (default: a summary on a terminal, else timers)'
complete -c trace-stats -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'show only these columns, in this order (with a single --table)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'show only these columns, in this order (with a single --table)'
complete -c trace-stats -l by -x -a "(__tracekit_words groupings ,)" -d 'group rows by thread, if the table can; timers: also by class, file, source, label, region, frame-type; memory: by thread, tag, heap, size, asset, callstack, function, module, file; frames: by cell=SIZE of the level, cell=SIZE:z of its storeys, too; into a file .svg as a map'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l by -x -a "(__tracekit_words groupings ,)" -d 'group rows by thread, if the table can; timers: also by class, file, source, label, region, frame-type; memory: by thread, tag, heap, size, asset, callstack, function, module, file; frames: by cell=SIZE of the level, cell=SIZE:z of its storeys, too; into a file .svg as a map'
complete -c trace-stats -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c trace-stats -s s -l sort -x -a "(__tracekit_words columns)" -d 'sort by COLUMN, largest first; COLUMN:asc for smallest first'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s s -l sort -x -a "(__tracekit_words columns)" -d 'sort by COLUMN, largest first; COLUMN:asc for smallest first'
complete -c trace-stats -s n -l top -x -d 'only the first N rows after sorting; with --by thread, class, region or frame-type the first N of each, unless --sort is given; for hitches the N longest'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s n -l top -x -d 'only the first N rows after sorting; with --by thread, class, region or frame-type the first N of each, unless --sort is given; for hitches the N longest'
complete -c trace-stats -l rules -d 'what is wrong, and what is not: each rule found with evidence, ruled out, or not judged; all: also what the others need; NAME: its evidence; DIR: also the rules in this folder'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l rules -d 'what is wrong, and what is not: each rule found with evidence, ruled out, or not judged; all: also what the others need; NAME: its evidence; DIR: also the rules in this folder'
complete -c trace-stats -l save -r -F -d 'instead of a table, save the run to a baseline for trace-diff; adds to an existing baseline, or a file to a folder'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l save -r -F -d 'instead of a table, save the run to a baseline for trace-diff; adds to an existing baseline, or a file to a folder'
complete -c trace-stats -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c trace-stats -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-stats -l summary -x -d 'instead of a table, write the data of --save as Parquet files to DIR/TABLE/run=run-HASH/, for fleets'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l summary -x -d 'instead of a table, write the data of --save as Parquet files to DIR/TABLE/run=run-HASH/, for fleets'
complete -c trace-stats -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-stats -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-stats -l before -x -d 'with --table hitch_causes, the hitches of several captures by cause: captures, baselines or folders to compare with (default: the builds before the newest one); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l before -x -d 'with --table hitch_causes, the hitches of several captures by cause: captures, baselines or folders to compare with (default: the builds before the newest one); may be repeated'
complete -c trace-stats -l phase -x -d 'with --table hitch_causes: hitches of play (default), loading, startup, all'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l phase -x -d 'with --table hitch_causes: hitches of play (default), loading, startup, all'
complete -c trace-stats -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c trace-stats -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c trace-stats -l follow -d 'show the result again each second while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the recording ends'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l follow -d 'show the result again each second while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the recording ends'
complete -c trace-stats -l idle -x -d 'with --follow: stop after this many seconds without new data, where the recorder does not signal its end (default 10)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l idle -x -d 'with --follow: stop after this many seconds without new data, where the recorder does not signal its end (default 10)'
complete -c trace-stats -l plot -d 'draw the tables (--format plot): frames, or with --counter their values, --per-frame, --histogram'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l plot -d 'draw the tables (--format plot): frames, or with --counter their values, --per-frame, --histogram'
complete -c trace-stats -s l -l list -d 'list all tables and their columns, or only the named tables (--list logs)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s l -l list -d 'list all tables and their columns, or only the named tables (--list logs)'
complete -c trace-stats -l tree -d 'the call tree: calls and times by stack; --by thread keeps threads apart'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l tree -d 'the call tree: calls and times by stack; --by thread keeps threads apart'
complete -c trace-stats -l callers -x -d 'callers of a timer, step by step up to the roots'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l callers -x -d 'callers of a timer, step by step up to the roots'
complete -c trace-stats -l callees -x -d 'callees of a timer, step by step'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l callees -x -d 'callees of a timer, step by step'
complete -c trace-stats -l samples -d 'with --tree, --callers, --callees: functions by stack samples; alone: samples by function and by timer'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l samples -d 'with --tree, --callers, --callees: functions by stack samples; alone: samples by function and by timer'
complete -c trace-stats -l lines -x -d 'the lines of a function, with their stack samples'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l lines -x -d 'the lines of a function, with their stack samples'
complete -c trace-stats -l source -x -d 'with --lines: look for source files in this folder and its subfolders, where the capture has none; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l source -x -d 'with --lines: look for source files in this folder and its subfolders, where the capture has none; may be repeated'
complete -c trace-stats -l depth -x -d 'trees: at most N levels below the root'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l depth -x -d 'trees: at most N levels below the root'
complete -c trace-stats -l hitches -d 'hitches and their causes: game frames that are late against those around them (local, the default), by the rule of Unreal Engine, longer than twice the median, MS milliseconds, or N times the median'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l hitches -d 'hitches and their causes: game frames that are late against those around them (local, the default), by the rule of Unreal Engine, longer than twice the median, MS milliseconds, or N times the median'
complete -c trace-stats -l target -x -d 'how evenly frames come, with the frames that were missed and those that were late at FPS frames a second'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l target -x -d 'how evenly frames come, with the frames that were missed and those that were late at FPS frames a second'
complete -c trace-stats -l slowest -x -d 'the N longest single calls with their stacks (without calls that spend 90 % or more in a single inner call); --timer limits them to some timers'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l slowest -x -d 'the N longest single calls with their stacks (without calls that spend 90 % or more in a single inner call); --timer limits them to some timers'
complete -c trace-stats -l histogram -x -d 'distribution of the durations of a timer\'s calls'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l histogram -x -d 'distribution of the durations of a timer\'s calls'
complete -c trace-stats -l per-frame -x -d 'times of a timer in each game frame, one row per frame; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l per-frame -x -d 'times of a timer in each game frame, one row per frame; may be repeated'
complete -c trace-stats -l work -r -F -d 'classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in ones'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l work -r -F -d 'classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in ones'
complete -c trace-stats -l min-share -x -d 'trees: combine entries below this share of the total, such as 0.5% or 0.005 (default: 1% in human-readable formats); timers named by --timer stay separate'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l min-share -x -d 'trees: combine entries below this share of the total, such as 0.5% or 0.005 (default: 1% in human-readable formats); timers named by --timer stay separate'
complete -c trace-stats -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-stats -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l to -x -d 'up to this time (exclusive)'
complete -c trace-stats -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-stats -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-stats -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-stats -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-stats -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-stats -l timer -x -d 'only timers with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l timer -x -d 'only timers with this name; may be repeated'
complete -c trace-stats -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c trace-stats -l counter -x -d 'only counters with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l counter -x -d 'only counters with this name; may be repeated'
complete -c trace-stats -l log -x -d 'only log messages that contain this text; may be repeated (for a category: --where \'category=LogAI\')'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l log -x -d 'only log messages that contain this text; may be repeated (for a category: --where \'category=LogAI\')'
complete -c trace-stats -l callstack -x -d 'the frames of the callstack with this id'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l callstack -x -d 'the frames of the callstack with this id'
complete -c trace-stats -l at -x -d 'memory: show what is alive at this time (default: at the end)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l at -x -d 'memory: show what is alive at this time (default: at the end)'
complete -c trace-stats -l alloc-window -x -d 'memory: only what was allocated from A up to B (exclusive) and is alive at C (default: at the end)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l alloc-window -x -d 'memory: only what was allocated from A up to B (exclusive) and is alive at C (default: at the end)'
complete -c trace-stats -l allocators -r -F -d 'memory: file with patterns of allocator functions, one per line, instead of the built-in ones'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l allocators -r -F -d 'memory: file with patterns of allocator functions, one per line, instead of the built-in ones'
complete -c trace-stats -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c trace-stats -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c trace-stats -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l force -d 'replace the file of --output'
complete -c trace-stats -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c trace-stats -l exact -d 'full precision, also in human-readable formats'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l exact -d 'full precision, also in human-readable formats'
complete -c trace-stats -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-stats -l unit -x -a "(__tracekit_words units)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l unit -x -a "(__tracekit_words units)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c trace-stats -l no-header -d 'csv and tsv: no header line'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l no-header -d 'csv and tsv: no header line'
complete -c trace-stats -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c trace-stats -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c trace-stats -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c trace-stats -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-stats -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l strict -d 'fail at the first damage of the capture'
complete -c trace-stats -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-stats -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-stats -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-stats -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-stats -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-stats -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-stats -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-stats -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l no-cache -d 'do not use the cache'
complete -c trace-stats -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-stats -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-stats -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s h -l help -d 'print this'
complete -c trace-stats -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from stats' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a diff -d 'Compares runs of a baseline with runs of a candidate: what became slower, and is it noise?'
complete -c trace-diff -l vs -d 'the operands after this are the runs of the candidate, and a selection after this is of them'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l vs -d 'the operands after this are the runs of the candidate, and a selection after this is of them'
complete -c trace-diff -l noise -r -F -d 'runs of one build, used to measure the noise between runs'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l noise -r -F -d 'runs of one build, used to measure the noise between runs'
complete -c trace-diff -l warmup -x -d 'skip the first N frames of each run, rounded to blocks'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l warmup -x -d 'skip the first N frames of each run, rounded to blocks'
complete -c trace-diff -l drop-warmup -d 'ignore the warm-up that baselines store separately: 64 frames, or an eighth of the run'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l drop-warmup -d 'ignore the warm-up that baselines store separately: 64 frames, or an eighth of the run'
complete -c trace-diff -l map -r -F -d 'JSON file that maps names of threads and timers in the baseline to those in the candidate'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l map -r -F -d 'JSON file that maps names of threads and timers in the baseline to those in the candidate'
complete -c trace-diff -l accepted -r -F -d 'JSON file of accepted regressions, which are reported but do not cause exit status 1'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l accepted -r -F -d 'JSON file of accepted regressions, which are reported but do not cause exit status 1'
complete -c trace-diff -l base-of -x -d 'use the baseline\'s newest runs of this branch or commit, with the same application, platform and machine'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l base-of -x -d 'use the baseline\'s newest runs of this branch or commit, with the same application, platform and machine'
complete -c trace-diff -l floor -x -d 'ignore changes below PERCENT (default 2; 5 for two single runs)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l floor -x -d 'ignore changes below PERCENT (default 2; 5 for two single runs)'
complete -c trace-diff -l floor-frame -x -d 'ignore changes of timers below PERCENT of the median frame (default 0.1)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l floor-frame -x -d 'ignore changes of timers below PERCENT of the median frame (default 0.1)'
complete -c trace-diff -l floor-ms -x -d 'ignore changes below MS per frame (default: no such floor)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l floor-ms -x -d 'ignore changes below MS per frame (default: no such floor)'
complete -c trace-diff -l target -x -d 'frames a second that are wanted, for missed and late frames'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l target -x -d 'frames a second that are wanted, for missed and late frames'
complete -c trace-diff -l until-decided -x -d 'run the command behind \'--\', which records to the file {out}, two at a time for runs of the candidate, until no --series is inconclusive, at most N times'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l until-decided -x -d 'run the command behind \'--\', which records to the file {out}, two at a time for runs of the candidate, until no --series is inconclusive, at most N times'
complete -c trace-diff -l series -x -d 'with --until-decided: what has to be decided, as frame:p95 or timer:Physics (default: frame:p50, frame:p95); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l series -x -d 'with --until-decided: what has to be decided, as frame:p95 or timer:Physics (default: frame:p50, frame:p95); may be repeated'
complete -c trace-diff -l require-verdict -d 'exit with 4 if the comparison as a whole is inconclusive'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l require-verdict -d 'exit with 4 if the comparison as a whole is inconclusive'
complete -c trace-diff -l ignore-common -d 'report a shift shared by all timers, but do not fail because of it: the machine is known to differ'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l ignore-common -d 'report a shift shared by all timers, but do not fail because of it: the machine is known to differ'
complete -c trace-diff -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c trace-diff -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-diff -l by -x -d 'also compare the frames in each cell of the level, with sides of SIZE (cell=10000, cubes: cell=10000:z)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l by -x -d 'also compare the frames in each cell of the level, with sides of SIZE (cell=10000, cubes: cell=10000:z)'
complete -c trace-diff -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c trace-diff -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c trace-diff -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c trace-diff -l allow-short -d 'also compare a candidate that is much shorter than the baseline or ended in a crash'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l allow-short -d 'also compare a candidate that is much shorter than the baseline or ended in a crash'
complete -c trace-diff -l mixed -d 'compare runs of several applications or platforms'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l mixed -d 'compare runs of several applications or platforms'
complete -c trace-diff -l run-info -x -d 'a fact of the candidate that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l run-info -x -d 'a fact of the candidate that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-diff -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-diff -l skip-unreadable -d 'leave out captures that cannot be read'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l skip-unreadable -d 'leave out captures that cannot be read'
complete -c trace-diff -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-diff -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l to -x -d 'up to this time (exclusive)'
complete -c trace-diff -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-diff -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-diff -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-diff -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-diff -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-diff -l memory -d 'without verdicts: memory of two captures side by side, by tag, heap, thread, size, asset, callstack, function, module, file (default: all but the last three)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l memory -d 'without verdicts: memory of two captures side by side, by tag, heap, thread, size, asset, callstack, function, module, file (default: all but the last three)'
complete -c trace-diff -l samples -d 'without verdicts: shares of stack samples by function in two captures, and whether they differ'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l samples -d 'without verdicts: shares of stack samples by function in two captures, and whether they differ'
complete -c trace-diff -l timer -x -d 'with --samples: only samples inside timers with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l timer -x -d 'with --samples: only samples inside timers with this name; may be repeated'
complete -c trace-diff -l preset -x -a "(__tracekit_words pair-presets)" -d 'without verdicts: two captures side by side as another tool shows them (tracy)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l preset -x -a "(__tracekit_words pair-presets)" -d 'without verdicts: two captures side by side as another tool shows them (tracy)'
complete -c trace-diff -s t -l table -x -a "(__tracekit_words pair-tables)" -d 'table of the preset: zones (default) or frames'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s t -l table -x -a "(__tracekit_words pair-tables)" -d 'table of the preset: zones (default) or frames'
complete -c trace-diff -s o -l output -r -F -d 'output file of --preset, --memory or --samples; its ending chooses the format (default: standard output)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s o -l output -r -F -d 'output file of --preset, --memory or --samples; its ending chooses the format (default: standard output)'
complete -c trace-diff -s f -l report -x -a "(__tracekit_words reports)" -d 'text, markdown, json, csv, junit, github, sarif, folded, flamegraph, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s f -l report -x -a "(__tracekit_words reports)" -d 'text, markdown, json, csv, junit, github, sarif, folded, flamegraph, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c trace-diff -s n -l top -x -d 'text and markdown: at most N changes per verdict'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s n -l top -x -d 'text and markdown: at most N changes per verdict'
complete -c trace-diff -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c trace-diff -l no-pictures -d 'html: leave out recorded pictures of the screen'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l no-pictures -d 'html: leave out recorded pictures of the screen'
complete -c trace-diff -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l force -d 'replace the file of --output'
complete -c trace-diff -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c trace-diff -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-diff -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l strict -d 'fail at the first damage of the capture'
complete -c trace-diff -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-diff -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-diff -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-diff -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-diff -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-diff -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-diff -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-diff -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l no-cache -d 'do not use the cache'
complete -c trace-diff -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-diff -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-diff -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s h -l help -d 'print this'
complete -c trace-diff -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from diff' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a check -d 'Checks runs against a budget file: pass or fail, and where the worst value is.'
complete -c trace-check -l budget -r -F -d 'the budgets, in JSON'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l budget -r -F -d 'the budgets, in JSON'
complete -c trace-check -l strict-budget -d 'exit with 1 if a budget names something that no run has'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l strict-budget -d 'exit with 1 if a budget names something that no run has'
complete -c trace-check -l expect -x -d 'exit with 1 if a recording lacks one of: frames, gpu, counters, memory, loading, timers, 60s (at least this length), channel:NAME'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l expect -x -d 'exit with 1 if a recording lacks one of: frames, gpu, counters, memory, loading, timers, 60s (at least this length), channel:NAME'
complete -c trace-check -l write-budget -r -F -d 'write a budget file that the given runs just meet; limits of a single run are 12 percent higher'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l write-budget -r -F -d 'write a budget file that the given runs just meet; limits of a single run are 12 percent higher'
complete -c trace-check -l margin -x -d 'with --write-budget: set errors this far above the runs, and warnings at half of it (default 10)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l margin -x -d 'with --write-budget: set errors this far above the runs, and warnings at half of it (default 10)'
complete -c trace-check -l baseline -r -F -d 'runs of before: without added cost, for budgets of the kind \'added\', and with the old names of timers that were renamed; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l baseline -r -F -d 'runs of before: without added cost, for budgets of the kind \'added\', and with the old names of timers that were renamed; may be repeated'
complete -c trace-check -l base-of -x -d 'of --baseline use the newest runs of this branch or commit, with the same application, platform and machine'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l base-of -x -d 'of --baseline use the newest runs of this branch or commit, with the same application, platform and machine'
complete -c trace-check -l rules -d 'instead of budgets, judge captures by rules, or only by those named; DIR: also by the rules in this folder (see trace-stats --rules)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l rules -d 'instead of budgets, judge captures by rules, or only by those named; DIR: also by the rules in this folder (see trace-stats --rules)'
complete -c trace-check -l fail -x -d 'with --rules: exit with 1 where one of these rules is found; found: any'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l fail -x -d 'with --rules: exit with 1 where one of these rules is found; found: any'
complete -c trace-check -l target -x -d 'with --rules: frames a second that are wanted'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l target -x -d 'with --rules: frames a second that are wanted'
complete -c trace-check -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c trace-check -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-check -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c trace-check -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c trace-check -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c trace-check -l allow-short -d 'also check runs that ended in a crash or fatal error, instead of exiting with 4'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l allow-short -d 'also check runs that ended in a crash or fatal error, instead of exiting with 4'
complete -c trace-check -l mixed -d 'check runs of several applications or platforms together'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l mixed -d 'check runs of several applications or platforms together'
complete -c trace-check -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-check -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from check' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-check -l skip-unreadable -d 'leave out captures that cannot be read'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l skip-unreadable -d 'leave out captures that cannot be read'
complete -c trace-check -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-check -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l to -x -d 'up to this time (exclusive)'
complete -c trace-check -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-check -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-check -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-check -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-check -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-check -s f -l report -x -a "(__tracekit_words budget-reports)" -d 'text, markdown, json, csv, junit, github, sarif, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c tracekit -n '__fish_seen_subcommand_from check' -s f -l report -x -a "(__tracekit_words budget-reports)" -d 'text, markdown, json, csv, junit, github, sarif, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c trace-check -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c trace-check -l force -d 'replace the file of --write-budget'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l force -d 'replace the file of --write-budget'
complete -c trace-check -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c trace-check -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-check -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l strict -d 'fail at the first damage of the capture'
complete -c trace-check -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-check -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-check -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-check -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-check -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-check -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-check -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-check -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l no-cache -d 'do not use the cache'
complete -c trace-check -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from check' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-check -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from check' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-check -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from check' -s h -l help -d 'print this'
complete -c trace-check -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from check' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a trend -d 'Finds changes in a history of runs: what changed, at which run, by how much, and is it noise?'
complete -c trace-trend -l csv -x -d 'read a numeric history: runs.csv, series.csv, values.csv'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l csv -x -d 'read a numeric history: runs.csv, series.csv, values.csv'
complete -c trace-trend -l order -x -a "(__tracekit_words run-orders)" -d 'order of the runs: time (of recording; default), name, given'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l order -x -a "(__tracekit_words run-orders)" -d 'order of the runs: time (of recording; default), name, given'
complete -c trace-trend -l base-of -x -d 'only the runs of this branch'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l base-of -x -d 'only the runs of this branch'
complete -c trace-trend -l since -x -d 'exit with 1 for all regressions since this run or build that still hold, not only for the newest change of each series'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l since -x -d 'exit with 1 for all regressions since this run or build that still hold, not only for the newest change of each series'
complete -c trace-trend -l confidence -x -d 'percentage of unchanged histories in which nothing is reported (default 95)'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l confidence -x -d 'percentage of unchanged histories in which nothing is reported (default 95)'
complete -c trace-trend -l floor -x -d 'ignore changes below PERCENT (default 1)'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l floor -x -d 'ignore changes below PERCENT (default 1)'
complete -c trace-trend -l target -x -d 'frames a second that are wanted, for the series of missed and late frames'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l target -x -d 'frames a second that are wanted, for the series of missed and late frames'
complete -c trace-trend -l open -d 'exit with 1 for regressions as long as they hold, not only on the run that makes them sure'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l open -d 'exit with 1 for regressions as long as they hold, not only on the run that makes them sure'
complete -c trace-trend -l likely -d 'drifts and steps that are less sure also exit with 1'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l likely -d 'drifts and steps that are less sure also exit with 1'
complete -c trace-trend -l require-verdict -d 'exit with 4 if the history cannot show a change'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l require-verdict -d 'exit with 4 if the history cannot show a change'
complete -c trace-trend -l series -x -d 'the history is unknown if a series of this name is; | between several'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l series -x -d 'the history is unknown if a series of this name is; | between several'
complete -c trace-trend -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c trace-trend -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-trend -l accepted -r -F -d 'JSON file of accepted regressions, which are reported but do not cause exit status 1'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l accepted -r -F -d 'JSON file of accepted regressions, which are reported but do not cause exit status 1'
complete -c trace-trend -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c trace-trend -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c trace-trend -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-trend -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-trend -l skip-unreadable -d 'leave out files that cannot be read'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l skip-unreadable -d 'leave out files that cannot be read'
complete -c trace-trend -s f -l report -x -a "(__tracekit_words trend-reports)" -d 'text, markdown, json, csv, junit, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s f -l report -x -a "(__tracekit_words trend-reports)" -d 'text, markdown, json, csv, junit, html; may be repeated (default: text); a FILE that exists is replaced'
complete -c trace-trend -s n -l top -x -d 'text and markdown: at most N events of each kind'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s n -l top -x -d 'text and markdown: at most N events of each kind'
complete -c trace-trend -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never'
complete -c trace-trend -l plot -d 'text: draw the values of each change as a plot of six lines'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l plot -d 'text: draw the values of each change as a plot of six lines'
complete -c trace-trend -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l guard -d 'csv: keep spreadsheets from treating texts as formulas'
complete -c trace-trend -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-trend -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l strict -d 'fail at the first damage of the capture'
complete -c trace-trend -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-trend -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-trend -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-trend -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-trend -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-trend -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-trend -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-trend -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l no-cache -d 'do not use the cache'
complete -c trace-trend -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-trend -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-trend -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s h -l help -d 'print this'
complete -c trace-trend -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from trend' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a baseline -d 'Keeps runs for comparison: adds them to a baseline file or folder, lists, drops, merges and exports them.'
complete -c trace-baseline -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l per -x -d 'use each occurrence of this timer or region as the unit, instead of the frame'
complete -c trace-baseline -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-baseline -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c trace-baseline -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-baseline -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-baseline -s t -l table -x -a "(__tracekit_words tables ,)" -d 'list: runs (default), frames, timers, gpu, counters, memory, loading, log'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s t -l table -x -a "(__tracekit_words tables ,)" -d 'list: runs (default), frames, timers, gpu, counters, memory, loading, log'
complete -c trace-baseline -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'list: only these columns (with a single --table)'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'list: only these columns (with a single --table)'
complete -c trace-baseline -s s -l sort -x -a "(__tracekit_words columns)" -d 'list: greatest first; COLUMN:asc for least first'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s s -l sort -x -a "(__tracekit_words columns)" -d 'list: greatest first; COLUMN:asc for least first'
complete -c trace-baseline -s n -l top -x -d 'list: only the first N rows, sorted'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s n -l top -x -d 'list: only the first N rows, sorted'
complete -c trace-baseline -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-baseline -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l to -x -d 'up to this time (exclusive)'
complete -c trace-baseline -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-baseline -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-baseline -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-baseline -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-baseline -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-baseline -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c trace-baseline -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c trace-baseline -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c trace-baseline -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l force -d 'replace the file of --output'
complete -c trace-baseline -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c trace-baseline -l exact -d 'full precision, also in human-readable formats'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l exact -d 'full precision, also in human-readable formats'
complete -c trace-baseline -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-baseline -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-baseline -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l strict -d 'fail at the first damage of the capture'
complete -c trace-baseline -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-baseline -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-baseline -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-baseline -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-baseline -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-baseline -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-baseline -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-baseline -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l no-cache -d 'do not use the cache'
complete -c trace-baseline -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-baseline -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-baseline -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s h -l help -d 'print this'
complete -c trace-baseline -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from baseline' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a export -d 'Writes captures in the formats of other tools.'
complete -c trace-export -s t -l table -x -a "(__tracekit_words export-tables ,)" -d 'these tables (default: all but events)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s t -l table -x -a "(__tracekit_words export-tables ,)" -d 'these tables (default: all but events)'
complete -c trace-export -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'show only these columns, in this order (with a single --table)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s c -l columns -x -a "(__tracekit_words columns ,)" -d 'show only these columns, in this order (with a single --table)'
complete -c trace-export -l clip -d 'clip scopes to the selection'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l clip -d 'clip scopes to the selection'
complete -c trace-export -l counter -x -d 'presets: only counters with these names'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l counter -x -d 'presets: only counters with these names'
complete -c trace-export -s n -l top -x -d 'presets: only the first N rows of sums'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s n -l top -x -d 'presets: only the first N rows of sums'
complete -c trace-export -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-export -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l to -x -d 'up to this time (exclusive)'
complete -c trace-export -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-export -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-export -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-export -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-export -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-export -l timer -x -d 'only timers with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l timer -x -d 'only timers with this name; may be repeated'
complete -c trace-export -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l where -x -d 'only rows that match: \'dur>5ms\', \'verbosity<=warning\', \'text~stream\'; may be repeated'
complete -c trace-export -l self -d 'exclusive times'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l self -d 'exclusive times'
complete -c trace-export -l unwrap -d 'one row per zone'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l unwrap -d 'one row per zone'
complete -c trace-export -l filter -x -d 'only zones whose name contains this text'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l filter -x -d 'only zones whose name contains this text'
complete -c trace-export -l match-case -d 'with --filter: match case'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l match-case -d 'with --filter: match case'
complete -c trace-export -l separator -x -d 'separator between cells (default: comma)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l separator -x -d 'separator between cells (default: comma)'
complete -c trace-export -l truncated-mean -x -d 'add percentile P (1 to 99) and the mean of calls up to it'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l truncated-mean -x -d 'add percentile P (1 to 99) and the mean of calls up to it'
complete -c trace-export -l raw-quoting -d 'never quote fields, as csvexport does'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l raw-quoting -d 'never quote fields, as csvexport does'
complete -c trace-export -s f -l format -x -a "(__tracekit_words exports)" -d 'format, see above (default: by the ending of --output)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s f -l format -x -a "(__tracekit_words exports)" -d 'format, see above (default: by the ending of --output)'
complete -c trace-export -s p -l preset -x -a "(__tracekit_words presets)" -d 'write the files of another tool instead of a format, see above'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s p -l preset -x -a "(__tracekit_words presets)" -d 'write the files of another tool instead of a format, see above'
complete -c trace-export -s o -l output -r -F -d 'file or folder; its ending chooses the format, and .gz, .zst, .lz4 are compressed'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s o -l output -r -F -d 'file or folder; its ending chooses the format, and .gz, .zst, .lz4 are compressed'
complete -c trace-export -l force -d 'replace an existing output'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l force -d 'replace an existing output'
complete -c trace-export -l sort -x -a "(__tracekit_words orders-of-scopes)" -d 'tables: scopes in order of start'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l sort -x -a "(__tracekit_words orders-of-scopes)" -d 'tables: scopes in order of start'
complete -c trace-export -l split -x -d 'chrome: split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l split -x -d 'chrome: split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region'
complete -c trace-export -l unit -x -a "(__tracekit_words units)" -d 'tables: times in ns, us, ms, s or cycles (default: ns); parquet, arrow: ns or cycles'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l unit -x -a "(__tracekit_words units)" -d 'tables: times in ns, us, ms, s or cycles (default: ns); parquet, arrow: ns or cycles'
complete -c trace-export -l compress -x -d 'compression inside parquet and arrow (default: zstd) and arrows (default: none)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l compress -x -d 'compression inside parquet and arrow (default: zstd) and arrows (default: none)'
complete -c trace-export -l partition -d 'parquet, arrow: to TABLE/capture=NAME/ in a folder of many captures'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l partition -d 'parquet, arrow: to TABLE/capture=NAME/ in a folder of many captures'
complete -c trace-export -l empty -d 'csv, tsv: in a folder, also files of tables without rows'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l empty -d 'csv, tsv: in a folder, also files of tables without rows'
complete -c trace-export -l no-header -d 'csv, tsv: no header line'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l no-header -d 'csv, tsv: no header line'
complete -c trace-export -l eol -x -a "(__tracekit_words eols)" -d 'csv, tsv: line endings (default: lf)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l eol -x -a "(__tracekit_words eols)" -d 'csv, tsv: line endings (default: lf)'
complete -c trace-export -l bom -d 'csv, tsv: start with a byte order mark'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l bom -d 'csv, tsv: start with a byte order mark'
complete -c trace-export -l args -x -a "(__tracekit_words args)" -d 'chrome, perfetto: arguments of scopes (default: none)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l args -x -a "(__tracekit_words args)" -d 'chrome, perfetto: arguments of scopes (default: none)'
complete -c trace-export -l per-thread -d 'folded, flamegraph, pprof: keep threads separate, also those of one name'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l per-thread -d 'folded, flamegraph, pprof: keep threads separate, also those of one name'
complete -c trace-export -l weight -x -a "(__tracekit_words weights)" -d 'folded, flamegraph: weight of a stack: time (exclusive, default), count, bytes or samples; pprof: only bytes or samples, with addresses'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l weight -x -a "(__tracekit_words weights)" -d 'folded, flamegraph: weight of a stack: time (exclusive, default), count, bytes or samples; pprof: only bytes or samples, with addresses'
complete -c trace-export -l sql-index -d 'sqlite: with indexes over scopes'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l sql-index -d 'sqlite: with indexes over scopes'
complete -c trace-export -l append -d 'sqlite: add to an existing database'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l append -d 'sqlite: add to an existing database'
complete -c trace-export -l strip-paths -d 'tksym: source file names without folders'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l strip-paths -d 'tksym: source file names without folders'
complete -c trace-export -s v -l verbose -d 'name the tables that the format cannot hold'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s v -l verbose -d 'name the tables that the format cannot hold'
complete -c trace-export -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-export -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-export -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c trace-export -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c trace-export -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c trace-export -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-export -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l strict -d 'fail at the first damage of the capture'
complete -c trace-export -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-export -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-export -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-export -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-export -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-export -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-export -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-export -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l no-cache -d 'do not use the cache'
complete -c trace-export -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-export -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from export' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-export -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s h -l help -d 'print this'
complete -c trace-export -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from export' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a record -d 'Records running programs: receives their trace and writes captures.'
complete -c trace-record -s o -l output -r -F -d 'record one program into this file'
complete -c tracekit -n '__fish_seen_subcommand_from record' -s o -l output -r -F -d 'record one program into this file'
complete -c trace-record -l into -x -d 'record all programs into this folder, in files named by date and time (default: here)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l into -x -d 'record all programs into this folder, in files named by date and time (default: here)'
complete -c trace-record -l name -x -d 'prefix of these file names'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l name -x -d 'prefix of these file names'
complete -c trace-record -l force -d 'replace an existing file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l force -d 'replace an existing file of --output'
complete -c trace-record -l resume -r -F -d 'make the capture of a Tracy recording that was broken off: a crash, a full disk'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l resume -r -F -d 'make the capture of a Tracy recording that was broken off: a crash, a full disk'
complete -c trace-record -l listen -x -d 'listen on this address (default: 127.0.0.1, reachable only from this machine); needs --allow'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l listen -x -d 'listen on this address (default: 127.0.0.1, reachable only from this machine); needs --allow'
complete -c trace-record -l allow -x -d 'address or network that may connect; may be repeated; \'any\' allows everybody'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l allow -x -d 'address or network that may connect; may be repeated; \'any\' allows everybody'
complete -c trace-record -l port -x -d 'listen on these ports; 0: any free port (default: 1981,1980)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l port -x -d 'listen on these ports; 0: any free port (default: 1981,1980)'
complete -c trace-record -l announce -d 'make programs on this machine connect automatically, as a viewer does'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l announce -d 'make programs on this machine connect automatically, as a viewer does'
complete -c trace-record -l count -x -d 'end after N programs'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l count -x -d 'end after N programs'
complete -c trace-record -l seconds -x -d 'end after S seconds'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l seconds -x -d 'end after S seconds'
complete -c trace-record -l size -x -d 'end a file at this size (100k, 500M, 2G)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l size -x -d 'end a file at this size (100k, 500M, 2G)'
complete -c trace-record -l rotate -x -d 'go on in a new file at this size (500M) or after this time (10min, 6h); trace-edit merges them'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l rotate -x -d 'go on in a new file at this size (500M) or after this time (10min, 6h); trace-edit merges them'
complete -c trace-record -l until-idle -x -d 'end after S seconds without data, once data has arrived'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l until-idle -x -d 'end after S seconds without data, once data has arrived'
complete -c trace-record -l until-exit -d 'end when the last program has disconnected'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l until-exit -d 'end when the last program has disconnected'
complete -c trace-record -l store -x -d 'record into this folder, and serve its captures to viewers (Unreal Insights)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l store -x -d 'record into this folder, and serve its captures to viewers (Unreal Insights)'
complete -c trace-record -l store-port -x -d 'serve on this port; 0: any free port (default: 1989)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l store-port -x -d 'serve on this port; 0: any free port (default: 1989)'
complete -c trace-record -l keep-days -x -d 'remove captures older than N days'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l keep-days -x -d 'remove captures older than N days'
complete -c trace-record -l keep-bytes -x -d 'remove the oldest captures beyond this total size'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l keep-bytes -x -d 'remove the oldest captures beyond this total size'
complete -c trace-record -l free -x -d 'keep this much disk space free (default: 1G)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l free -x -d 'keep this much disk space free (default: 1G)'
complete -c trace-record -l store-form -x -d 'answer as the servers of these versions do (default: 5.4, which viewers of 5.0 understand, too)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l store-form -x -d 'answer as the servers of these versions do (default: 5.4, which viewers of 5.0 understand, too)'
complete -c trace-record -l wait -d 'wait until the program is reachable; without a host: for one that announces itself with this name'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l wait -d 'wait until the program is reachable; without a host: for one that announces itself with this name'
complete -c trace-record -l all -d 'without a host: record all programs that announce themselves'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l all -d 'without a host: record all programs that announce themselves'
complete -c trace-record -l stop-after-frames -x -d 'end after N frames'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l stop-after-frames -x -d 'end after N frames'
complete -c trace-record -l code -d 'also record the code of functions and source files, if the program sends them'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l code -d 'also record the code of functions and source files, if the program sends them'
complete -c trace-record -l no-summary -d 'do not decode the packets (decoding takes most of the time)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l no-summary -d 'do not decode the packets (decoding takes most of the time)'
complete -c trace-record -l control -d 'report when channels of a program are toggled'
complete -c tracekit -n '__fish_seen_subcommand_from record' -l control -d 'report when channels of a program are toggled'
complete -c trace-record -s f -l format -x -a "(__tracekit_words live-formats)" -d 'json: one line of JSON per event (default: text)'
complete -c tracekit -n '__fish_seen_subcommand_from record' -s f -l format -x -a "(__tracekit_words live-formats)" -d 'json: one line of JSON per event (default: text)'
complete -c trace-record -s q -l quiet -d 'no progress and no status lines'
complete -c tracekit -n '__fish_seen_subcommand_from record' -s q -l quiet -d 'no progress and no status lines'
complete -c trace-record -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from record' -s h -l help -d 'print this'
complete -c trace-record -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from record' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a control -d 'Controls running Unreal programs: their channels, and where they send their trace.'
complete -c trace-control -l store -x -d 'the store that records the program (default: 127.0.0.1:1989, if one answers)'
complete -c tracekit -n '__fish_seen_subcommand_from control' -l store -x -d 'the store that records the program (default: 127.0.0.1:1989, if one answers)'
complete -c trace-control -l of -r -F -d 'use the control port recorded in this capture'
complete -c tracekit -n '__fish_seen_subcommand_from control' -l of -r -F -d 'use the control port recorded in this capture'
complete -c trace-control -l engine -x -d 'engine version of the program; from 5.7 on \'send\' takes HOST:PORT'
complete -c tracekit -n '__fish_seen_subcommand_from control' -l engine -x -d 'engine version of the program; from 5.7 on \'send\' takes HOST:PORT'
complete -c trace-control -l wait -x -d 'wait this many seconds for a command to be confirmed (default 2)'
complete -c tracekit -n '__fish_seen_subcommand_from control' -l wait -x -d 'wait this many seconds for a command to be confirmed (default 2)'
complete -c trace-control -s f -l format -x -a "(__tracekit_words live-formats)" -d 'json: output of \'list\' and \'channels\' as lines of JSON (default: text)'
complete -c tracekit -n '__fish_seen_subcommand_from control' -s f -l format -x -a "(__tracekit_words live-formats)" -d 'json: output of \'list\' and \'channels\' as lines of JSON (default: text)'
complete -c trace-control -s q -l quiet -d 'no progress and no status lines'
complete -c tracekit -n '__fish_seen_subcommand_from control' -s q -l quiet -d 'no progress and no status lines'
complete -c trace-control -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from control' -s h -l help -d 'print this'
complete -c trace-control -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from control' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a report -d 'A single HTML report: frame times, hitches with reasons and timelines, timers, call tree, memory.'
complete -c trace-report -l title -x -d 'title of the page (default: the name of the capture)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l title -x -d 'title of the page (default: the name of the capture)'
complete -c trace-report -l budget -x -d 'draw a line at this many milliseconds per frame; or, of several captures, check each against the budgets of this file'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l budget -x -d 'draw a line at this many milliseconds per frame; or, of several captures, check each against the budgets of this file'
complete -c trace-report -l before -x -d 'captures, baselines or folders with which causes of hitches are compared (default: the builds before the newest one); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l before -x -d 'captures, baselines or folders with which causes of hitches are compared (default: the builds before the newest one); may be repeated'
complete -c trace-report -l phase -x -d 'of several captures, the causes of hitches of: play (default), loading, startup, all'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l phase -x -d 'of several captures, the causes of hitches of: play (default), loading, startup, all'
complete -c trace-report -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l run-info -x -d 'a fact that captures do not record: build, commit, machine, config, map, time, ...; or a JSON file of them; may be repeated'
complete -c trace-report -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c tracekit -n '__fish_seen_subcommand_from report' -l run-info-from -x -d 'facts that names of captures have: \'{map}_{build}_{n}\''
complete -c trace-report -l hitches -x -d 'which game frames are hitches: those that are late against the frames around them (local, the default), or others as with trace-stats'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l hitches -x -d 'which game frames are hitches: those that are late against the frames around them (local, the default), or others as with trace-stats'
complete -c trace-report -l target -x -d 'frames a second that are wanted, for missed and late frames'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l target -x -d 'frames a second that are wanted, for missed and late frames'
complete -c trace-report -l work -r -F -d 'classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in ones'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l work -r -F -d 'classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in ones'
complete -c trace-report -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-report -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l position -x -d 'positions come from a point (Player), two counters (PosX,PosY) or messages (\'log:LogGame:pos x=(%f) y=(%f)\'); default: the only point, or Player, Camera or View'
complete -c trace-report -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l owners -r -F -d 'a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list'
complete -c trace-report -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l source-root -x -d 'with --owners: the folder of the sources, where its anchored patterns begin (default: any)'
complete -c trace-report -l no-logs -d 'leave out log messages'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-logs -d 'leave out log messages'
complete -c trace-report -l no-pictures -d 'leave out recorded pictures of the screen'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-pictures -d 'leave out recorded pictures of the screen'
complete -c trace-report -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-report -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l to -x -d 'up to this time (exclusive)'
complete -c trace-report -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-report -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-report -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-report -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-report -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-report -l timer -x -d 'only timers with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l timer -x -d 'only timers with this name; may be repeated'
complete -c trace-report -s o -l output -r -F -d 'write to this file: report.html, or of several captures their table as night.csv, .json or .md (default: standard output)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -s o -l output -r -F -d 'write to this file: report.html, or of several captures their table as night.csv, .json or .md (default: standard output)'
complete -c trace-report -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l force -d 'replace the file of --output'
complete -c trace-report -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-report -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l strict -d 'fail at the first damage of the capture'
complete -c trace-report -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-report -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-report -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-report -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-report -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-report -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-report -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-report -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-cache -d 'do not use the cache'
complete -c trace-report -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from report' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-report -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from report' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-report -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from report' -s h -l help -d 'print this'
complete -c trace-report -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from report' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a edit -d 'Cuts, strips, anonymises, repairs, merges or recompresses captures.'
complete -c trace-edit -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l from -x -d 'from this time on: seconds, or 250ms, 3m, 1:30'
complete -c trace-edit -l to -x -d 'up to this time (exclusive)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l to -x -d 'up to this time (exclusive)'
complete -c trace-edit -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l frames -x -d 'only these game frames: 7, 3-9, 100,233,350..360'
complete -c trace-edit -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l from-bookmark -x -d 'from the first bookmark with this text on'
complete -c trace-edit -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l to-bookmark -x -d 'until the next bookmark with this text'
complete -c trace-edit -l region -x -d 'only regions with this name; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l region -x -d 'only regions with this name; may be repeated'
complete -c trace-edit -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l thread -x -d 'only threads with this name, or whose name contains this lower-case word; may be repeated'
complete -c trace-edit -l keep -x -d 'keep only these events: topics (memory, logs, ...) or patterns of Logger.Event'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l keep -x -d 'keep only these events: topics (memory, logs, ...) or patterns of Logger.Event'
complete -c trace-edit -l drop -x -d 'remove these events'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l drop -x -d 'remove these events'
complete -c trace-edit -l repair -d 'only repair damage (every edit repairs the capture, too)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l repair -d 'only repair damage (every edit repairs the capture, too)'
complete -c trace-edit -l close -d 'close scopes without an end at the last known time'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l close -d 'close scopes without an end at the last known time'
complete -c trace-edit -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l anonymise -d 'replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, functions, names, pictures, sources, timers, all; without a value all but timers'
complete -c trace-edit -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l keep-text -x -d 'leave these texts as they are; may be repeated'
complete -c trace-edit -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l key -r -F -d 'derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random key)'
complete -c trace-edit -s o -l output -r -F -d 'write the result to this file (-: standard output); .zst, .lz4, .gz compress it'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -s o -l output -r -F -d 'write the result to this file (-: standard output); .zst, .lz4, .gz compress it'
complete -c trace-edit -l into -x -d 'write each capture under its own name to this folder'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l into -x -d 'write each capture under its own name to this folder'
complete -c trace-edit -l force -d 'replace an existing output'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l force -d 'replace an existing output'
complete -c trace-edit -l split -x -d 'split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l split -x -d 'split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region'
complete -c trace-edit -l compress -x -d 'compression of a .utrace: raw, lz4, lz4hc:1 to lz4hc:12; of a .tracy: zstd:1 to zstd:22, zstd:-5 to zstd:-1, lz4, lz4hc:1 to lz4hc:12'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l compress -x -d 'compression of a .utrace: raw, lz4, lz4hc:1 to lz4hc:12; of a .tracy: zstd:1 to zstd:22, zstd:-5 to zstd:-1, lz4, lz4hc:1 to lz4hc:12'
complete -c trace-edit -l streams -x -d '.tracy: number of block streams, 1 to 255'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l streams -x -d '.tracy: number of block streams, 1 to 255'
complete -c trace-edit -l align -x -d 'merging .tracy files: clock (default) aligns their times by the wall clock, none keeps them'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l align -x -d 'merging .tracy files: clock (default) aligns their times by the wall clock, none keeps them'
complete -c trace-edit -l dry-run -d 'write nothing; list the texts in each event type, and which of them are kept'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l dry-run -d 'write nothing; list the texts in each event type, and which of them are kept'
complete -c trace-edit -l format -x -a "(__tracekit_words formats)" -d 'of --dry-run: table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows (default: table)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l format -x -a "(__tracekit_words formats)" -d 'of --dry-run: table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows (default: table)'
complete -c trace-edit -l guard -d 'csv, tsv of --dry-run: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l guard -d 'csv, tsv of --dry-run: keep spreadsheets from treating texts as formulas'
complete -c trace-edit -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-edit -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l strict -d 'fail at the first damage of the capture'
complete -c trace-edit -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-edit -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-edit -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-edit -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-edit -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-edit -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-edit -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-edit -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l no-cache -d 'do not use the cache'
complete -c trace-edit -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-edit -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-edit -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -s h -l help -d 'print this'
complete -c trace-edit -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from edit' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a query -d 'Answers SQL queries over captures and baselines without an import.'
complete -c trace-query -l sql -r -F -d 'read the statements from a file, - for standard input'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l sql -r -F -d 'read the statements from a file, - for standard input'
complete -c trace-query -l ask -x -a "(__tracekit_words questions)" -d 'a predefined question; --questions lists them'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l ask -x -a "(__tracekit_words questions)" -d 'a predefined question; --questions lists them'
complete -c trace-query -l questions -d 'list the questions of --ask'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l questions -d 'list the questions of --ask'
complete -c trace-query -l attach -x -d 'open a capture under its own schema: NAME.timers'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l attach -x -d 'open a capture under its own schema: NAME.timers'
complete -c trace-query -l plan -d 'show what would be read, how often and with which selection'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l plan -d 'show what would be read, how often and with which selection'
complete -c trace-query -l readings -d 'report on standard error how often captures were read'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l readings -d 'report on standard error how often captures were read'
complete -c trace-query -l memory -x -d 'memory for rows of joins in MB; the rest goes to disk (default: 512)'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l memory -x -d 'memory for rows of joins in MB; the rest goes to disk (default: 512)'
complete -c trace-query -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-query -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s f -l format -x -a "(__tracekit_words formats)" -d 'table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows'
complete -c trace-query -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s o -l output -r -F -d 'write to a file; its ending chooses the format'
complete -c trace-query -l force -d 'replace the file of --output'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l force -d 'replace the file of --output'
complete -c trace-query -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l color -x -a "(__tracekit_words colours)" -d 'auto, always, never; auto respects NO_COLOR'
complete -c trace-query -l exact -d 'full precision, also in human-readable formats'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l exact -d 'full precision, also in human-readable formats'
complete -c trace-query -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l guard -d 'csv, tsv: keep spreadsheets from treating texts as formulas'
complete -c trace-query -l unit -x -a "(__tracekit_words units-of-sql)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l unit -x -a "(__tracekit_words units-of-sql)" -d 'times in ns, us, ms, s or cycles (default: ns)'
complete -c trace-query -l no-header -d 'csv and tsv: no header line'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l no-header -d 'csv and tsv: no header line'
complete -c trace-query -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-query -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l strict -d 'fail at the first damage of the capture'
complete -c trace-query -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-query -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-query -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-query -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-query -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-query -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-query -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-query -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l no-cache -d 'do not use the cache'
complete -c trace-query -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-query -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from query' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-query -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s h -l help -d 'print this'
complete -c trace-query -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from query' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a mcp -d 'Answers AI assistants\' questions about captures in folders, through the Model Context Protocol.'
complete -c trace-mcp -l answer-bytes -x -d 'at most this many bytes in an answer, 2048 or more (default: 6144)'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l answer-bytes -x -d 'at most this many bytes in an answer, 2048 or more (default: 6144)'
complete -c trace-mcp -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l metric -r -F -d 'metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated'
complete -c trace-mcp -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-mcp -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l strict -d 'fail at the first damage of the capture'
complete -c trace-mcp -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-mcp -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-mcp -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-mcp -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-mcp -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-mcp -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-mcp -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-mcp -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l no-cache -d 'do not use the cache'
complete -c trace-mcp -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-mcp -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-mcp -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -s h -l help -d 'print this'
complete -c trace-mcp -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from mcp' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a view -d 'A timeline of captures of any size, in a browser: every scope, frames, counters, logs, statistics of a selection.'
complete -c trace-view -l port -x -d 'listen on this port (default: any that is free)'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l port -x -d 'listen on this port (default: any that is free)'
complete -c trace-view -l no-open -d 'only print the address, do not open the browser'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l no-open -d 'only print the address, do not open the browser'
complete -c trace-view -l follow -d 'show captures as they grow; a capture may be tcp://HOST[:PORT][/ID] of a store'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l follow -d 'show captures as they grow; a capture may be tcp://HOST[:PORT][/ID] of a store'
complete -c trace-view -l idle -x -d 'exit after this many minutes without a request; 0: never (default: 60)'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l idle -x -d 'exit after this many minutes without a request; 0: never (default: 60)'
complete -c trace-view -l allow-host -x -d 'also answer browsers that reach this machine under another name or port, such as through a tunnel'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l allow-host -x -d 'also answer browsers that reach this machine under another name or port, such as through a tunnel'
complete -c trace-view -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c tracekit -n '__fish_seen_subcommand_from view' -s j -l jobs -x -d 'work with N threads (default: the number of processors)'
complete -c trace-view -l strict -d 'fail at the first damage of the capture'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l strict -d 'fail at the first damage of the capture'
complete -c trace-view -l strict-loss -d 'exit with 4 if events were lost'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l strict-loss -d 'exit with 4 if events were lost'
complete -c trace-view -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l limit -x -a "(__tracekit_words limits)" -d 'change a limit; --limit help lists them'
complete -c trace-view -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l frames-from -x -d 'use the scopes, regions or marks of this name as game frames'
complete -c trace-view -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l symbols -r -F -d 'look for symbols in this folder, symbol store or file'
complete -c trace-view -l no-symbols -d 'use only the symbols in the capture'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l no-symbols -d 'use only the symbols in the capture'
complete -c trace-view -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l no-inlines -d 'attribute inlined calls to the enclosing function'
complete -c trace-view -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l index -x -d 'keep the index of a large capture in FILE; off: keep none (default: in the cache)'
complete -c trace-view -l no-cache -d 'do not use the cache'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l no-cache -d 'do not use the cache'
complete -c trace-view -s q -l quiet -d 'no progress, no warnings'
complete -c tracekit -n '__fish_seen_subcommand_from view' -s q -l quiet -d 'no progress, no warnings'
complete -c trace-view -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c tracekit -n '__fish_seen_subcommand_from view' -l no-pager -d 'on a terminal, do not show the output with $PAGER'
complete -c trace-view -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from view' -s h -l help -d 'print this'
complete -c trace-view -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from view' -s V -l version -d 'print the version'
complete -c tracekit -n __fish_use_subcommand -f -a cache -d 'Lists or clears the cache that commands keep.'
complete -c trace-cache -s q -l quiet -d 'no progress and no status lines'
complete -c tracekit -n '__fish_seen_subcommand_from cache' -s q -l quiet -d 'no progress and no status lines'
complete -c trace-cache -s h -l help -d 'print this'
complete -c tracekit -n '__fish_seen_subcommand_from cache' -s h -l help -d 'print this'
complete -c trace-cache -s V -l version -d 'print the version'
complete -c tracekit -n '__fish_seen_subcommand_from cache' -s V -l version -d 'print the version'
