/*
 * CPU batches of form V1. See cpu_batches.h.
 */
#define FORM 1

#include "cpu_batches.h"
