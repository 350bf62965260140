-- Many small files become one a table, sorted so that a question about a timer reads little of it. Nightly.
COPY (SELECT * FROM runs ORDER BY date, run) TO 'compact/runs.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM timers ORDER BY timer, class, run) TO 'compact/timers.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM durations ORDER BY timer, class, run, dur) TO 'compact/durations.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM frames ORDER BY run, start) TO 'compact/frames.parquet' (FORMAT parquet, COMPRESSION zstd);
