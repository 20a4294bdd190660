/*
 * train/models/hparams.h - hyperparameter sets: registered names, typed values, overrides.
 *
 * tensor2tensor/utils/hparam.py and layers/common_hparams.py; spec t2t-trainer.md §1.3, §3.10,
 * §3.11.  The type of a value is the type it was first declared with; an override that does not
 * parse as that type is an error naming the hparam, the text and the type.
 */
#ifndef MDL_HPARAMS_H
#define MDL_HPARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/str.h"

enum mdl_hp_type {
    MDL_HP_INT,
    MDL_HP_FLOAT,
    MDL_HP_BOOL,
    MDL_HP_STRING,
    MDL_HP_NONE,
    MDL_HP_MAP,
    MDL_HP_INT_LIST,
    MDL_HP_FLOAT_LIST
};

struct mdl_hparams;

/* A copy of a registered set.  Unknown: T2_EUSAGE naming the nearest and how to list all. */
T2_MUST_CHECK enum t2_status mdl_hparams_new(const char *set, struct mdl_hparams **hp,
                                             struct t2_err *err);
struct mdl_hparams *mdl_hparams_copy(const struct mdl_hparams *hp);
void mdl_hparams_free(struct mdl_hparams *hp);
const char *mdl_hparams_set_name(const struct mdl_hparams *hp);

/* Reading.  The name must exist with that type (assertion): names are compiled in.  mdl_hp_float
 * also reads ints.  An hparam that only this program has (hparams_extra.c) has its default until it
 * is given. */
int64_t mdl_hp_int(const struct mdl_hparams *hp, const char *name);
double mdl_hp_float(const struct mdl_hparams *hp, const char *name);
bool mdl_hp_bool(const struct mdl_hparams *hp, const char *name);
/* Of a string or float that a set made None; the float reads as 0. */
bool mdl_hp_is_null(const struct mdl_hparams *hp, const char *name);
/* "None" for a string that is null (hparam `pos` of the relative sets). */
const char *mdl_hp_string(const struct mdl_hparams *hp, const char *name);
/* Lists, borrowed until hp changes; *n may be 0. */
const int64_t *mdl_hp_ints(const struct mdl_hparams *hp, const char *name, size_t *n);
const double *mdl_hp_floats(const struct mdl_hparams *hp, const char *name, size_t *n);
bool mdl_hp_has(const struct mdl_hparams *hp, const char *name);
enum mdl_hp_type mdl_hp_type_of(const struct mdl_hparams *hp, const char *name);

/* True if one of the functions above (but mdl_hp_has and mdl_hp_type_of) has read an hparam of that
 * name, of whichever set, since the program began; for tests: forget that. */
bool mdl_hparams_was_read(const char *name);
void mdl_hparams_forget_reads(void);
/* Appends the names of those that are not as in `normal` (NULL: what their registered set says),
 * and that nobody has read until now nor will in the first step or when decoding: they have no
 * meaning for this run. */
T2_MUST_CHECK enum t2_status mdl_hparams_unread(const struct mdl_hparams *hp,
                                                const struct mdl_hparams *normal,
                                                struct t2_strs *names, struct t2_err *err);
/* The same, as one warning when there are some. */
T2_MUST_CHECK enum t2_status mdl_hparams_name_unread(const struct mdl_hparams *hp,
                                                     const struct mdl_hparams *normal,
                                                     struct t2_err *err);

/* Why nothing here reads an hparam of the original's sets; NULL: it is read, or it is none of them.
 * And the table of all such for a Markdown document. */
const char *mdl_hparams_unused(const char *name);
void mdl_hparams_markdown(struct t2_buf *out);

/* Writing from code (hparams sets, tests).  A new name is declared with that type; a known one
 * keeps its type (assertion if the value does not fit; ints fit floats).  A NULL string is null. */
void mdl_hp_set_int(struct mdl_hparams *hp, const char *name, int64_t i);
void mdl_hp_set_float(struct mdl_hparams *hp, const char *name, double f);
void mdl_hp_set_bool(struct mdl_hparams *hp, const char *name, bool b);
void mdl_hp_set_string(struct mdl_hparams *hp, const char *name, const char *s);
void mdl_hp_set_ints(struct mdl_hparams *hp, const char *name, const int64_t *values, size_t n);
void mdl_hp_set_floats(struct mdl_hparams *hp, const char *name, const double *values, size_t n);

/* "batch_size=1024,learning_rate_constant=0.5": grammar of spec §1.3.  T2_EUSAGE on error, and then
 * nothing has changed. */
T2_MUST_CHECK enum t2_status mdl_hparams_override(struct mdl_hparams *hp, const char *clauses,
                                                  struct t2_err *err);
/* Refuses what is not built (T2_EUNSUPPORTED), numbers outside of what anything can mean by that
 * hparam, and what float32 cannot hold. */
T2_MUST_CHECK enum t2_status mdl_hparams_check(const struct mdl_hparams *hp, struct t2_err *err);
/* In any mode other than training: every *dropout and label_smoothing become 0. */
void mdl_hparams_for_eval(struct mdl_hparams *hp);

/* JSON object, keys sorted, as hparams.json; and back.  Unknown keys and maps are skipped, as the
 * original does; a value of the wrong type is T2_EFORMAT. */
void mdl_hparams_write_json(const struct mdl_hparams *hp, struct t2_json *json);
T2_MUST_CHECK enum t2_status mdl_hparams_read_json(struct mdl_hparams *hp,
                                                   const struct t2_json_value *object,
                                                   struct t2_err *err);

/*
 * Registers a set of a plug-in: a registered parent and changes of it, as the program's own tables
 * have them, separated by ';':
 *   name=value, name=[1,2]   another value; the type stays
 *   name=@null               None, for a float or string
 *   name:TYPE=value          a new hparam; TYPE is int, float, bool or string
 *   @tpu                     what the original changes for a TPU
 * The texts live as long as the program.  T2_EFORMAT (T2_EUSAGE for a value) names the set and what
 * is wrong.  Before there are threads.
 */
T2_MUST_CHECK enum t2_status mdl_hparams_register(const char *name, const char *parent,
                                                  const char *changes, struct t2_err *err);
/* Registered names, sorted; those of plug-ins, too. */
size_t mdl_hparams_count(void);
const char *mdl_hparams_name(size_t i);

#endif
