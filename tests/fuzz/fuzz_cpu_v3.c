/*
 * CPU batches of form V3.
 */
#define FORM 3

#include "cpu_batches.h"
