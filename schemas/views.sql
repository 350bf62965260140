-- Views of a database that trace-export wrote: with the names and columns that Perfetto's SQL knows, and ready answers.
-- Every view has the capture of its rows in capture_id, its last column. Ids are unique among the captures of a database. Times are nanoseconds since the start of the capture.
-- Ids of tracks: a kind above (0 threads, 1 counters, 2 processes, 3 GPU queues, 4 the work of these), the capture, a number.
-- Processes that were recorded; a capture is the process of threads that have none.
CREATE VIEW IF NOT EXISTS _thread AS
  SELECT (t.capture_id - 1) << 32 | t.thread_id AS utid, t.thread_id AS tid, t.thread AS name,
         coalesce(t.capture_id << 32 | t.process_id, t.capture_id) AS upid, coalesce(t.process_id, 1) AS pid,
         CASE WHEN t.process_id IS NULL THEN c.name ELSE t.process END AS process_name, t.capture_id AS capture_id
    FROM threads t LEFT JOIN captures c ON c.id = t.capture_id;
-- And those that ran on a core, but have no scopes: their numbers follow 2^31.
CREATE VIEW IF NOT EXISTS _any_thread AS
  SELECT utid, tid, name, upid, pid, process_name, capture_id FROM _thread
  UNION ALL
  SELECT (s.capture_id - 1) << 32 | s.system_id % 2147483648 + 2147483648, s.system_id, n.text,
         coalesce(s.capture_id << 32 | s.process_id, s.capture_id), coalesce(s.process_id, 1),
         CASE WHEN s.process_id IS NULL THEN c.name ELSE p.text END, s.capture_id
    FROM _switches s LEFT JOIN captures c ON c.id = s.capture_id LEFT JOIN string n ON n.id = s.thread_ref
         LEFT JOIN string p ON p.id = s.process_ref WHERE s.thread_id IS NULL;
CREATE VIEW IF NOT EXISTS process AS
  SELECT upid, pid, max(process_name) AS name, NULL AS start_ts, NULL AS end_ts, NULL AS cmdline, capture_id
    FROM _any_thread GROUP BY capture_id, upid, pid
  UNION ALL
  SELECT id, 1, name, NULL, NULL, NULL, id FROM captures WHERE id NOT IN (SELECT capture_id FROM threads);
CREATE VIEW IF NOT EXISTS thread AS
  SELECT utid, tid, name, NULL AS start_ts, NULL AS end_ts, upid, NULL AS is_main_thread, capture_id FROM _any_thread;
CREATE VIEW IF NOT EXISTS thread_track AS
  SELECT utid AS id, name, 'thread_track' AS type, NULL AS parent_id, utid, capture_id FROM _thread;
CREATE VIEW IF NOT EXISTS gpu_track AS
  SELECT DISTINCT ((CASE WHEN k.text = 'gpu' THEN 3 ELSE 4 END) << 56) | ((g.capture_id - 1) << 32) | g.queue_id AS id,
         q.text AS name, 'gpu_track' AS type, NULL AS parent_id, g.capture_id AS capture_id
    FROM _gpu_scopes g LEFT JOIN string k ON k.id = g.kind_ref LEFT JOIN string q ON q.id = g.queue_ref;
-- The two halves of slice, with the numbers that scopes have in their capture.
CREATE VIEW IF NOT EXISTS _thread_slice AS
  SELECT (s.capture_id - 1) << 56 | s.scope_id AS id, s.start AS ts, coalesce(s.dur, -1) AS dur,
         (s.capture_id - 1) << 32 | s.thread_id AS track_id, NULL AS category, n.text AS name, s.depth AS depth,
         (s.capture_id - 1) << 56 | s.parent_id AS parent_id, (s.capture_id - 1) << 32 | s.timer_ref AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur,
         s.scope_id AS scope_id, s.parent_id AS parent, s.capture_id AS capture_id
    FROM _scopes s LEFT JOIN string n ON n.id = s.timer_ref;
CREATE VIEW IF NOT EXISTS _queue_slice AS
  SELECT ~((g.capture_id - 1) << 56 | g.scope_id) AS id, g.start AS ts, coalesce(g.dur, -1) AS dur,
         ((CASE WHEN k.text = 'gpu' THEN 3 ELSE 4 END) << 56) | ((g.capture_id - 1) << 32) | g.queue_id AS track_id, 'gpu' AS category, n.text AS name, g.depth AS depth,
         ~((g.capture_id - 1) << 56 | g.parent_id) AS parent_id, (g.capture_id - 1) << 32 | g.timer_ref AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur,
         g.scope_id AS scope_id, g.parent_id AS parent, g.capture_id AS capture_id
    FROM _gpu_scopes g LEFT JOIN string n ON n.id = g.timer_ref LEFT JOIN string k ON k.id = g.kind_ref;
CREATE VIEW IF NOT EXISTS slice AS
  SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, capture_id FROM _thread_slice
  UNION ALL SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, capture_id FROM _queue_slice;
CREATE VIEW IF NOT EXISTS thread_slice AS
  SELECT slice.id AS id, ts, dur, track_id, category, slice.name AS name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
         thread.utid AS utid, thread.tid AS tid, thread.name AS thread_name, thread.upid AS upid, thread.pid AS pid,
         thread.process_name AS process_name, slice.capture_id AS capture_id
    FROM slice LEFT JOIN _thread thread ON thread.utid = slice.track_id WHERE slice.track_id < 1 << 56;
CREATE VIEW IF NOT EXISTS gpu_slice AS SELECT * FROM slice WHERE track_id >= 3 << 56;
-- Times on a core, and between them. A thread that is on no core is in the state in which its last time ended, where that was
-- recorded; from its wake on it is ready, R.
CREATE VIEW IF NOT EXISTS sched_slice AS
  SELECT s.rowid AS id, s.start AS ts, coalesce(s.dur, -1) AS dur, s.core AS cpu,
         (s.capture_id - 1) << 32 | coalesce(s.thread_id, s.system_id % 2147483648 + 2147483648) AS utid,
         e.text AS end_state, NULL AS priority, s.core AS ucpu, s.capture_id AS capture_id
    FROM _switch_rows s LEFT JOIN string e ON e.id = s.end_state_ref;
CREATE VIEW IF NOT EXISTS sched AS SELECT * FROM sched_slice;
CREATE VIEW IF NOT EXISTS _off_core AS
  SELECT id, ts, next, CASE WHEN wake > ts AND wake < next THEN wake END AS wake, utid, state, capture_id
    FROM (SELECT s.rowid AS id, s."end" AS ts, lead(s.start) OVER own AS next, lead(s.wake) OVER own AS wake,
                 (s.capture_id - 1) << 32 | coalesce(s.thread_id, s.system_id % 2147483648 + 2147483648) AS utid, e.text AS state, s.capture_id AS capture_id
            FROM _switch_rows s LEFT JOIN string e ON e.id = s.end_state_ref
          WINDOW own AS (PARTITION BY s.capture_id, s.system_id ORDER BY s.start, s.rowid)) WHERE next > ts;
CREATE VIEW IF NOT EXISTS thread_state AS
  SELECT id, ts, dur, cpu, utid, 'Running' AS state, NULL AS io_wait, NULL AS blocked_function, NULL AS waker_utid, NULL AS waker_id,
         ucpu, capture_id FROM sched_slice
  UNION ALL
  SELECT ~id, ts, coalesce(wake, next) - ts, NULL, utid, state, NULL, NULL, NULL, NULL, NULL, capture_id FROM _off_core
  UNION ALL
  SELECT ~(id | (1 << 56)), wake, next - wake, NULL, utid, 'R', NULL, NULL, NULL, NULL, NULL, capture_id FROM _off_core
   WHERE wake IS NOT NULL;
CREATE VIEW IF NOT EXISTS counter_track AS
  SELECT DISTINCT (1 << 56) | ((v.capture_id - 1) << 32) | v.counter_ref AS id, n.text AS name, 'counter_track' AS type,
         NULL AS parent_id, NULL AS unit, v.capture_id AS capture_id FROM _counter_values v LEFT JOIN string n ON n.id = v.counter_ref;
CREATE VIEW IF NOT EXISTS counter AS
  SELECT rowid AS id, time AS ts, (1 << 56) | ((capture_id - 1) << 32) | counter_ref AS track_id, value, capture_id FROM _counter_values;
CREATE VIEW IF NOT EXISTS process_track AS
  SELECT 2 << 56 | upid AS id, name, 'process_track' AS type, NULL AS parent_id, upid, capture_id FROM process;
CREATE VIEW IF NOT EXISTS track AS
  SELECT id, name, type, parent_id, capture_id FROM thread_track UNION ALL SELECT id, name, type, parent_id, capture_id FROM counter_track
  UNION ALL SELECT id, name, type, parent_id, capture_id FROM process_track UNION ALL SELECT id, name, type, parent_id, capture_id FROM gpu_track;
CREATE VIEW IF NOT EXISTS instant AS SELECT * FROM slice WHERE dur = 0;
-- Arguments of a slice: where its timer is in the code. Arguments of a row of a table with records: its fields, whose sets
-- are numbered from 2^62 on, 2^40 for a capture.
CREATE VIEW IF NOT EXISTS args AS
  SELECT DISTINCT (t.capture_id - 1) << 32 | t.timer_ref AS arg_set_id, 'source.file' AS flat_key, 'source.file' AS key,
         NULL AS int_value, f.text AS string_value, NULL AS real_value, 'string' AS value_type,
         t.capture_id AS capture_id
    FROM _timers t JOIN string f ON f.id = t.file_ref
  UNION ALL
  SELECT DISTINCT (t.capture_id - 1) << 32 | t.timer_ref, 'source.line', 'source.line', t.line, NULL, NULL, 'int', t.capture_id
    FROM _timers t WHERE t.line IS NOT NULL
  UNION ALL
  SELECT a.arg_set_id, k.text, k.text, a.int_value, a.string_value, a.real_value, a.value_type,
         a.arg_set_id - (1 << 62) >> 40
    FROM record_args a JOIN string k ON k.id = a.key_ref;
-- Tasks: from the innermost slice that launched one to the innermost slice that it ran in. Fences: from the innermost
-- slice of the GPU queue that set one to that of the queue where the wait ends, or the next there. Of slices that nest, the last to begin is
-- the innermost; with --index those are looked up.
CREATE VIEW IF NOT EXISTS flow AS
  SELECT (t.capture_id - 1) << 56 | t.task_id AS id,
         (SELECT (s.capture_id - 1) << 56 | s.scope_id FROM _scopes s WHERE s.capture_id = t.capture_id
             AND s.thread_id = t.launcher_id AND s.start <= t.launched AND s.start + s.dur >= t.launched
           ORDER BY s.start DESC, s.depth DESC LIMIT 1) AS slice_out,
         (SELECT (s.capture_id - 1) << 56 | s.scope_id FROM _scopes s WHERE s.capture_id = t.capture_id
             AND s.thread_id = t.thread_id AND s.start <= t.started AND s.start + s.dur >= t.started
           ORDER BY s.start DESC, s.depth DESC LIMIT 1) AS slice_in,
         t.task_id AS trace_id, t.capture_id AS capture_id
    FROM _task_rows t WHERE t.launched IS NOT NULL AND t.started IS NOT NULL
  UNION ALL
  SELECT ~f.rowid,
         (SELECT ~((g.capture_id - 1) << 56 | g.scope_id) FROM _gpu_scopes g JOIN string k ON k.id = g.kind_ref
           WHERE g.capture_id = f.capture_id AND g.queue_id = f.other_id AND k.text = 'gpu'
             AND g.start <= f.signal_time AND g.start + g.dur >= f.signal_time
           ORDER BY g.start DESC, g.depth DESC LIMIT 1),
         coalesce((SELECT ~((g.capture_id - 1) << 56 | g.scope_id) FROM _gpu_scopes g JOIN string k ON k.id = g.kind_ref
           WHERE g.capture_id = f.capture_id AND g.queue_id = f.queue_id AND k.text = 'gpu'
             AND g.start <= max(f.time, f.signal_time) AND g.start + g.dur >= max(f.time, f.signal_time)
           ORDER BY g.start DESC, g.depth DESC LIMIT 1),
                  (SELECT ~((g.capture_id - 1) << 56 | g.scope_id) FROM _gpu_scopes g JOIN string k ON k.id = g.kind_ref
           WHERE g.capture_id = f.capture_id AND g.queue_id = f.queue_id AND k.text = 'gpu'
             AND g.start > max(f.time, f.signal_time) ORDER BY g.start, g.depth LIMIT 1)),
         ~f.rowid, f.capture_id
    FROM _gpu_fences f WHERE f.signal_time IS NOT NULL;
CREATE VIEW IF NOT EXISTS top_timers AS
  SELECT capture_id, timer, count, total, excl, max FROM timers ORDER BY excl DESC;
CREATE VIEW IF NOT EXISTS longest_frames AS
  SELECT capture_id, frame, start, dur FROM frames WHERE type = 'game'
   ORDER BY dur DESC;

-- Calls and time of timers in each game frame, of scopes that begin in it.
CREATE VIEW IF NOT EXISTS per_frame AS -- frames and scopes in one order of time: each scope is in the last frame before it
  WITH placed AS (
    SELECT capture_id, scope, timer_ref, dur, t, max(frame) OVER before AS frame, max(frame_end) OVER before AS frame_end
      FROM (SELECT capture_id, 0 AS scope, start AS t, frame, "end" AS frame_end, NULL AS timer_ref, NULL AS dur
              FROM frames WHERE type = 'game'
            UNION ALL SELECT capture_id, 1, start, NULL, NULL, timer_ref, dur FROM _scopes)
    WINDOW before AS (PARTITION BY capture_id ORDER BY t, scope ROWS UNBOUNDED PRECEDING))
  SELECT p.capture_id, p.frame, n.text AS timer, count(*) AS count, sum(p.dur) AS total
    FROM placed p LEFT JOIN string n ON n.id = p.timer_ref WHERE p.scope AND p.t < p.frame_end GROUP BY 1, 2, p.timer_ref;
