/*
 * Keys of asynchronous work (import 3.6): what begins and ends with one key belongs together.
 */
#ifndef TK_FORMAT_CHROME_JSON_ASYNC_KEY_H
#define TK_FORMAT_CHROME_JSON_ASYNC_KEY_H

#include "format/chrome_json/meaning.h"

/* The key of an event; old: of phases S, T, p, F. *without: it has no id. 0, or -1 if out of memory. */
int tk_cj_async_key(struct tk_cj_meaning *m, const struct tk_cj_event *e, bool old, struct tk_ev_key *key,
                    bool *without);

/* The member `loc` of arguments. */
struct tk_jscan_value tk_cj_first_loc(const struct tk_jscan_value *args);

#endif
