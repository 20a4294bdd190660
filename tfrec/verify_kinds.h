/*
 * tfrec/verify_kinds.h - does every feature have the same kind of list in all records?
 *
 * Records are seen in pieces, on any thread; the pieces are settled in order.  The kind of the
 * first record that has the feature is the right one, unless a schema says otherwise.
 */
#ifndef REC_VERIFY_KINDS_H
#define REC_VERIFY_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tfrec/findings.h"
#include "tfrec/schema.h"
#include "tfrecord/example.h"

struct t2_map;

struct rec_kind_place {
    uint64_t record, offset;
};
struct rec_kind_use {
    uint64_t count;
    struct rec_kind_place *places; /* the first `n` of them */
    size_t n, capacity;
};
struct rec_kind_entry {
    char *name; /* name_bytes bytes and a NUL */
    size_t name_bytes;
    struct rec_kind_use of[TFR_INT64 + 1];
};

/* What the records of one piece have.  Zero-initialise, release. */
struct rec_kinds {
    struct rec_kind_entry *entries;
    size_t n, capacity;
    struct t2_map *by_name;
    size_t expected; /* where the next view's entry most likely is */
    bool too_many;   /* more than REC_MAX_FEATURES names: the others are not looked at */
};
/* limit: places kept of each kind. */
void rec_kinds_see(struct rec_kinds *k, const struct tfr_example *ex, uint64_t record,
                   uint64_t offset, size_t limit);
void rec_kinds_release(struct rec_kinds *k);

/* What is known of all pieces before. */
struct rec_known_kinds;
struct rec_known_kinds *rec_known_new(const struct rec_schema *schema); /* NULL: none */
void rec_known_free(struct rec_known_kinds *known);
/* Takes in a piece of one file, adds what disagrees to found, empties k. */
void rec_kinds_settle(struct rec_known_kinds *known, struct rec_kinds *k, size_t file,
                      struct rec_findings *found);
bool rec_known_too_many(const struct rec_known_kinds *known);

#endif
