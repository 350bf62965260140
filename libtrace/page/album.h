/*
 * Album: the recorded pictures that a page has, the nearest ones to times that matter. Pictures are rows of
 * the tables `frame_images` and `screenshots`, which are read twice: to note when there is one, and to take
 * those that were chosen, made small.
 */
#ifndef TK_PAGE_ALBUM_H
#define TK_PAGE_ALBUM_H

#include "base/vec.h"
#include "page/markup.h"
#include "table/sink.h"

#include <stdint.h>

/* Of a page: pictures, and bytes of them as they stand there. */
enum { TK_ALBUM_PICTURES = 24, TK_ALBUM_BYTES = 1500000 };

/* What a page has left of both. */
struct tk_album_limit {
    size_t pictures, bytes;
};
#define TK_ALBUM_LIMIT ((struct tk_album_limit){TK_ALBUM_PICTURES, TK_ALBUM_BYTES})

struct tk_album_note {
    int64_t time; /* nanoseconds: when it was taken, or the begin of the frame that it shows */
    uint64_t id;
};

struct tk_album_picture {
    struct tk_album_note of;
    size_t rank;            /* in the order of the times that were wanted */
    const char *kind;       /* "png" or "jpg"; NULL: it was not read, or it is none */
    uint32_t width, height; /* of the picture as it was recorded; 0: not known */
    char *file;             /* owned */
    size_t bytes;
};

/* Zero-initialise to begin. */
struct tk_album {
    TK_VEC(struct tk_album_note) known;       /* all pictures of the capture, as they come */
    TK_VEC(struct tk_album_picture) pictures; /* those of the page, by time */
    size_t omitted; /* that were chosen, and are no pictures or too large for the page */
    size_t share;   /* bytes as they stand in the page, of each */
};

void tk_album_release(struct tk_album *album);

/* The tables of pictures, by number; NULL behind the last one. Static. */
const char *tk_album_table(size_t i);

/* Notes a row of such a table. TK_OK or TK_ENOMEM. */
int tk_album_note_row(struct tk_album *album, const struct tk_table *table, const struct tk_cell *row);

/* A time that a picture is wanted for: a frame, or a moment of no length. */
struct tk_album_want {
    int64_t begin, length;
};

/* Chooses the nearest picture to each of n times, the most important first, as far as the limit goes. TK_OK
 * or TK_ENOMEM. */
int tk_album_choose(struct tk_album *album, const struct tk_album_want *wanted, size_t n,
                    const struct tk_album_limit *limit);

/* Takes the pictures that were chosen from rows with times in nanoseconds. */
struct tk_sink tk_album_sink(struct tk_album *album);

/* After that: leaves out what is too much, the least important first, and takes from the limit what stays. */
void tk_album_end(struct tk_album *album, struct tk_album_limit *limit);

/* The picture that is nearest; album->pictures.n: there is none. */
size_t tk_album_nearest(const struct tk_album *album, const struct tk_album_want *to);

/* Puts a picture as an element `img`; `alt` says what it shows, without a text of the capture. */
void tk_album_put(const struct tk_album_picture *picture, const char *alt, struct tk_html h);

/* Puts "in this frame", "12.30 ms before this frame" or "... after this frame". */
void tk_album_put_distance(const struct tk_album_picture *picture, const struct tk_album_want *frame,
                           struct tk_html h);

#endif
