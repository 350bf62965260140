/*
 * Places of the numbers of an answer section, for its reader and its writer. All are little-endian; parts
 * begin at multiples of eight bytes.
 */
#ifndef TK_SYMBOLS_STORE_ANSWER_LAYOUT_H
#define TK_SYMBOLS_STORE_ANSWER_LAYOUT_H

#define TK_ANSWERS_MAGIC   UINT32_C(0x59534b54) /* TKSY */
#define TK_ANSWERS_VERSION UINT32_C(1)

enum {
    TK_AT_MAGIC = 0,
    TK_AT_VERSION = 4,
    TK_AT_CHECKSUM = 8, /* of all behind it */
    TK_AT_SIZE = 16,    /* of the section */
    TK_AT_READER = 24,
    TK_AT_STATE = 28,
    TK_AT_DEPTH = 29,
    TK_AT_KIND = 30,
    TK_AT_N_ID = 31,
    TK_AT_ID = 32,
    TK_AT_MODULE_SIZE = 96,
    TK_AT_EXTENT = 104,
    TK_AT_FILE_SIZE = 112,
    TK_AT_MODIFIED = 120,
    TK_AT_N_NAME = 128,
    TK_AT_N_PATH = 132,
    TK_AT_N_HOW = 136,
    TK_AT_N_TEXTS = 140,
    TK_AT_N_NODES = 144,
    TK_AT_N_ADDRESSES = 148,
    TK_AT_TEXT_BYTES = 152,
    TK_ANSWERS_HEAD = 160,
    TK_ANSWERS_NODE = 16, /* function, file, line, and the node of its caller; texts and nodes from 1 */
    TK_ANSWERS_MOST_FRAMES = 1024,
    TK_ANSWERS_MOST_PATH = 4096,
};

#endif
