/*
 * What happens to recordings of Unreal programs, as lines of JSON. unreal_lines.c says it with --format
 * json. A file is named by its path, as lines about Tracy programs do.
 */
#ifndef TK_CMD_LIVE_SAY_UNREAL_JSON_H
#define TK_CMD_LIVE_SAY_UNREAL_JSON_H

#include "live/session.h"

void tk_unreal_json_began(const struct tk_session *s);
void tk_unreal_json_ended(const struct tk_session *s, const struct tk_live_figures *f);
void tk_unreal_json_refused(const char *why);

/* name may be "". */
void tk_unreal_json_channel(const struct tk_session *s, const char *name, uint32_t id, bool enabled);

/* A capture of the store that the rules for the disk took away. */
void tk_unreal_json_removed(const char *capture, uint64_t bytes, const char *why);

#endif
