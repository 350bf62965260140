/*
 * What queries the process to stop.
 */
#ifndef TK_OS_SIGNALS_H
#define TK_OS_SIGNALS_H

/* From now on writing to a closed pipe is an error like any other, not the end of the process. */
void tk_os_keep_pipes(void);

/* From now on what requests to stop is noted, the first time; tk_os_stopped() is then which, and 0 before.
 * What was to be ignored stays so. */
void tk_os_note_stop(void);
int tk_os_stopped(void);

/* As tk_os_note_stop, but the second time is noted, too: only a third one ends the process. Whoever calls it
 * looks at tk_os_stops, which is how often it was requested. */
void tk_os_note_stops(void);
unsigned tk_os_stops(void);

/* Ends the process as what requested it to stop would have. */
void tk_os_stop(int stopped);

#endif
