-- passes of the GPU by exclusive time
SELECT queue, timer, count, excl, mean, max FROM gpu ORDER BY excl DESC LIMIT 20;
