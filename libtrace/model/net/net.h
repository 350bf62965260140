/*
 * Tables `net` (a row a connection and direction) and `net_values` (a row a number that the network code
 * counts).
 */
#ifndef TK_MODEL_NET_NET_H
#define TK_MODEL_NET_NET_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_net;
extern const struct tk_builder tk_builder_net_values;

#endif
