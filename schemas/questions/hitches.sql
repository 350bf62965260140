-- game frames of more than twice the median, and the timers that made them so
SELECT frame, start, dur, rank, timer, thread, excl, typical, growth, cause FROM hitches ORDER BY dur DESC, frame, rank;
