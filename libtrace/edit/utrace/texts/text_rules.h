/*
 * What the fields of a type of event hold: which texts, of which class of information.
 * The table by which the texts of a .utrace are found; fields that nobody thought of are names.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_TEXT_RULES_H
#define TK_EDIT_UTRACE_TEXTS_TEXT_RULES_H

#include "edit/anonymise/pieces.h"
#include "edit/utrace/texts/field_texts.h"
#include "format/utrace/schema/schema.h"

/* Of a class that is never chosen: it stays as it is, and is not searched. */
#define TK_EDIT_STAYS TK_ANON_CLASSES

struct tk_edit_text_rule {
    enum tk_edit_holds holds;
    uint8_t width; /* of a character of TK_EDIT_HOLDS_TEXT */
    enum tk_anon_class class;
    enum tk_anon_form form;
};

struct tk_edit_text_rule tk_edit_text_rule_of(const struct tk_ut_type *type, const struct tk_ut_field *field);

#endif
