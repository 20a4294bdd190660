/*
 * tfrec/edit_choose.h - which records of a data set an edit is about: by number, by condition, or
 * because another set has them too.
 */
#ifndef REC_EDIT_CHOOSE_H
#define REC_EDIT_CHOOSE_H

#include "tfrec/edit_records.h"
#include "tfrec/where.h"

struct t2_map;

struct rec_numbers {
    uint64_t first, last; /* both included */
};

/* Zero-initialise; what is not set does not choose.  A record is chosen when any of them chooses
 * it. */
struct rec_choice {
    struct rec_where *where;
    struct rec_numbers *ranges; /* ascending, apart from each other */
    size_t n_ranges;
    struct t2_map *others; /* first half of the SHA-256 of records of other sets */
};
void rec_choice_release(struct rec_choice *c);

/* "3,7-9,5": T2_EUSAGE says what is no number.  n_records: of the set, for the message when a
 * number is too large. */
T2_MUST_CHECK enum t2_status rec_choice_parse_records(struct rec_choice *c, const char *text,
                                                      uint64_t n_records, struct t2_err *err);
/* All records of `in`, about 64 bytes each; T2_ENOMEM when they need more than max_memory. */
T2_MUST_CHECK enum t2_status rec_choice_add_others(struct rec_choice *c,
                                                   const struct tfr_inputs *in, uint64_t max_memory,
                                                   struct t2_pool *pool, struct t2_err *err);

/* ex may be NULL unless rec_choice_needs_example. */
bool rec_choice_has(const struct rec_choice *c, struct rec_where_scratch *scratch,
                    const struct tfr_example *ex, struct t2_slice record, uint64_t number);
bool rec_choice_needs_example(const struct rec_choice *c);

#endif
