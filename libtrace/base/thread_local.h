/*
 * Variables of which each thread has its own.
 */
#ifndef TK_BASE_THREAD_LOCAL_H
#define TK_BASE_THREAD_LOCAL_H

#if defined(_MSC_VER) && !defined(__clang__)
#define TK_THREAD_LOCAL __declspec(thread)
#else
#define TK_THREAD_LOCAL _Thread_local
#endif

#endif
