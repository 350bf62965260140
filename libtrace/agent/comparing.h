/*
 * The tool that compares two captures or baselines.
 */
#ifndef TK_AGENT_COMPARING_H
#define TK_AGENT_COMPARING_H

#include "agent/tools.h"

/* Those of the arguments `baseline` and `candidate`. TK_OK or what failed. */
int tk_agent_compare(const struct tk_agent_work *w, struct tk_err *err);

#endif
