-- The tables of summaries/, a folder that `trace-stats CAPTURE --summary summaries` filled. Other folder: change it here.
CREATE OR REPLACE VIEW runs AS FROM read_parquet('summaries/runs/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW timers AS FROM read_parquet('summaries/timers/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW durations AS FROM read_parquet('summaries/durations/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW frames AS FROM read_parquet('summaries/frames/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW memory AS FROM read_parquet('summaries/memory/*/*.parquet', hive_partitioning = true, union_by_name = true);
