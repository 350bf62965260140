/*
 * What is said of a run that its capture does not hold: build, machine, time, ... The list of keys is here.
 * It is read from words of a command line or from a JSON file, kept with the run (section INFO of
 * baseline_file.h), and answered from what the capture states where nothing was said.
 */
#ifndef TK_COMPARE_BASELINE_RUN_INFO_H
#define TK_COMPARE_BASELINE_RUN_INFO_H

#include "compare/baseline/baseline.h"
#include "tracekit/runs.h"

/* Bytes of a key and of a value at most, and how many there may be of a run. */
#define TK_RUN_INFO_KEY   64u
#define TK_RUN_INFO_VALUE 4096u
#define TK_RUN_INFO_MOST  256u

/* The keys that are known, by number; NULL behind the last one. Static. Others may be said all the same. */
const struct tk_run_key *tk_base_run_key(size_t i);

/* Takes "KEY=VALUE". A key is a lower-case word (letters, digits, _ - .); the value is valid UTF-8 without
 * control characters; a time is brought into one form. A key that is there gets the new value. TK_OK;
 * TK_EUSAGE; TK_ENOMEM. */
int tk_run_info_word(struct tk_run_info *info, const char *word, struct tk_err *err);

/* Is a word "KEY=VALUE", by its begin? Else it names a file. */
bool tk_run_info_is_word(const char *word);

/* Takes the text of a JSON file: one object of keys with texts, numbers or booleans. The same. */
int tk_run_info_parse(struct tk_run_info *info, const char *text, size_t n, struct tk_err *err);

void tk_run_info_release(struct tk_run_info *info);

/* Says it of a run: what was said before of the same key is replaced. TK_OK or TK_ENOMEM. */
int tk_base_run_say(struct tk_base_run *run, const struct tk_run_info *info, struct tk_err *err);

/* Says one thing of a run that is not checked: texts of captures. 0, or -1 if out of memory. */
int tk_base_run_note(struct tk_base_run *run, const char *key, const char *value, size_t n, uint8_t enc);

/* What is known of a run by a key of the list: what was said, else what the capture states, else what was
 * said of its host (key "host.KEY"). NULL: nothing. The text is the run's, or static. */
const struct tk_str *tk_base_run_about(const struct tk_base_run *run, const char *key);

#define TK_MACHINE_TEXT 512

/* The kind of machine that a run was made on, "EPYC 7763, 16 cores, 64 GB, Linux"; empty: not known. */
void tk_base_run_machine(char text[TK_MACHINE_TEXT], const struct tk_base_run *run);

/* Is the machine known by its parts, or by a name that was given? */
bool tk_base_run_knows_machine(const struct tk_base_run *run);

enum tk_machine_match {
    TK_MACHINE_SAME,
    TK_MACHINE_BY_NAME, /* one says no more than a name, which is that of the other's host */
    TK_MACHINE_UNKNOWN, /* too little is known */
    TK_MACHINE_OTHER
};

/* Are two runs of one kind of machine? Names that were given for both decide, else the parts that both know:
 * processor, cores, class of memory, graphics processor, driver, system. */
enum tk_machine_match tk_base_run_machines(const struct tk_base_run *a, const struct tk_base_run *b);

/* What the times of a run are divided by. */
enum tk_run_unit {
    TK_RUN_UNIT_FRAME,
    TK_RUN_UNIT_RUN,       /* the recording had no frames, and is taken for one */
    TK_RUN_UNIT_OCCURRENCE /* of what tk_base_run_per says */
};
enum tk_run_unit tk_base_run_unit(const struct tk_base_run *run);

/* "ms/frame", "ms/run", "ms/occurrence". Static. */
const char *tk_run_unit_time(enum tk_run_unit unit);

/* What the unit is each occurrence of: a timer or region as it was requested. p NULL: of nothing. */
struct tk_str tk_base_run_per(const struct tk_base_run *run);

/* Notes that. 0, or -1 if out of memory. */
int tk_base_run_note_per(struct tk_base_run *run, const char *per);

/* Had the recording no frames, so that the run as a whole is taken for one? */
bool tk_base_run_is_unit(const struct tk_base_run *run);

/* When the run was made, in seconds since 1970: false when it is not known. */
bool tk_base_run_when(const struct tk_base_run *run, int64_t *seconds);

#endif
