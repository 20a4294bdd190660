/*
 * train/models/hparams_store.h - inside of struct mdl_hparams; for hparams*.c only.
 *
 * hparams.c holds the values, hparams_override.c the grammar of --hparams, hparams_sets.c builds a
 * registered set by name from the tables in hparams_basic.c, hparams_cnn.c, hparams_image.c,
 * hparams_image_2d.c, hparams_research.c, hparams_official.c, hparams_text.c, hparams_transformer.c
 * and hparams_universal.c.
 */
#ifndef MDL_HPARAMS_STORE_H
#define MDL_HPARAMS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

/* One value.  `type` is the type of the declaration and never changes; a string or float may be
 * null (Python's None). */
struct mdl_value {
    enum mdl_hp_type type;
    bool is_null;
    bool b;
    bool of_bools;  /* MDL_HP_INT_LIST: its entries are true or false */
    bool as_number; /* MDL_HP_BOOL: JSON has it as 0 or 1, as the original's set says it */
    int64_t i;
    double f;
    char *s;        /* MDL_HP_STRING, not null */
    size_t n;       /* of a list */
    int64_t *ints;  /* MDL_HP_INT_LIST */
    double *floats; /* MDL_HP_FLOAT_LIST */
};

/* Whether somebody has read the hparam (hparams_marks.c); lives as long as the process. */
struct mdl_read_mark;
struct mdl_read_mark *mdl_read_mark_of(const char *name);
void mdl_read_mark_set(struct mdl_read_mark *mark);

struct mdl_entry {
    char *name;
    struct mdl_read_mark *mark;
    struct mdl_value value;
};

struct mdl_hparams {
    char *set;
    struct mdl_entry *entries; /* sorted by name */
    size_t n, capacity;
};

struct mdl_hparams *mdl_hparams_empty(const char *set);
/* NULL when absent; borrowed until the next declaration. */
struct mdl_value *mdl_hparams_find(const struct mdl_hparams *hp, const char *name);
/* Adds `name`, which must be new, with a zero value of the type. */
struct mdl_value *mdl_hparams_declare(struct mdl_hparams *hp, const char *name,
                                      enum mdl_hp_type type);

/* Adds what `from` has and hp has not. */
void mdl_hparams_add_missing(struct mdl_hparams *hp, const struct mdl_hparams *from);

/* Text -> value of its declared type.  T2_EUSAGE naming hparam, type and text. */
T2_MUST_CHECK enum t2_status mdl_value_parse(struct mdl_value *v, const char *name,
                                             const char *text, struct t2_err *err);
/* Items separated by commas or blanks -> a list. */
T2_MUST_CHECK enum t2_status mdl_value_parse_list(struct mdl_value *v, const char *name,
                                                  const char *text, struct t2_err *err);

/*
 * Hparams that the original does not have, so that no set (and no hparams.json) holds them until
 * somebody gives one: Keras's and LARS's numbers, and the order of samples.  NULL: not one of
 * them.
 */
const struct mdl_value *mdl_hparams_extra(const char *name);
size_t mdl_hparams_extra_count(void);
const char *mdl_hparams_extra_name(size_t i);

/* ---- registered sets ---- */

/* A key that a set adds, with its first value (of the member that `type` says). */
struct mdl_default {
    const char *name;
    enum mdl_hp_type type;
    int64_t i;
    double f;
    const char *s;
};

/*
 * A set is its parent, then the keys it adds, then its changes in order, separated by ';':
 *   name=value       another value; the type stays
 *   name=@null       None, for a string or float
 *   name=[1,2]       a list
 *   name:TYPE=value  a new key, or one that was None or a bool; TYPE is int, float, bool or string
 *   @tpu             update_hparams_for_tpu of the original
 * Tests build every set; the sets of plug-ins are built when they are registered.
 */
struct mdl_set {
    const char *name;
    const char *parent; /* NULL: starts empty */
    const char *changes;
    const struct mdl_default *defaults;
    size_t n_defaults;
};

struct mdl_set_table {
    const struct mdl_set *sets;
    size_t n;
};
/* The ancestor of a registered set that stands next to basic_1 (itself, if it does), which is what
 * the sets for one kind of model have in common; NULL: not registered, or basic_1. */
const char *mdl_hparams_family(const char *set);

/*
 * The next registered set, from the *i-th on, that adds the hparam or writes another type over it;
 * NULL: none does.  *i is behind it then.  The sets made from these are those that have the hparam.
 */
const char *mdl_hparams_declaring(const char *name, size_t *i);

/* The set that a registered one was made from; NULL: not registered, or made from none. */
const char *mdl_hparams_parent(const char *set);

extern const struct mdl_set_table mdl_basic_sets;
extern const struct mdl_set_table mdl_transformer_sets;
extern const struct mdl_set_table mdl_official_sets;
extern const struct mdl_set_table mdl_research_sets;
extern const struct mdl_set_table mdl_cnn_sets;
extern const struct mdl_set_table mdl_universal_sets;
extern const struct mdl_set_table mdl_image_sets, mdl_image_2d_sets;
extern const struct mdl_set_table mdl_text_sets;

#endif
