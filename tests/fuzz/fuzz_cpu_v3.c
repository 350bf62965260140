/*
 * CPU batches of form V3. See cpu_batches.h.
 */
#define FORM 3

#include "cpu_batches.h"
