/*
 * What captures lack for a question, and how it is recorded, in the sentences of the table `can`.
 */
#ifndef TK_MODEL_CAPTURE_CAN_H
#define TK_MODEL_CAPTURE_CAN_H

#include "fact/format.h"

/* What a capture that cannot answer a question of the table `can` is without, such as "allocations" for
 * "memory", or itself what only a part of one needs ("context switches"); *how: how the format records it, or
 * NULL where that is not known. NULL: there is no such question. Static. */
const char *tk_can_lacks(const struct tk_format *format, const char *what, const char **how);

#endif
