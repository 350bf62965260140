BEGIN TRANSACTION;
CREATE TABLE "_counter_values"(capture_id INTEGER,"time" INTEGER,"counter_id" INTEGER,"counter_ref" INTEGER,"group_ref" INTEGER,"value" REAL,"unit_ref" INTEGER,"frame" INTEGER,"thread_id" INTEGER,"thread_ref" INTEGER,"role_ref" INTEGER,"process_id" INTEGER,"process_ref" INTEGER);
CREATE TABLE "_frames"(capture_id INTEGER,"type_id" INTEGER,"frame" INTEGER,"start" INTEGER,"end" INTEGER,"dur" INTEGER,"type_ref" INTEGER,"lost" INTEGER);
CREATE TABLE "_gpu_fences"(capture_id INTEGER,"queue_id" INTEGER,"queue_ref" INTEGER,"time" INTEGER,"value" INTEGER,"other_id" INTEGER,"other_ref" INTEGER,"signal_time" INTEGER,"signal_value" INTEGER);
CREATE TABLE "_gpu_scopes"(capture_id INTEGER,"queue_id" INTEGER,"queue_ref" INTEGER,"timer_ref" INTEGER,"start" INTEGER,"dur" INTEGER,"depth" INTEGER,"scope_id" INTEGER,"parent_id" INTEGER,"kind_ref" INTEGER,"file_ref" INTEGER,"line" INTEGER);
CREATE TABLE "_scopes"(capture_id INTEGER,"thread_id" INTEGER,"timer_ref" INTEGER,"start" INTEGER,"dur" INTEGER,"depth" INTEGER,"scope_id" INTEGER,"parent_id" INTEGER);
INSERT INTO "_scopes" VALUES(1,4,1,2000000,7600,0,1099511627777,NULL);
INSERT INTO "_scopes" VALUES(1,4,2,2020200,6100,2,1099511627780,1099511627779);
INSERT INTO "_scopes" VALUES(1,4,3,2017400,13800,1,1099511627779,1099511627778);
INSERT INTO "_scopes" VALUES(1,4,4,2039000,11200,3,1099511627783,1099511627782);
INSERT INTO "_scopes" VALUES(1,4,5,2056800,2900,5,1099511627786,1099511627785);
INSERT INTO "_scopes" VALUES(1,4,1,2061300,5900,5,1099511627787,1099511627785);
INSERT INTO "_scopes" VALUES(1,4,6,2055000,22600,4,1099511627785,1099511627784);
INSERT INTO "_scopes" VALUES(1,4,5,2081200,6700,5,1099511627789,1099511627788);
INSERT INTO "_scopes" VALUES(1,4,6,2077700,13300,4,1099511627788,1099511627784);
INSERT INTO "_scopes" VALUES(1,4,7,2050700,50300,3,1099511627784,1099511627782);
INSERT INTO "_scopes" VALUES(1,4,8,2037600,64700,2,1099511627782,1099511627781);
INSERT INTO "_scopes" VALUES(1,4,9,2105600,5100,3,1099511627791,1099511627790);
INSERT INTO "_scopes" VALUES(1,4,4,2112600,10800,3,1099511627792,1099511627790);
INSERT INTO "_scopes" VALUES(1,4,2,2103300,21900,2,1099511627790,1099511627781);
INSERT INTO "_scopes" VALUES(1,4,10,2032800,98800,1,1099511627781,1099511627778);
INSERT INTO "_scopes" VALUES(1,4,11,2012600,124000,0,1099511627778,NULL);
INSERT INTO "_scopes" VALUES(1,4,9,2149600,15400,3,1099511627796,1099511627795);
INSERT INTO "_scopes" VALUES(1,4,12,2148600,22700,2,1099511627795,1099511627794);
INSERT INTO "_scopes" VALUES(1,4,5,2145400,29500,1,1099511627794,1099511627793);
INSERT INTO "_scopes" VALUES(1,4,13,2141600,42600,0,1099511627793,NULL);
INSERT INTO "_scopes" VALUES(1,5,14,2010000,6100,3,2199023255556,2199023255555);
INSERT INTO "_scopes" VALUES(1,5,15,2007200,13800,2,2199023255555,2199023255554);
INSERT INTO "_scopes" VALUES(1,5,16,2028800,11200,4,2199023255559,2199023255558);
INSERT INTO "_scopes" VALUES(1,5,1,2044800,10600,5,2199023255561,2199023255560);
INSERT INTO "_scopes" VALUES(1,5,13,2057100,9300,5,2199023255562,2199023255560);
INSERT INTO "_scopes" VALUES(1,5,6,2040500,26700,4,2199023255560,2199023255558);
INSERT INTO "_scopes" VALUES(1,5,17,2027400,46900,3,2199023255558,2199023255557);
INSERT INTO "_scopes" VALUES(1,5,13,2082700,4100,5,2199023255565,2199023255564);
INSERT INTO "_scopes" VALUES(1,5,5,2086900,2600,5,2199023255566,2199023255564);
INSERT INTO "_scopes" VALUES(1,5,18,2078200,19500,4,2199023255564,2199023255563);
INSERT INTO "_scopes" VALUES(1,5,9,2076200,31000,3,2199023255563,2199023255557);
INSERT INTO "_scopes" VALUES(1,5,8,2022600,88400,2,2199023255557,2199023255554);
INSERT INTO "_scopes" VALUES(1,5,19,2002400,111700,1,2199023255554,2199023255553);
INSERT INTO "_scopes" VALUES(1,5,16,2000700,123900,0,2199023255553,NULL);
INSERT INTO "_scopes" VALUES(1,5,13,2140700,7600,5,2199023255572,2199023255571);
INSERT INTO "_scopes" VALUES(1,5,20,2137500,12600,4,2199023255571,2199023255570);
INSERT INTO "_scopes" VALUES(1,5,7,2133700,19000,3,2199023255570,2199023255569);
INSERT INTO "_scopes" VALUES(1,5,8,2131700,23600,2,2199023255569,2199023255568);
INSERT INTO "_scopes" VALUES(1,5,19,2130600,30200,1,2199023255568,2199023255567);
INSERT INTO "_scopes" VALUES(1,5,11,2129600,131700,0,2199023255567,NULL);
INSERT INTO "_scopes" VALUES(1,6,11,2016900,12900,5,3298534883334,3298534883333);
INSERT INTO "_scopes" VALUES(1,6,13,2030900,12900,5,3298534883335,3298534883333);
INSERT INTO "_scopes" VALUES(1,6,21,2014500,30700,4,3298534883333,3298534883332);
INSERT INTO "_scopes" VALUES(1,6,7,2012400,36600,3,3298534883332,3298534883331);
INSERT INTO "_scopes" VALUES(1,6,4,2049800,6700,3,3298534883336,3298534883331);
INSERT INTO "_scopes" VALUES(1,6,8,2009100,57300,2,3298534883331,3298534883330);
INSERT INTO "_scopes" VALUES(1,6,12,2066700,4400,2,3298534883337,3298534883330);
INSERT INTO "_scopes" VALUES(1,6,3,2005000,73200,1,3298534883330,3298534883329);
INSERT INTO "_scopes" VALUES(1,6,16,2001400,78700,0,3298534883329,NULL);
INSERT INTO "_scopes" VALUES(1,6,3,2088600,5200,1,3298534883339,3298534883338);
INSERT INTO "_scopes" VALUES(1,6,13,2085100,9800,0,3298534883338,NULL);
INSERT INTO "_scopes" VALUES(1,6,22,2099900,6600,0,3298534883340,NULL);
INSERT INTO "_scopes" VALUES(1,6,5,2113800,5100,1,3298534883342,3298534883341);
INSERT INTO "_scopes" VALUES(1,6,3,2120800,10800,1,3298534883343,3298534883341);
INSERT INTO "_scopes" VALUES(1,6,11,2111500,21900,0,3298534883341,NULL);
INSERT INTO "_scopes" VALUES(1,6,1,2138400,7500,0,3298534883344,NULL);
CREATE TABLE "_switch_rows"(capture_id INTEGER,"start" INTEGER,"end" INTEGER,"dur" INTEGER,"system_id" INTEGER,"thread_id" INTEGER,"thread_ref" INTEGER,"role_ref" INTEGER,"process_id" INTEGER,"process_ref" INTEGER,"core" INTEGER,"end_state_ref" INTEGER,"wake" INTEGER,"waker_core" INTEGER);
CREATE TABLE _switches(capture_id INTEGER,system_id INTEGER,thread_id INTEGER,thread_ref INTEGER,process_id INTEGER,process_ref INTEGER);
CREATE TABLE "_task_rows"(capture_id INTEGER,"task_id" INTEGER,"task_ref" INTEGER,"thread_id" INTEGER,"thread_ref" INTEGER,"role_ref" INTEGER,"process_id" INTEGER,"process_ref" INTEGER,"tracked" INTEGER,"created" INTEGER,"launched" INTEGER,"scheduled" INTEGER,"started" INTEGER,"finished" INTEGER,"completed" INTEGER,"destroyed" INTEGER,"schedule_wait" INTEGER,"start_wait" INTEGER,"run" INTEGER,"launcher_id" INTEGER,"target" INTEGER,"bytes" INTEGER,"synthesized" INTEGER,"prerequisites" INTEGER,"subsequents" INTEGER,"nested" INTEGER,"chain" INTEGER,"chain_length" INTEGER);
CREATE TABLE "_threads"(capture_id INTEGER,"thread_id" INTEGER,"thread_ref" INTEGER,"role_ref" INTEGER,"process_id" INTEGER,"process_ref" INTEGER,"group_ref" INTEGER,"system_id" INTEGER,"sort_hint" INTEGER,"named" INTEGER,"packets" INTEGER,"bytes" INTEGER,"events" INTEGER,"scopes" INTEGER,"open" INTEGER,"max_depth" INTEGER,"unmatched" INTEGER,"busy" INTEGER,"working" INTEGER,"waiting" INTEGER);
INSERT INTO "_threads" VALUES(1,3,25,26,NULL,NULL,NULL,1003,1,1,50,10883,148,0,0,7,0,0,0,0);
INSERT INTO "_threads" VALUES(1,4,27,28,NULL,NULL,29,1004,10,1,2,827,20,20,0,6,0,140000,140000,0);
INSERT INTO "_threads" VALUES(1,5,30,28,NULL,NULL,29,1005,11,1,1,792,20,20,0,6,0,144300,144300,0);
INSERT INTO "_threads" VALUES(1,6,31,32,NULL,NULL,29,1006,12,1,18,3659,21,16,0,6,0,124500,124500,0);
INSERT INTO "_threads" VALUES(1,2,33,28,NULL,NULL,NULL,0,2147483647,1,NULL,NULL,NULL,0,0,0,0,0,0,0);
CREATE TABLE "_timers"(capture_id INTEGER,"timer_ref" INTEGER,"kind_ref" INTEGER,"file_ref" INTEGER,"line" INTEGER,"sources" INTEGER,"places_ref" INTEGER,"count" INTEGER,"open" INTEGER,"incl" INTEGER,"total" INTEGER,"excl" INTEGER,"working" INTEGER,"share" REAL,"min" INTEGER,"max" INTEGER,"mean" REAL,"median" INTEGER,"p50" INTEGER,"p90" INTEGER,"p95" INTEGER,"p99" INTEGER,"p999" INTEGER,"mode" INTEGER,"stddev" REAL,"frame_mean" REAL,"frame_p95" INTEGER);
INSERT INTO "_timers" VALUES(1,16,23,NULL,NULL,NULL,NULL,3,0,202600,213800,28900,28900,7.06947162426614511554e-02,11200,123900,7.12666666666666715184e+04,78700,78700,123900,123900,123900,123900,11200,5.67165172884701532891e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,13,23,24,101,NULL,NULL,6,0,52100,52100,42300,42300,1.03473581213307241899e-01,4100,12900,8.68333333333333393967e+03,8400,8400,12800,12800,12800,12800,4100,2.88680908039770883983e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,1,23,24,102,NULL,NULL,4,0,31600,31600,31600,31600,7.72994129158512677246e-02,5900,10600,7900.0,7500,7500,10600,10600,10600,10600,5900,1.96129209111408681562e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,11,23,NULL,NULL,NULL,NULL,4,0,179200,179200,31300,31300,0.0765655577299413,12900,124000,44800.0,20400,20400,123900,123900,123900,123900,12900,5.29465768487444292996e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,22,23,24,104,NULL,NULL,1,0,6600,6600,6600,6600,1.61448140900195685754e-02,6600,6600,6600.0,6600,6600,6600,6600,6600,6600,6600,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,5,23,24,105,NULL,NULL,5,0,21900,21900,20500,20500,5.01467710371819933024e-02,2600,6700,4380.0,4600,4600,6700,6700,6700,6700,2600,1.68136849024834509691e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,10,23,24,107,NULL,NULL,1,0,98800,98800,12200,12200,2.98434442270058691848e-02,98800,98800,98800.0,98800,98800,98800,98800,98800,98800,98800,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,19,23,24,108,NULL,NULL,2,0,131100,131100,10600,10600,2.59295499021526404392e-02,19400,111700,65550.0,19400,19400,111100,111100,111100,111100,19400,6.52659559035183337982e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,3,23,NULL,NULL,NULL,NULL,4,0,103000,103000,35200,35200,8.61056751467710324021e-02,5200,73200,25750.0,10800,10800,73100,73100,73100,73100,5200,3.18334729490830141006e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,12,23,24,110,NULL,NULL,2,0,5800,5800,5400,5400,1.32093933463796470162e-02,1400,4400,2900.0,1400,1400,4400,4400,4400,4400,1400,2.12132034355964287889e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,8,23,NULL,NULL,NULL,NULL,4,0,228700,228700,29700,29700,7.26516634050880655282e-02,18300,88400,57175.0,57100,57100,88300,88300,88300,88300,18300,2.91141861183398541462e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,2,23,24,113,NULL,NULL,2,0,28000,28000,12100,12100,2.95988258317025423882e-02,6100,21900,14000.0,6100,6100,21800,21800,21800,21800,6100,1.11722871427474510711e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,15,23,24,114,NULL,NULL,1,0,13800,13800,7700,7700,1.88356164383561633379e-02,13800,13800,13800.0,13800,13800,13800,13800,13800,13800,13800,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,9,23,NULL,NULL,NULL,NULL,3,0,36500,36500,17000,17000,4.15851272015655554215e-02,400,31000,1.21666666666666660598e+04,5100,5100,30900,30900,30900,30900,400,1.647857194459924358e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,7,23,24,116,NULL,NULL,3,0,103200,103200,24100,24100,5.89530332681017579798e-02,16300,50300,34400.0,36500,36500,50100,50100,50100,50100,16300,1.71064315390440206104e+04,NULL,NULL);
INSERT INTO "_timers" VALUES(1,17,23,24,117,NULL,NULL,1,0,46900,46900,9000,9000,2.20156555772994116937e-02,46900,46900,46900.0,46900,46900,46900,46900,46900,46900,46900,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,14,23,NULL,NULL,NULL,NULL,1,0,6100,6100,6100,6100,1.49217221135029345924e-02,6100,6100,6100.0,6100,6100,6100,6100,6100,6100,6100,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,4,23,24,119,NULL,NULL,3,0,28700,28700,28700,28700,0.0702054794520548,6700,11200,9.56666666666666606032e+03,10800,10800,11200,11200,11200,11200,6700,2.49064917909635232711e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,20,23,24,120,NULL,NULL,1,0,12500,12500,4900,4900,1.19863013698630130332e-02,12500,12500,12500.0,12500,12500,12500,12500,12500,12500,12500,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,6,23,NULL,NULL,NULL,NULL,3,0,62600,62600,27200,27200,6.65362035225048886744e-02,13300,26700,2.08666666666666678802e+04,22600,22600,26500,26500,26500,26500,13300,6.86610030026749154803e+03,NULL,NULL);
INSERT INTO "_timers" VALUES(1,18,23,24,122,NULL,NULL,1,0,19500,19500,12800,12800,3.13111545988258299644e-02,19500,19500,19500.0,19500,19500,19500,19500,19500,19500,19500,0.0,NULL,NULL);
INSERT INTO "_timers" VALUES(1,21,23,24,123,NULL,NULL,1,0,30700,30700,4900,4900,1.19863013698630130332e-02,30700,30700,30700.0,30700,30700,30700,30700,30700,30700,30700,0.0,NULL,NULL);
CREATE TABLE captures(id INTEGER PRIMARY KEY, name TEXT, content TEXT, begin INTEGER);
INSERT INTO "captures" VALUES(1,'FIXTURES/tiny.utrace','1323453cd260cbad',NULL);
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "meta" VALUES('schema_version',5);
INSERT INTO "meta" VALUES('tool','tracekit 0.2.0');
INSERT INTO "meta" VALUES('unit','ns');
CREATE TABLE record_args(arg_set_id INTEGER, key_ref INTEGER, int_value INTEGER, string_value, real_value REAL, value_type TEXT);
CREATE TABLE run_info(capture_id INTEGER, key TEXT, value TEXT);
CREATE TABLE string(id INTEGER PRIMARY KEY, text);
INSERT INTO "string" VALUES(1,'ATinyActor::Tick');
INSERT INTO "string" VALUES(2,'UI');
INSERT INTO "string" VALUES(3,'Base Pass');
INSERT INTO "string" VALUES(4,'Scripts <VM>');
INSERT INTO "string" VALUES(5,'AI Update');
INSERT INTO "string" VALUES(6,'Timer/With/Slashes');
INSERT INTO "string" VALUES(7,'Garbage Collection');
INSERT INTO "string" VALUES(8,'PostProcess');
INSERT INTO "string" VALUES(9,'Network');
INSERT INTO "string" VALUES(10,'Cull');
INSERT INTO "string" VALUES(11,'Physics Step');
INSERT INTO "string" VALUES(12,'Lighting');
INSERT INTO "string" VALUES(13,'UWorld::Tick');
INSERT INTO "string" VALUES(14,'Input');
INSERT INTO "string" VALUES(15,'Audio');
INSERT INTO "string" VALUES(16,'FEngineLoop::Tick');
INSERT INTO "string" VALUES(17,'Streaming');
INSERT INTO "string" VALUES(18,'T');
INSERT INTO "string" VALUES(19,'Shadow Pass');
INSERT INTO "string" VALUES(20,'Timer "quoted"');
INSERT INTO "string" VALUES(21,'A very long timer name that goes on and on in order to exercise the name columns of any table that shows it');
INSERT INTO "string" VALUES(22,'Animation Eval');
INSERT INTO "string" VALUES(23,'spec');
INSERT INTO "string" VALUES(24,'Source/Tiny/Tiny.cpp');
INSERT INTO "string" VALUES(25,'GameThread');
INSERT INTO "string" VALUES(26,'game');
INSERT INTO "string" VALUES(27,'TinyRender');
INSERT INTO "string" VALUES(28,'other');
INSERT INTO "string" VALUES(29,'TinyGroup');
INSERT INTO "string" VALUES(30,'TinyRHI');
INSERT INTO "string" VALUES(31,'TinyWorker');
INSERT INTO "string" VALUES(32,'worker');
INSERT INTO "string" VALUES(33,'Trace');
CREATE VIEW "scopes" AS SELECT capture_id,t."thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."timer_ref") AS "timer",t."start" AS "start",t."dur" AS "dur",t."depth" AS "depth",t."scope_id" AS "scope_id",t."parent_id" AS "parent_id",(SELECT (SELECT text FROM string WHERE id=h."thread_ref") FROM _threads h WHERE h.capture_id=t.capture_id AND h.thread_id=t.thread_id) AS "thread",(SELECT (SELECT text FROM string WHERE id=h."role_ref") FROM _threads h WHERE h.capture_id=t.capture_id AND h.thread_id=t.thread_id) AS "role",(SELECT h."process_id" FROM _threads h WHERE h.capture_id=t.capture_id AND h.thread_id=t.thread_id) AS "process_id",(SELECT (SELECT text FROM string WHERE id=h."process_ref") FROM _threads h WHERE h.capture_id=t.capture_id AND h.thread_id=t.thread_id) AS "process",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."start" AS wall_clock FROM "_scopes" t;
CREATE VIEW "timers" AS SELECT capture_id,(SELECT text FROM string WHERE id=t."timer_ref") AS "timer",(SELECT text FROM string WHERE id=t."kind_ref") AS "kind",(SELECT text FROM string WHERE id=t."file_ref") AS "file",t."line" AS "line",t."sources" AS "sources",(SELECT text FROM string WHERE id=t."places_ref") AS "places",t."count" AS "count",t."open" AS "open",t."incl" AS "incl",t."total" AS "total",t."excl" AS "excl",t."working" AS "working",t."share" AS "share",t."min" AS "min",t."max" AS "max",t."mean" AS "mean",t."median" AS "median",t."p50" AS "p50",t."p90" AS "p90",t."p95" AS "p95",t."p99" AS "p99",t."p999" AS "p999",t."mode" AS "mode",t."stddev" AS "stddev",t."frame_mean" AS "frame_mean",t."frame_p95" AS "frame_p95",(SELECT name FROM captures WHERE id=t.capture_id) AS capture FROM "_timers" t;
CREATE VIEW "threads" AS SELECT capture_id,t."thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."thread_ref") AS "thread",(SELECT text FROM string WHERE id=t."role_ref") AS "role",t."process_id" AS "process_id",(SELECT text FROM string WHERE id=t."process_ref") AS "process",(SELECT text FROM string WHERE id=t."group_ref") AS "group",t."system_id" AS "system_id",t."sort_hint" AS "sort_hint",t."named" AS "named",t."packets" AS "packets",t."bytes" AS "bytes",t."events" AS "events",t."scopes" AS "scopes",t."open" AS "open",t."max_depth" AS "max_depth",t."unmatched" AS "unmatched",t."busy" AS "busy",t."working" AS "working",t."waiting" AS "waiting",(SELECT name FROM captures WHERE id=t.capture_id) AS capture FROM "_threads" t;
CREATE VIEW "frames" AS SELECT capture_id,t."type_id" AS "type_id",t."frame" AS "frame",t."start" AS "start",t."end" AS "end",t."dur" AS "dur",(SELECT text FROM string WHERE id=t."type_ref") AS "type",t."lost" AS "lost",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."start" AS wall_clock FROM "_frames" t;
CREATE VIEW "gpu_scopes" AS SELECT capture_id,t."queue_id" AS "queue_id",(SELECT text FROM string WHERE id=t."queue_ref") AS "queue",(SELECT text FROM string WHERE id=t."timer_ref") AS "timer",t."start" AS "start",t."dur" AS "dur",t."depth" AS "depth",t."scope_id" AS "scope_id",t."parent_id" AS "parent_id",(SELECT text FROM string WHERE id=t."kind_ref") AS "kind",(SELECT text FROM string WHERE id=t."file_ref") AS "file",t."line" AS "line",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."start" AS wall_clock FROM "_gpu_scopes" t;
CREATE VIEW "switch_rows" AS SELECT capture_id,t."start" AS "start",t."end" AS "end",t."dur" AS "dur",t."system_id" AS "system_id",t."thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."thread_ref") AS "thread",(SELECT text FROM string WHERE id=t."role_ref") AS "role",t."process_id" AS "process_id",(SELECT text FROM string WHERE id=t."process_ref") AS "process",t."core" AS "core",(SELECT text FROM string WHERE id=t."end_state_ref") AS "end_state",t."wake" AS "wake",t."waker_core" AS "waker_core",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."start" AS wall_clock FROM "_switch_rows" t;
CREATE VIEW "counter_values" AS SELECT capture_id,t."time" AS "time",t."counter_id" AS "counter_id",(SELECT text FROM string WHERE id=t."counter_ref") AS "counter",(SELECT text FROM string WHERE id=t."group_ref") AS "group",t."value" AS "value",(SELECT text FROM string WHERE id=t."unit_ref") AS "unit",t."frame" AS "frame",t."thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."thread_ref") AS "thread",(SELECT text FROM string WHERE id=t."role_ref") AS "role",t."process_id" AS "process_id",(SELECT text FROM string WHERE id=t."process_ref") AS "process",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."time" AS wall_clock FROM "_counter_values" t;
CREATE VIEW "task_rows" AS SELECT capture_id,t."task_id" AS "task_id",(SELECT text FROM string WHERE id=t."task_ref") AS "task",t."thread_id" AS "thread_id",(SELECT text FROM string WHERE id=t."thread_ref") AS "thread",(SELECT text FROM string WHERE id=t."role_ref") AS "role",t."process_id" AS "process_id",(SELECT text FROM string WHERE id=t."process_ref") AS "process",t."tracked" AS "tracked",t."created" AS "created",t."launched" AS "launched",t."scheduled" AS "scheduled",t."started" AS "started",t."finished" AS "finished",t."completed" AS "completed",t."destroyed" AS "destroyed",t."schedule_wait" AS "schedule_wait",t."start_wait" AS "start_wait",t."run" AS "run",t."launcher_id" AS "launcher_id",t."target" AS "target",t."bytes" AS "bytes",t."synthesized" AS "synthesized",t."prerequisites" AS "prerequisites",t."subsequents" AS "subsequents",t."nested" AS "nested",t."chain" AS "chain",t."chain_length" AS "chain_length",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."started" AS wall_clock FROM "_task_rows" t;
CREATE VIEW "gpu_fences" AS SELECT capture_id,t."queue_id" AS "queue_id",(SELECT text FROM string WHERE id=t."queue_ref") AS "queue",t."time" AS "time",t."value" AS "value",t."other_id" AS "other_id",(SELECT text FROM string WHERE id=t."other_ref") AS "other",t."signal_time" AS "signal_time",t."signal_value" AS "signal_value",(SELECT name FROM captures WHERE id=t.capture_id) AS capture,(SELECT begin FROM captures WHERE id=t.capture_id)+t."time" AS wall_clock FROM "_gpu_fences" t;
CREATE VIEW _thread AS
  SELECT (t.capture_id - 1) << 32 | t.thread_id AS utid, t.thread_id AS tid, t.thread AS name,
         coalesce(t.capture_id << 32 | t.process_id, t.capture_id) AS upid, coalesce(t.process_id, 1) AS pid,
         CASE WHEN t.process_id IS NULL THEN c.name ELSE t.process END AS process_name, t.capture_id AS capture_id
    FROM threads t LEFT JOIN captures c ON c.id = t.capture_id;
CREATE VIEW _any_thread AS
  SELECT utid, tid, name, upid, pid, process_name, capture_id FROM _thread
  UNION ALL
  SELECT (s.capture_id - 1) << 32 | s.system_id % 2147483648 + 2147483648, s.system_id, n.text,
         coalesce(s.capture_id << 32 | s.process_id, s.capture_id), coalesce(s.process_id, 1),
         CASE WHEN s.process_id IS NULL THEN c.name ELSE p.text END, s.capture_id
    FROM _switches s LEFT JOIN captures c ON c.id = s.capture_id LEFT JOIN string n ON n.id = s.thread_ref
         LEFT JOIN string p ON p.id = s.process_ref WHERE s.thread_id IS NULL;
CREATE VIEW process AS
  SELECT upid, pid, max(process_name) AS name, NULL AS start_ts, NULL AS end_ts, NULL AS cmdline, capture_id
    FROM _any_thread GROUP BY capture_id, upid, pid
  UNION ALL
  SELECT id, 1, name, NULL, NULL, NULL, id FROM captures WHERE id NOT IN (SELECT capture_id FROM threads);
CREATE VIEW thread AS
  SELECT utid, tid, name, NULL AS start_ts, NULL AS end_ts, upid, NULL AS is_main_thread, capture_id FROM _any_thread;
CREATE VIEW thread_track AS
  SELECT utid AS id, name, 'thread_track' AS type, NULL AS parent_id, utid, capture_id FROM _thread;
CREATE VIEW gpu_track AS
  SELECT DISTINCT ((CASE WHEN k.text = 'gpu' THEN 3 ELSE 4 END) << 56) | ((g.capture_id - 1) << 32) | g.queue_id AS id,
         q.text AS name, 'gpu_track' AS type, NULL AS parent_id, g.capture_id AS capture_id
    FROM _gpu_scopes g LEFT JOIN string k ON k.id = g.kind_ref LEFT JOIN string q ON q.id = g.queue_ref;
CREATE VIEW _thread_slice AS
  SELECT (s.capture_id - 1) << 56 | s.scope_id AS id, s.start AS ts, coalesce(s.dur, -1) AS dur,
         (s.capture_id - 1) << 32 | s.thread_id AS track_id, NULL AS category, n.text AS name, s.depth AS depth,
         (s.capture_id - 1) << 56 | s.parent_id AS parent_id, (s.capture_id - 1) << 32 | s.timer_ref AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur,
         s.scope_id AS scope_id, s.parent_id AS parent, s.capture_id AS capture_id
    FROM _scopes s LEFT JOIN string n ON n.id = s.timer_ref;
CREATE VIEW _queue_slice AS
  SELECT ~((g.capture_id - 1) << 56 | g.scope_id) AS id, g.start AS ts, coalesce(g.dur, -1) AS dur,
         ((CASE WHEN k.text = 'gpu' THEN 3 ELSE 4 END) << 56) | ((g.capture_id - 1) << 32) | g.queue_id AS track_id, 'gpu' AS category, n.text AS name, g.depth AS depth,
         ~((g.capture_id - 1) << 56 | g.parent_id) AS parent_id, (g.capture_id - 1) << 32 | g.timer_ref AS arg_set_id, NULL AS thread_ts, NULL AS thread_dur,
         g.scope_id AS scope_id, g.parent_id AS parent, g.capture_id AS capture_id
    FROM _gpu_scopes g LEFT JOIN string n ON n.id = g.timer_ref LEFT JOIN string k ON k.id = g.kind_ref;
CREATE VIEW slice AS
  SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, capture_id FROM _thread_slice
  UNION ALL SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, capture_id FROM _queue_slice;
CREATE VIEW thread_slice AS
  SELECT slice.id AS id, ts, dur, track_id, category, slice.name AS name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
         thread.utid AS utid, thread.tid AS tid, thread.name AS thread_name, thread.upid AS upid, thread.pid AS pid,
         thread.process_name AS process_name, slice.capture_id AS capture_id
    FROM slice LEFT JOIN _thread thread ON thread.utid = slice.track_id WHERE slice.track_id < 1 << 56;
CREATE VIEW gpu_slice AS SELECT * FROM slice WHERE track_id >= 3 << 56;
CREATE VIEW sched_slice AS
  SELECT s.rowid AS id, s.start AS ts, coalesce(s.dur, -1) AS dur, s.core AS cpu,
         (s.capture_id - 1) << 32 | coalesce(s.thread_id, s.system_id % 2147483648 + 2147483648) AS utid,
         e.text AS end_state, NULL AS priority, s.core AS ucpu, s.capture_id AS capture_id
    FROM _switch_rows s LEFT JOIN string e ON e.id = s.end_state_ref;
CREATE VIEW sched AS SELECT * FROM sched_slice;
CREATE VIEW _off_core AS
  SELECT id, ts, next, CASE WHEN wake > ts AND wake < next THEN wake END AS wake, utid, state, capture_id
    FROM (SELECT s.rowid AS id, s."end" AS ts, lead(s.start) OVER own AS next, lead(s.wake) OVER own AS wake,
                 (s.capture_id - 1) << 32 | coalesce(s.thread_id, s.system_id % 2147483648 + 2147483648) AS utid, e.text AS state, s.capture_id AS capture_id
            FROM _switch_rows s LEFT JOIN string e ON e.id = s.end_state_ref
          WINDOW own AS (PARTITION BY s.capture_id, s.system_id ORDER BY s.start, s.rowid)) WHERE next > ts;
CREATE VIEW thread_state AS
  SELECT id, ts, dur, cpu, utid, 'Running' AS state, NULL AS io_wait, NULL AS blocked_function, NULL AS waker_utid, NULL AS waker_id,
         ucpu, capture_id FROM sched_slice
  UNION ALL
  SELECT ~id, ts, coalesce(wake, next) - ts, NULL, utid, state, NULL, NULL, NULL, NULL, NULL, capture_id FROM _off_core
  UNION ALL
  SELECT ~(id | (1 << 56)), wake, next - wake, NULL, utid, 'R', NULL, NULL, NULL, NULL, NULL, capture_id FROM _off_core
   WHERE wake IS NOT NULL;
CREATE VIEW counter_track AS
  SELECT DISTINCT (1 << 56) | ((v.capture_id - 1) << 32) | v.counter_ref AS id, n.text AS name, 'counter_track' AS type,
         NULL AS parent_id, NULL AS unit, v.capture_id AS capture_id FROM _counter_values v LEFT JOIN string n ON n.id = v.counter_ref;
CREATE VIEW counter AS
  SELECT rowid AS id, time AS ts, (1 << 56) | ((capture_id - 1) << 32) | counter_ref AS track_id, value, capture_id FROM _counter_values;
CREATE VIEW process_track AS
  SELECT 2 << 56 | upid AS id, name, 'process_track' AS type, NULL AS parent_id, upid, capture_id FROM process;
CREATE VIEW track AS
  SELECT id, name, type, parent_id, capture_id FROM thread_track UNION ALL SELECT id, name, type, parent_id, capture_id FROM counter_track
  UNION ALL SELECT id, name, type, parent_id, capture_id FROM process_track UNION ALL SELECT id, name, type, parent_id, capture_id FROM gpu_track;
CREATE VIEW instant AS SELECT * FROM slice WHERE dur = 0;
CREATE VIEW args AS
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
CREATE VIEW flow AS
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
CREATE VIEW top_timers AS
  SELECT capture_id, timer, count, total, excl, max FROM timers ORDER BY excl DESC;
CREATE VIEW longest_frames AS
  SELECT capture_id, frame, start, dur FROM frames WHERE type = 'game'
   ORDER BY dur DESC;
CREATE VIEW per_frame AS -- frames and scopes in one order of time: each scope is in the last frame before it
  WITH placed AS (
    SELECT capture_id, scope, timer_ref, dur, t, max(frame) OVER before AS frame, max(frame_end) OVER before AS frame_end
      FROM (SELECT capture_id, 0 AS scope, start AS t, frame, "end" AS frame_end, NULL AS timer_ref, NULL AS dur
              FROM frames WHERE type = 'game'
            UNION ALL SELECT capture_id, 1, start, NULL, NULL, timer_ref, dur FROM _scopes)
    WINDOW before AS (PARTITION BY capture_id ORDER BY t, scope ROWS UNBOUNDED PRECEDING))
  SELECT p.capture_id, p.frame, n.text AS timer, count(*) AS count, sum(p.dur) AS total
    FROM placed p LEFT JOIN string n ON n.id = p.timer_ref WHERE p.scope AND p.t < p.frame_end GROUP BY 1, 2, p.timer_ref;
COMMIT;
