/*
 * CPU batches of form V2.
 */
#define FORM 2

#include "cpu_batches.h"
