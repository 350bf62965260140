-- who allocates most: memory tags by bytes allocated, and what of it is still alive
SELECT name, path, allocs, alloc_bytes, alive_bytes, peak_bytes, short_lived FROM memory WHERE grouped_by = 'tag'
 ORDER BY alloc_bytes DESC LIMIT 20;
