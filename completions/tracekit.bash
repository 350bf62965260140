# Made from the options of the commands; cmake --build build/release --target refresh-manual writes it anew.
# Completion of tracekit and trace-COMMAND for bash 4.

declare -gA _tracekit_lists=(
    [args]='none all'
    [budget-reports]='text markdown json csv junit github sarif html'
    [colours]='auto always never'
    [columns-allocations]='index time address bytes alignment kind heap_id heap tag_id tag thread_id thread callstack_id frame asset asset_class package'
    [columns-assets]='asset class package package_id scopes alive_bytes alive_count peak_bytes allocs frees alloc_bytes'
    [columns-bookmarks]='time thread_id thread text file line callstack_id'
    [columns-bound]='frame start dur bound_by game game_wait render render_wait rhi rhi_wait gpu gpu_wait thread waited_in chain'
    [columns-bound_shares]='bound_by frames share dur game render rhi gpu'
    [columns-callees]='depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line'
    [columns-callers]='depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line'
    [columns-callstacks]='callstack_id frame address module offset function file line inlined'
    [columns-can]='question answer found missing how'
    [columns-capture]='format app project platform engine build branch host recorded start_cycle frequency epoch first last dur threads timers bytes empty truncated damaged faults notices'
    [columns-channels]='channel_id name enabled read_only'
    [columns-cook]='package_id package class step count sum incl excl time'
    [columns-cores]='core count busy own idle threads'
    [columns-counter_values]='time counter_id counter value unit frame thread_id thread'
    [columns-counters]='counter_id counter type unit count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max'
    [columns-coverage]='event family count bytes share'
    [columns-coverage_summary]='kind types count bytes share'
    [columns-cpu_use]='system_id thread_id thread name process_id running regions migrations'
    [columns-crash]='time system_id thread message callstack_id stack scopes'
    [columns-csv]='series thread_id thread frame_type unit count first last min max mean time_mean median p90 p95 p99 frame_mean'
    [columns-csv_events]='time kind category key text thread_id thread'
    [columns-csv_values]='time frame_type frame series value unit thread_id thread'
    [columns-definitions]='type definition_id text'
    [columns-edits]='edit from to first_frame record'
    [columns-event_counts]='event count bytes'
    [columns-events]='time thread_id thread event serial offset within fields attachment incomplete'
    [columns-file]='format magic transport protocol control_port session_guid trace_guid bytes packets sync_packets verified truncated'
    [columns-file_activity]='start end dur op path offset requested_bytes bytes failed in_flight thread_id thread'
    [columns-files]='path opens reopens closes reads writes failed open bytes_read read_time read_bandwidth bytes_written write_time write_bandwidth open_time close_time min max mean median p95 p99 first last'
    [columns-frame_images]='image_id width height flipped bytes data'
    [columns-frame_stats]='type_id type count open total mean min median p95 p99 max jitter rate rate_low over_120 over_60 over_30'
    [columns-frames]='type_id frame start end dur type'
    [columns-generic_events]='time thread_id thread event serial offset within fields attachment incomplete'
    [columns-gpu]='queue_id queue timer kind file line count open incl total excl working share min max mean median p50 p90 p95 p99 p999 mode stddev frame_mean frame_p95'
    [columns-gpu_fences]='queue_id queue time value other_id other signal_time signal_value'
    [columns-gpu_frames]='queue_id queue frame time work waiting draws primitives dropped'
    [columns-gpu_labels]='queue_id queue start timer label'
    [columns-gpu_notes]='context_id name query_id note_id what value'
    [columns-gpu_queues]='queue_id queue gpu type index work_items work busy waits waiting idle frames invalid_frames dropped draws primitives signals fences'
    [columns-gpu_scopes]='queue_id queue timer start dur depth scope_id parent_id kind file line'
    [columns-groups]='group number start dur timer count incl total excl mean kind'
    [columns-hardware_samples]='time address event'
    [columns-health]='kind damage count offset text'
    [columns-histogram]='from to count share up_to bar'
    [columns-hitch_events]='frame kind start dur count bytes text thread'
    [columns-hitches]='frame start dur median rank timer work thread thread_id count excl off_core typical growth share phase cause'
    [columns-http]='request_id start end dur status bytes host url priority category dispatcher ranges'
    [columns-http_ranges]='time request_id url fields thread_id thread'
    [columns-io]='created start end wait service state requested_bytes offset bytes backend chunk chunk_type batch_id in_flight callstack_id thread_id thread'
    [columns-io_batches]='batch_id issued resolved dur requested_bytes'
    [columns-io_chunks]='time offset requested_bytes chunk hash merged thread_id thread'
    [columns-ledger]='part bytes share help'
    [columns-llm]='tracker tag_set tag count first last min peak mean time_mean median p90 p95 p99 growth growth_minute'
    [columns-llm_values]='time tracker tag value frame thread_id thread'
    [columns-load_activity]='start end dur state thread_id thread'
    [columns-load_groups]='group start end dur requests packages thread_id thread'
    [columns-load_requests]='request_id source_id group start end dur packages thread_id thread'
    [columns-lock_rows]='lock lock_id mode thread_id thread requested obtained released wait held'
    [columns-locks]='lock lock_id thread_id thread mode count open total min max mean median p95 p99 held held_min held_max held_mean held_median held_p95 held_p99'
    [columns-logs]='time thread_id thread category verbosity file line text'
    [columns-memory]='by heap_id heap key name path alive_bytes alive_count peak_bytes peak_count allocs frees reallocs alloc_bytes free_bytes frame_allocs frame_bytes frame_max short_lived short_bytes unknown_frees packed_bytes'
    [columns-memory_growth]='by heap_id heap key name path growth_bytes growth_count from_bytes from_count to_bytes to_count kept_bytes kept_count churn_bytes churn_count peak_bytes peak_time grain'
    [columns-modules]='module base bytes image_id symbol_format unloaded path'
    [columns-net]='instance_id instance connection_id connection direction address packets bits bytes bits_per_s dropped missing bunches bunch_bits header_bits content min max mean median p95 p99 first last state server'
    [columns-net_content]='instance_id instance connection_id connection direction node_id parent_id depth kind name count bits excl_bits max'
    [columns-net_objects]='instance_id object_id name type_id owner_id parent_id count bits polls poll_time wasted_polls wasted_time quantized quantize_time written write_time destroyed'
    [columns-net_packets]='instance_id instance connection_id connection direction time sequence bits bytes bunches bunch_bits content state'
    [columns-net_values]='instance_id instance connection_id connection basis name count sum first last min max mean median p95 p99'
    [columns-objects]='snapshot time class objects bytes more_objects more_bytes instance_bytes system_bytes video_bytes total_bytes references complete'
    [columns-open_scopes]='thread_id thread depth timer start'
    [columns-package_classes]='class created serialized postloads serialized_bytes create_time serialize_time postload_time excl max'
    [columns-packages]='name package_id header_bytes imports exports priority request_id created serialized postloads serialized_bytes summary_time create_time serialize_time postload_time excl max first last'
    [columns-per_frame]='frame start dur timer count incl total excl'
    [columns-quality]='kind subject start count total text'
    [columns-regions]='name category region_id start end dur thread_id thread state'
    [columns-running]='thread_id thread timer kind file line count total running waiting share min max mean median p95 p99'
    [columns-sample_rows]='time system_id thread_id thread process_id depth address module offset function callstack_id stack'
    [columns-samples]='system_id thread_id thread process_id address module offset function count share first last'
    [columns-scopes]='thread_id thread timer start dur depth scope_id parent_id kind file line'
    [columns-screenshots]='time screenshot_id name width height bytes chunks chunks_total complete hash data'
    [columns-sections]='section offset bytes items complete'
    [columns-session]='session'
    [columns-slowest]='rank timer kind dur excl start thread thread_id frame text depth stack file line'
    [columns-source_files]='file bytes text'
    [columns-spatial]='time point_id name x y z vx vy vz dx dy dz thread_id thread'
    [columns-stat_values]='time stat_id stat op operand value unit frame thread_id thread'
    [columns-stats]='stat_id stat description group type unit clears count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max'
    [columns-streams]='thread_id packets bytes'
    [columns-switch_rows]='start end dur system_id thread_id thread process_id core'
    [columns-switches]='system_id thread_id thread process_id count running min max mean median p95 p99 waits waiting wait_min wait_max wait_mean wait_median wait_p95 wait_p99 cores migrations first last'
    [columns-symbols]='address bytes name file line image inline call_file call_line'
    [columns-task_counter_values]='time counter_id counter value unit frame thread_id thread'
    [columns-task_counters]='counter_id counter type unit count first last min max mean time_mean median p90 p95 p99 frame_mean frame_max'
    [columns-task_rows]='task_id task thread_id thread tracked created launched scheduled started finished completed destroyed schedule_wait start_wait run launcher_id target bytes synthesized prerequisites subsequents nested chain chain_length'
    [columns-task_waits]='thread_id thread start end dur count first_task_id'
    [columns-tasks]='task count tracked ran total min max mean median p95 p99 schedule_wait schedule_wait_min schedule_wait_max schedule_wait_mean schedule_wait_median schedule_wait_p95 schedule_wait_p99 start_wait start_wait_min start_wait_max start_wait_mean start_wait_median start_wait_p95 start_wait_p99 chain chain_length prerequisites nested'
    [columns-threads]='thread_id thread group system_id sort_hint named packets bytes events scopes open max_depth unmatched busy working waiting'
    [columns-timers]='thread_id thread timer kind file line count open incl total excl working share min max mean median p50 p90 p95 p99 p999 mode stddev frame_mean frame_p95'
    [columns-toggles]='index channel_id name enabled announced'
    [columns-tree]='depth timer count incl excl open_time share frame_mean pruned node_id parent_id kind file line'
    [columns-types]='logger event type_id flags fields bytes offset'
    [columns-verse]='start end dur function depth samples excl_samples native_samples line'
    [eols]='lf crlf'
    [event-columns]='time thread_id thread event serial offset within fields attachment incomplete'
    [exports]='csv tsv ndjson sqlite chrome perfetto speedscope folded pprof pictures'
    [formats]='table text csv tsv json ndjson markdown'
    [groupings]='thread class file label region frame-type tag heap size asset callstack'
    [limits]='memory unpacked_bytes unpacked_ratio packets types fields definitions threads connections timers strings event_bytes group_events group_bytes open_scopes lanes kept_events nesting hitches tree_nodes stack_name_bytes stacks_ratio pending_scopes pending_serials metadata_instances late_metadata scope_texts pending_logs tasks sample_addresses switches rows counters counter_window alive_allocations memory_groups callstack_bytes ordered_facts held_events parts health_items'
    [orders]='file serial time'
    [orders-of-scopes]='start'
    [pair-presets]='tracy'
    [pair-tables]='zones frames'
    [preset-insights]='threads timers timing_events timer_statistics timer_callees counters counter_values'
    [preset-summarize]='scopes counters bookmarks telemetry'
    [preset-tracy]='zones gpu messages plots'
    [preset-tracy-0.10]='zones gpu messages plots'
    [preset-tracy-0.9]='zones gpu messages plots'
    [presets]='insights summarize tracy tracy-0.10 tracy-0.9'
    [reports]='text markdown json csv junit github sarif folded html'
    [run-orders]='time name given'
    [tables]='timers threads frame_stats frames regions bookmarks logs open_scopes scopes event_counts events generic_events capture session channels toggles health ledger gpu gpu_queues gpu_frames gpu_scopes gpu_fences tasks task_rows task_waits task_counters task_counter_values switches switch_rows cores running samples sample_rows locks lock_rows memory memory_growth allocations assets modules callstacks definitions counters counter_values stats stat_values csv csv_values llm llm_values coverage crash can coverage_summary files file_activity packages package_classes net net_packets net_content net_objects net_values tree callers callees hitches hitch_events bound bound_shares slowest histogram per_frame groups quality gpu_labels csv_events load_requests load_groups load_activity io io_batches io_chunks cook http http_ranges verse objects spatial screenshots file streams types edits gpu_notes symbols hardware_samples frame_images source_files cpu_use sections'
    [trend-reports]='text markdown json csv junit'
    [units]='ns us ms s cycles'
    [weights]='time count bytes'
)

declare -gA _tracekit_options=(
    [info]='--full --types --coverage --can --format -f --output -o --force --color --exact --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [events]='--count --order --columns -c --from --to --frames --from-bookmark --to-bookmark --region --thread --where --format -f --output -o --force --color --exact --unit --no-header --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [stats]='--table -t --columns -c --by --sort -s --top -n --save --run-info --list -l --tree --callers --callees --depth --hitches --slowest --histogram --per-frame --work --min-share --from --to --frames --from-bookmark --to-bookmark --region --thread --timer --where --counter --log --at --alloc-window --format -f --output -o --force --color --exact --unit --no-header --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [diff]='--vs --noise --warmup --drop-warmup --map --accepted --base-of --floor --floor-frame --floor-ms --require-verdict --ignore-common --allow-short --mixed --run-info --skip-unreadable --from --to --frames --from-bookmark --to-bookmark --region --thread --preset --table -t --output -o --report -f --top -n --color --force --guard --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [check]='--budget --strict-budget --expect --write-budget --margin --baseline --allow-short --mixed --run-info --skip-unreadable --from --to --frames --from-bookmark --to-bookmark --region --thread --report -f --color --force --guard --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [trend]='--csv --order --since --confidence --floor --likely --skip-unreadable --report -f --top -n --color --guard --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [baseline]='--run-info --table -t --columns -c --sort -s --top -n --from --to --frames --from-bookmark --to-bookmark --region --thread --format -f --output -o --force --color --exact --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [export]='--table -t --columns -c --clip --counter --top -n --from --to --frames --from-bookmark --to-bookmark --region --thread --timer --where --self --unwrap --filter --match-case --separator --truncated-mean --raw-quoting --format -f --preset -p --output -o --force --sort --split --unit --no-header --eol --bom --args --per-thread --weight --index --append --verbose -v --run-info --guard --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [record]='--output -o --into --name --force --listen --allow --port --announce --count --seconds --size --until-idle --until-exit --store --store-port --keep-days --keep-bytes --free --store-form --wait --all --stop-after-frames --code --control --quiet -q --help -h --version -V'
    [control]='--store --of --engine --wait --quiet -q --help -h --version -V'
    [report]='--title --budget --hitches --work --no-logs --from --to --frames --from-bookmark --to-bookmark --region --thread --timer --output -o --force --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
    [edit]='--keep --drop --repair --output -o --into --force --compress --dry-run --format --jobs -j --strict --strict-loss --limit --frames-from --symbols --no-symbols --no-inlines --quiet -q --no-pager --help -h --version -V'
)

# By command and option: the list that its values are of, with a comma before it where several may be joined.
declare -gA _tracekit_values=(
    [info --format]='formats'
    [info -f]='formats'
    [info --output]='file'
    [info -o]='file'
    [info --color]='colours'
    [info --jobs]='any'
    [info -j]='any'
    [info --limit]='limits'
    [info --frames-from]='any'
    [info --symbols]='file'
    [events --order]='orders'
    [events --columns]=',event-columns'
    [events -c]=',event-columns'
    [events --from]='any'
    [events --to]='any'
    [events --frames]='any'
    [events --from-bookmark]='any'
    [events --to-bookmark]='any'
    [events --region]='any'
    [events --thread]='any'
    [events --where]='any'
    [events --format]='formats'
    [events -f]='formats'
    [events --output]='file'
    [events -o]='file'
    [events --color]='colours'
    [events --unit]='units'
    [events --jobs]='any'
    [events -j]='any'
    [events --limit]='limits'
    [events --frames-from]='any'
    [events --symbols]='file'
    [stats --table]=',tables'
    [stats -t]=',tables'
    [stats --columns]=',columns'
    [stats -c]=',columns'
    [stats --by]=',groupings'
    [stats --sort]='columns'
    [stats -s]='columns'
    [stats --top]='any'
    [stats -n]='any'
    [stats --save]='file'
    [stats --run-info]='any'
    [stats --callers]='any'
    [stats --callees]='any'
    [stats --depth]='any'
    [stats --slowest]='any'
    [stats --histogram]='any'
    [stats --per-frame]='any'
    [stats --work]='file'
    [stats --min-share]='any'
    [stats --from]='any'
    [stats --to]='any'
    [stats --frames]='any'
    [stats --from-bookmark]='any'
    [stats --to-bookmark]='any'
    [stats --region]='any'
    [stats --thread]='any'
    [stats --timer]='any'
    [stats --where]='any'
    [stats --counter]='any'
    [stats --log]='any'
    [stats --at]='any'
    [stats --alloc-window]=',any'
    [stats --format]='formats'
    [stats -f]='formats'
    [stats --output]='file'
    [stats -o]='file'
    [stats --color]='colours'
    [stats --unit]='units'
    [stats --jobs]='any'
    [stats -j]='any'
    [stats --limit]='limits'
    [stats --frames-from]='any'
    [stats --symbols]='file'
    [diff --noise]='file'
    [diff --warmup]='any'
    [diff --map]='file'
    [diff --accepted]='file'
    [diff --base-of]='any'
    [diff --floor]='any'
    [diff --floor-frame]='any'
    [diff --floor-ms]='any'
    [diff --run-info]='any'
    [diff --from]='any'
    [diff --to]='any'
    [diff --frames]='any'
    [diff --from-bookmark]='any'
    [diff --to-bookmark]='any'
    [diff --region]='any'
    [diff --thread]='any'
    [diff --preset]='pair-presets'
    [diff --table]='pair-tables'
    [diff -t]='pair-tables'
    [diff --output]='file'
    [diff -o]='file'
    [diff --report]='reports'
    [diff -f]='reports'
    [diff --top]='any'
    [diff -n]='any'
    [diff --color]='colours'
    [diff --jobs]='any'
    [diff -j]='any'
    [diff --limit]='limits'
    [diff --frames-from]='any'
    [diff --symbols]='file'
    [check --budget]='file'
    [check --expect]=',any'
    [check --write-budget]='file'
    [check --margin]='any'
    [check --baseline]='file'
    [check --run-info]='any'
    [check --from]='any'
    [check --to]='any'
    [check --frames]='any'
    [check --from-bookmark]='any'
    [check --to-bookmark]='any'
    [check --region]='any'
    [check --thread]='any'
    [check --report]='budget-reports'
    [check -f]='budget-reports'
    [check --color]='colours'
    [check --jobs]='any'
    [check -j]='any'
    [check --limit]='limits'
    [check --frames-from]='any'
    [check --symbols]='file'
    [trend --csv]='any'
    [trend --order]='run-orders'
    [trend --since]='any'
    [trend --confidence]='any'
    [trend --floor]='any'
    [trend --report]='trend-reports'
    [trend -f]='trend-reports'
    [trend --top]='any'
    [trend -n]='any'
    [trend --color]='colours'
    [trend --jobs]='any'
    [trend -j]='any'
    [trend --limit]='limits'
    [trend --frames-from]='any'
    [trend --symbols]='file'
    [baseline --run-info]='any'
    [baseline --table]=',tables'
    [baseline -t]=',tables'
    [baseline --columns]=',columns'
    [baseline -c]=',columns'
    [baseline --sort]='columns'
    [baseline -s]='columns'
    [baseline --top]='any'
    [baseline -n]='any'
    [baseline --from]='any'
    [baseline --to]='any'
    [baseline --frames]='any'
    [baseline --from-bookmark]='any'
    [baseline --to-bookmark]='any'
    [baseline --region]='any'
    [baseline --thread]='any'
    [baseline --format]='formats'
    [baseline -f]='formats'
    [baseline --output]='file'
    [baseline -o]='file'
    [baseline --color]='colours'
    [baseline --jobs]='any'
    [baseline -j]='any'
    [baseline --limit]='limits'
    [baseline --frames-from]='any'
    [baseline --symbols]='file'
    [export --table]=',export-tables'
    [export -t]=',export-tables'
    [export --columns]=',columns'
    [export -c]=',columns'
    [export --counter]=',any'
    [export --top]='any'
    [export -n]='any'
    [export --from]='any'
    [export --to]='any'
    [export --frames]='any'
    [export --from-bookmark]='any'
    [export --to-bookmark]='any'
    [export --region]='any'
    [export --thread]='any'
    [export --timer]='any'
    [export --where]='any'
    [export --filter]='any'
    [export --separator]='any'
    [export --truncated-mean]='any'
    [export --format]='exports'
    [export -f]='exports'
    [export --preset]='presets'
    [export -p]='presets'
    [export --output]='file'
    [export -o]='file'
    [export --sort]='orders-of-scopes'
    [export --split]='any'
    [export --unit]='units'
    [export --eol]='eols'
    [export --args]='args'
    [export --weight]='weights'
    [export --run-info]='any'
    [export --jobs]='any'
    [export -j]='any'
    [export --limit]='limits'
    [export --frames-from]='any'
    [export --symbols]='file'
    [record --output]='file'
    [record -o]='file'
    [record --into]='any'
    [record --name]='any'
    [record --listen]='any'
    [record --allow]='any'
    [record --port]='any'
    [record --count]='any'
    [record --seconds]='any'
    [record --size]='any'
    [record --until-idle]='any'
    [record --store]='any'
    [record --store-port]='any'
    [record --keep-days]='any'
    [record --keep-bytes]='any'
    [record --free]='any'
    [record --store-form]='any'
    [record --stop-after-frames]='any'
    [control --store]='any'
    [control --of]='file'
    [control --engine]='any'
    [control --wait]='any'
    [report --title]='any'
    [report --budget]='any'
    [report --hitches]='any'
    [report --work]='file'
    [report --from]='any'
    [report --to]='any'
    [report --frames]='any'
    [report --from-bookmark]='any'
    [report --to-bookmark]='any'
    [report --region]='any'
    [report --thread]='any'
    [report --timer]='any'
    [report --output]='file'
    [report -o]='file'
    [report --jobs]='any'
    [report -j]='any'
    [report --limit]='limits'
    [report --frames-from]='any'
    [report --symbols]='file'
    [edit --keep]=',any'
    [edit --drop]=',any'
    [edit --output]='file'
    [edit -o]='file'
    [edit --into]='any'
    [edit --compress]='any'
    [edit --format]='formats'
    [edit --jobs]='any'
    [edit -j]='any'
    [edit --limit]='limits'
    [edit --frames-from]='any'
    [edit --symbols]='file'
)

# What was given for an option on this line: the last value of the first of these names.
_tracekit_given() {
    local i name
    for ((i = 1; i < COMP_CWORD; i++)); do
        for name in "$@"; do
            [[ ${COMP_WORDS[i]} == "$name" ]] || continue
            if [[ ${COMP_WORDS[i + 1]} == = ]]; then
                printf '%s\n' "${COMP_WORDS[i + 2]}"
            else
                printf '%s\n' "${COMP_WORDS[i + 1]}"
            fi
            return
        done
    done
}

# Which list a value is of, where that hangs on other options.
_tracekit_list() {
    local table preset
    case $1 in
    columns)
        table=$(_tracekit_given -t --table)
        printf '%s\n' "columns-${table:-timers}"
        ;;
    export-tables)
        preset=$(_tracekit_given -p --preset)
        printf '%s\n' "${preset:+preset-$preset}" | sed 's/^$/tables/'
        ;;
    *) printf '%s\n' "$1" ;;
    esac
}

_tracekit_value() {
    local kind=$1 current=$2 before='' word
    if [[ $kind == ,* ]]; then
        kind=${kind#,}
        [[ $current == *,* ]] && before=${current%,*},
    fi
    case $kind in
    any) return ;;
    file)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    limits)
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -S = -W "${_tracekit_lists[limits]}" -- "$current")
        return
        ;;
    esac
    for word in ${_tracekit_lists[$(_tracekit_list "$kind")]}; do
        [[ $before$word == "$current"* ]] && COMPREPLY+=("$before$word")
    done
}

_tracekit() {
    local program=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} command option
    COMPREPLY=()
    if [[ $program == tracekit ]]; then
        if ((COMP_CWORD == 1)); then
            mapfile -t COMPREPLY < <(compgen -W "${!_tracekit_options[*]} --help --version" -- "$current")
            return
        fi
        command=${COMP_WORDS[1]}
    else
        command=${program#trace-}
    fi
    [[ -n ${_tracekit_options[$command]-} ]] || return
    # --option=value comes as three words, as = breaks words.
    option=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ -n ${_tracekit_values["$command $option"]-} ]]; then
        _tracekit_value "${_tracekit_values["$command $option"]}" "$current"
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_tracekit_options[$command]}" -- "$current")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -F _tracekit tracekit trace-info trace-events trace-stats trace-diff trace-check trace-trend trace-baseline trace-export trace-record trace-control trace-report trace-edit
