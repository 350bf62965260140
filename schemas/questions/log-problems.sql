-- errors and warnings of the log, by category, with the first of each
SELECT category, verbosity, count(*) AS messages, min(time) AS first, text FROM logs
 WHERE verbosity IN ('Fatal', 'Error', 'Warning') GROUP BY category, verbosity ORDER BY count(*) DESC;
