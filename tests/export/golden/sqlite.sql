BEGIN TRANSACTION;
CREATE TABLE "_frames"(capture_id INTEGER,"type" INTEGER,"index" INTEGER,"begin" INTEGER,"end" INTEGER,"duration" INTEGER,"type_name_ref" INTEGER);
CREATE TABLE "_scopes"(capture_id INTEGER,"thread_id" INTEGER,"timer_ref" INTEGER,"start" INTEGER,"duration" INTEGER,"depth" INTEGER,"id" INTEGER,"parent_id" INTEGER);
INSERT INTO "_scopes" VALUES(1,3,1,50741400,NULL,0,NULL,NULL);
CREATE TABLE "_threads"(capture_id INTEGER,"thread_id" INTEGER,"thread_ref" INTEGER,"group_ref" INTEGER,"system_id" INTEGER,"sort_hint" INTEGER,"named" INTEGER,"packets" INTEGER,"bytes" INTEGER,"events" INTEGER,"scopes" INTEGER,"open" INTEGER,"max_depth" INTEGER,"unmatched" INTEGER,"busy" INTEGER);
INSERT INTO "_threads" VALUES(1,3,3,NULL,1003,1,1,50,10883,148,0,1,7,0,0);
INSERT INTO "_threads" VALUES(1,4,4,5,1004,10,1,2,827,20,0,0,6,0,0);
INSERT INTO "_threads" VALUES(1,5,6,5,1005,11,1,1,792,20,0,0,6,0,0);
INSERT INTO "_threads" VALUES(1,6,7,5,1006,12,1,18,3659,21,0,0,6,0,0);
INSERT INTO "_threads" VALUES(1,2,8,NULL,0,2147483647,1,NULL,NULL,NULL,0,0,0,0,0);
CREATE TABLE "_timers"(capture_id INTEGER,"timer_ref" INTEGER,"kind_ref" INTEGER,"file_ref" INTEGER,"line" INTEGER,"count" INTEGER,"open" INTEGER,"incl" INTEGER,"total" INTEGER,"excl" INTEGER,"share" REAL,"min" INTEGER,"max" INTEGER,"mean" REAL,"median" INTEGER,"p50" INTEGER,"p90" INTEGER,"p95" INTEGER,"p99" INTEGER,"p999" INTEGER,"frame_mean" REAL,"frame_p95" INTEGER);
INSERT INTO "_timers" VALUES(1,1,2,NULL,NULL,0,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE captures(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO "captures" VALUES(1,'FIXTURES/tiny.utrace');
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "meta" VALUES('schema_version',1);
INSERT INTO "meta" VALUES('tool','tracekit 0.1.0');
INSERT INTO "meta" VALUES('unit','ns');
CREATE TABLE string(id INTEGER PRIMARY KEY, text);
INSERT INTO "string" VALUES(1,'FEngineLoop::Tick');
INSERT INTO "string" VALUES(2,'spec');
INSERT INTO "string" VALUES(3,'GameThread');
INSERT INTO "string" VALUES(4,'TinyRender');
INSERT INTO "string" VALUES(5,'TinyGroup');
INSERT INTO "string" VALUES(6,'TinyRHI');
INSERT INTO "string" VALUES(7,'TinyWorker');
INSERT INTO "string" VALUES(8,'Trace');
CREATE VIEW "scopes" AS SELECT capture_id,"thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."timer_ref") AS "timer","start" AS "start","duration" AS "duration","depth" AS "depth","id" AS "id","parent_id" AS "parent_id" FROM "_scopes" t;
CREATE VIEW "timers" AS SELECT capture_id,(SELECT text FROM string WHERE id=t."timer_ref") AS "timer",(SELECT text FROM string WHERE id=t."kind_ref") AS "kind",(SELECT text FROM string WHERE id=t."file_ref") AS "file","line" AS "line","count" AS "count","open" AS "open","incl" AS "incl","total" AS "total","excl" AS "excl","share" AS "share","min" AS "min","max" AS "max","mean" AS "mean","median" AS "median","p50" AS "p50","p90" AS "p90","p95" AS "p95","p99" AS "p99","p999" AS "p999","frame_mean" AS "frame_mean","frame_p95" AS "frame_p95" FROM "_timers" t;
CREATE VIEW "threads" AS SELECT capture_id,"thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."thread_ref") AS "thread",(SELECT text FROM string WHERE id=t."group_ref") AS "group","system_id" AS "system_id","sort_hint" AS "sort_hint","named" AS "named","packets" AS "packets","bytes" AS "bytes","events" AS "events","scopes" AS "scopes","open" AS "open","max_depth" AS "max_depth","unmatched" AS "unmatched","busy" AS "busy" FROM "_threads" t;
CREATE VIEW "frames" AS SELECT capture_id,"type" AS "type","index" AS "index","begin" AS "begin","end" AS "end","duration" AS "duration",(SELECT text FROM string WHERE id=t."type_name_ref") AS "type_name" FROM "_frames" t;
CREATE VIEW process AS
  SELECT id AS upid, 1 AS pid, name, NULL AS start_ts, NULL AS end_ts, NULL AS cmdline FROM captures;
CREATE VIEW thread AS
  SELECT (t.capture_id - 1) << 32 | t.thread_id AS utid, t.thread_id AS tid, t.thread AS name, NULL AS start_ts,
         NULL AS end_ts, t.capture_id AS upid, NULL AS is_main_thread FROM threads t;
CREATE VIEW thread_track AS
  SELECT utid AS id, name, 'thread_track' AS type, NULL AS parent_id, utid FROM thread;
CREATE VIEW slice AS
  SELECT (s.capture_id - 1) << 56 | s.id AS id, s.start AS ts, coalesce(s.duration, -1) AS dur,
         (s.capture_id - 1) << 32 | s.thread_id AS track_id, NULL AS category, n.text AS name, s.depth AS depth,
         (s.capture_id - 1) << 56 | s.parent_id AS parent_id, (s.capture_id - 1) << 32 | s.timer_ref AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur
    FROM _scopes s LEFT JOIN string n ON n.id = s.timer_ref;
CREATE VIEW thread_slice AS
  SELECT slice.*, thread.utid AS utid, thread.tid AS tid, thread.name AS thread_name
    FROM slice LEFT JOIN thread ON thread.utid = slice.track_id;
CREATE VIEW counter_track AS
  SELECT DISTINCT (v.capture_id << 32) + v.counter_ref AS id, n.text AS name, 'counter_track' AS type, NULL AS parent_id,
         NULL AS unit FROM _counter_values v LEFT JOIN string n ON n.id = v.counter_ref;
CREATE VIEW counter AS
  SELECT rowid AS id, time AS ts, (capture_id << 32) + counter_ref AS track_id, value FROM _counter_values;
CREATE VIEW track AS
  SELECT id, name, type, parent_id FROM thread_track UNION ALL SELECT id, name, type, parent_id FROM counter_track;
CREATE VIEW process_track AS
  SELECT upid << 48 AS id, name, 'process_track' AS type, NULL AS parent_id, upid FROM process;
CREATE VIEW instant AS SELECT * FROM slice WHERE dur = 0;
CREATE VIEW args AS
  SELECT DISTINCT (t.capture_id - 1) << 32 | t.timer_ref AS arg_set_id, 'source.file' AS flat_key, 'source.file' AS key,
         NULL AS int_value, f.text AS string_value, NULL AS real_value, 'string' AS value_type
    FROM _timers t JOIN string f ON f.id = t.file_ref
  UNION ALL
  SELECT DISTINCT (t.capture_id - 1) << 32 | t.timer_ref, 'source.line', 'source.line', t.line, NULL, NULL, 'int'
    FROM _timers t WHERE t.line IS NOT NULL;
CREATE VIEW flow AS
  SELECT (t.capture_id - 1) << 56 | t.id AS id,
         (SELECT (s.capture_id - 1) << 56 | s.id FROM _scopes s WHERE s.capture_id = t.capture_id
             AND s.thread_id = t.launcher_id AND s.start <= t.launched AND s.start + s.duration >= t.launched
           ORDER BY s.depth DESC LIMIT 1) AS slice_out,
         (SELECT (s.capture_id - 1) << 56 | s.id FROM _scopes s WHERE s.capture_id = t.capture_id
             AND s.thread_id = t.thread_id AND s.start <= t.started AND s.start + s.duration >= t.started
           ORDER BY s.depth DESC LIMIT 1) AS slice_in,
         t.id AS trace_id
    FROM _task_rows t WHERE t.launched IS NOT NULL AND t.started IS NOT NULL;
CREATE VIEW top_timers AS
  SELECT capture_id, timer, count, total, excl, max FROM timers ORDER BY excl DESC;
CREATE VIEW hitches AS
  SELECT capture_id, "index" AS frame, begin, duration FROM frames WHERE type_name = 'game'
   ORDER BY duration DESC;
CREATE VIEW per_frame AS
  SELECT f.capture_id, f."index" AS frame, n.text AS timer, count(*) AS count, sum(s.duration) AS total
    FROM frames f JOIN _scopes s ON s.capture_id = f.capture_id AND s.start >= f.begin AND s.start < f."end"
    LEFT JOIN string n ON n.id = s.timer_ref WHERE f.type_name = 'game' GROUP BY 1, 2, s.timer_ref;
COMMIT;
