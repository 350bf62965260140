/*
 * Pages of bits for serial numbers. See serial_set.h.
 */
#include "edit/utrace/serial_set.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS  16
#define PAGE_WORDS TK_EDIT_SERIAL_WORDS
#define MOST_PAGES (UINT64_C(1) << 20)

static unsigned count_bits(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Makes the list of pages reach one. False where it is too far from the others, or out of memory (*failed).
 */
static bool reach(struct tk_edit_serials *s, uint64_t page, bool *failed)
{
    if (s->n_pages && page >= s->first_page && page < s->first_page + s->n_pages)
        return true;
    uint64_t first = s->n_pages && s->first_page < page ? s->first_page : page;
    uint64_t end =
        s->n_pages && s->first_page + s->n_pages > page + 1 ? s->first_page + s->n_pages : page + 1;
    if (end - first > MOST_PAGES)
        return false;
    uint64_t n = end - first, spare = n / 2 + 8;
    /* room at the side on which it grew */
    if (s->n_pages && first < s->first_page)
        first -= first < spare ? first : spare;
    else
        end += spare;
    n = end - first;
    struct tk_edit_serial_page **pages = calloc((size_t)n, sizeof *pages);
    if (!pages) {
        *failed = true;
        return false;
    }
    if (s->n_pages)
        memcpy(pages + (s->first_page - first), s->pages, (size_t)s->n_pages * sizeof *pages);
    free(s->pages);
    s->pages = pages;
    s->first_page = first;
    s->n_pages = n;
    return true;
}

/* The word and bit of a number, whose page is made where it is not there. */
static uint64_t *word_of(struct tk_edit_serials *s, uint64_t number, bool *failed)
{
    uint64_t page = number >> PAGE_BITS;
    if (!reach(s, page, failed))
        return NULL;
    struct tk_edit_serial_page **p = &s->pages[page - s->first_page];
    if (!*p && !(*p = calloc(PAGE_WORDS, sizeof **p))) {
        *failed = true;
        return NULL;
    }
    return &(*p)->bits[number >> 6 & (PAGE_WORDS - 1)];
}

static bool put(struct tk_edit_serials *s, uint64_t number, bool *failed)
{
    uint64_t *word = word_of(s, number, failed), bit = UINT64_C(1) << (number & 63);
    if (!word || *word & bit)
        return false;
    *word |= bit;
    if (!s->highest || number < s->lowest)
        s->lowest = number;
    if (number > s->highest)
        s->highest = number;
    return true;
}

uint64_t tk_edit_serials_add(struct tk_edit_serials *s, uint64_t number)
{
    bool failed = false;
    const uint64_t event = s->events++;
    if (put(s, number, &failed))
        return number;
    /* behind all others: whoever numbered it did it wrong, so that its place is not known */
    const struct tk_edit_odd_serial odd = {event, s->highest + 1};
    if (failed || !put(s, odd.number, &failed) || tk_vec_push(&s->odd, odd))
        return 0;
    return odd.number;
}

/* The first number from `lowest` on that is not there. */
static uint64_t first_hole(const struct tk_edit_serials *s)
{
    uint64_t number = s->lowest;
    for (; number <= s->highest; number++) {
        const struct tk_edit_serial_page *page = s->pages[(number >> PAGE_BITS) - s->first_page];
        if (!page || !(page->bits[number >> 6 & (PAGE_WORDS - 1)] >> (number & 63) & 1))
            break;
    }
    return number;
}

void tk_edit_serials_close(struct tk_edit_serials *s, bool renumbered, uint64_t base, uint64_t mask)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < s->n_pages; i++) {
        struct tk_edit_serial_page *page = s->pages[i];
        if (!page)
            continue;
        page->before = total;
        for (size_t k = 0; k < PAGE_WORDS; k++) {
            page->in_page[k] = (uint16_t)(total - page->before);
            total += count_bits(page->bits[k]);
        }
    }
    s->events = 0;
    s->next_odd = 0;
    s->base = base;
    s->shifted = !renumbered || !s->n_pages    ? UINT64_MAX
                 : ((base ^ s->lowest) & mask) ? s->lowest
                                               : first_hole(s);
    /* odd ones have another number in the file even where there are no holes */
    if (renumbered && s->odd.n && s->odd.v[0].number < s->shifted)
        s->shifted = s->odd.v[0].number;
}

uint64_t tk_edit_serials_find(struct tk_edit_serials *s, uint64_t number)
{
    const uint64_t event = s->events++;
    if (s->next_odd < s->odd.n && s->odd.v[s->next_odd].event == event)
        return s->odd.v[s->next_odd++].number;
    return number;
}

uint64_t tk_edit_serials_new(const struct tk_edit_serials *s, uint64_t number)
{
    const uint64_t at = (number >> PAGE_BITS) - s->first_page;
    const struct tk_edit_serial_page *page = at < s->n_pages ? s->pages[at] : NULL;
    const size_t word = number >> 6 & (PAGE_WORDS - 1);
    if (!page)
        return number;
    const uint64_t below = page->bits[word] & ((UINT64_C(1) << (number & 63)) - 1);
    return s->base + page->before + page->in_page[word] + count_bits(below);
}

void tk_edit_serials_release(struct tk_edit_serials *s)
{
    for (uint64_t i = 0; i < s->n_pages; i++)
        free(s->pages[i]);
    free(s->pages);
    tk_vec_release(&s->odd);
    *s = (struct tk_edit_serials){0};
}
