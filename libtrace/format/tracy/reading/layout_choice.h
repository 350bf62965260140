/*
 * How a capture is laid out whose version does not say so: the layouts of its minor version are tried. Called
 * when a capture is opened, before its front is read.
 */
#ifndef TK_FORMAT_TRACY_READING_LAYOUT_CHOICE_H
#define TK_FORMAT_TRACY_READING_LAYOUT_CHOICE_H

#include "format/tracy/walk/capture_state.h"

/*
 * Sets the layout of a capture whose container is open and whose version is known; notes where that is not
 * what the version says. A version that was not released is walked over, to its end, in each layout of its
 * minor version until one of them fits all of it; where none does, the one that went through the most
 * sections is taken. TK_OK, TK_ENOMEM, TK_EIO, TK_ECANCELED.
 */
int tk_tracy_choose_layout(struct tk_tracy_capture *c, struct tk_err *err);

#endif
