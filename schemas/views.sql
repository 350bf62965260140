-- Views of a database that trace-export wrote: with the names and columns that Perfetto's SQL knows, and ready answers.
-- Ids are unique among the captures of a database. Times are nanoseconds since the start of the capture.
CREATE VIEW IF NOT EXISTS process AS
  SELECT id AS upid, 1 AS pid, name, NULL AS start_ts, NULL AS end_ts, NULL AS cmdline FROM captures;
CREATE VIEW IF NOT EXISTS thread AS
  SELECT (t.capture_id - 1) << 32 | t.thread_id AS utid, t.thread_id AS tid, t.thread AS name, NULL AS start_ts,
         NULL AS end_ts, t.capture_id AS upid, NULL AS is_main_thread FROM threads t;
CREATE VIEW IF NOT EXISTS thread_track AS
  SELECT utid AS id, name, 'thread_track' AS type, NULL AS parent_id, utid FROM thread;
CREATE VIEW IF NOT EXISTS slice AS
  SELECT (s.capture_id - 1) << 56 | s.id AS id, s.start AS ts, coalesce(s.duration, -1) AS dur,
         (s.capture_id - 1) << 32 | s.thread_id AS track_id, NULL AS category, n.text AS name, s.depth AS depth,
         (s.capture_id - 1) << 56 | s.parent_id AS parent_id, NULL AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur
    FROM _scopes s LEFT JOIN string n ON n.id = s.timer_ref;
CREATE VIEW IF NOT EXISTS thread_slice AS
  SELECT slice.*, thread.utid AS utid, thread.tid AS tid, thread.name AS thread_name
    FROM slice LEFT JOIN thread ON thread.utid = slice.track_id;
CREATE VIEW IF NOT EXISTS counter_track AS
  SELECT DISTINCT (v.capture_id << 32) + v.counter_ref AS id, n.text AS name, 'counter_track' AS type, NULL AS parent_id,
         NULL AS unit FROM _counter_values v LEFT JOIN string n ON n.id = v.counter_ref;
CREATE VIEW IF NOT EXISTS counter AS
  SELECT rowid AS id, time AS ts, (capture_id << 32) + counter_ref AS track_id, value FROM _counter_values;
CREATE VIEW IF NOT EXISTS track AS
  SELECT id, name, type, parent_id FROM thread_track UNION ALL SELECT id, name, type, parent_id FROM counter_track;
CREATE VIEW IF NOT EXISTS args AS
  SELECT NULL AS arg_set_id, NULL AS flat_key, NULL AS key, NULL AS int_value, NULL AS string_value, NULL AS real_value,
         NULL AS value_type WHERE 0;
CREATE VIEW IF NOT EXISTS flow AS
  SELECT NULL AS slice_out, NULL AS slice_in, NULL AS trace_id WHERE 0;
CREATE VIEW IF NOT EXISTS top_timers AS
  SELECT capture_id, timer, count, total, excl, max FROM timers ORDER BY excl DESC;
CREATE VIEW IF NOT EXISTS hitches AS
  SELECT capture_id, "index" AS frame, begin, duration FROM frames WHERE type_name = 'game'
   ORDER BY duration DESC;
