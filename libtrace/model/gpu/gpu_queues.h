/*
 * Table `gpu_queues`: what each queue of a GPU did; a row a queue.
 */
#ifndef TK_MODEL_GPU_GPU_QUEUES_H
#define TK_MODEL_GPU_GPU_QUEUES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_gpu_queues;

#endif
