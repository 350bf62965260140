/*
 * CPU batches of form V1.
 */
#define FORM 1

#include "cpu_batches.h"
