/*
 * CPU batches of form V2. See cpu_batches.h.
 */
#define FORM 2

#include "cpu_batches.h"
