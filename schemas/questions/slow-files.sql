-- files by the time of their reads
SELECT path, reads, bytes_read, read_time, duration(p95) AS p95, failed FROM files ORDER BY read_time DESC LIMIT 20;
