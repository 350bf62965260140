-- game frames that are late against those around them, and what made them so
SELECT frame, start, dur, expected, excess, explained, rank, timer, thread, excl, typical, growth, cause, class FROM hitches ORDER BY dur DESC, frame, rank;
