/*
 * tests/unit/train/recipe_names.h - the names of all image recipes, as the refusal of an unknown
 * one lists them.
 */
#ifndef T2_TESTS_UNIT_TRAIN_RECIPE_NAMES_H
#define T2_TESTS_UNIT_TRAIN_RECIPE_NAMES_H

#include <string.h>

#include "base/str.h"
#include "tests/support/t.h"
#include "train/input/image_recipe.h"
#include "train/models/hparams.h"

/* Zero-initialise names; released by the caller. */
static inline void recipe_names(const struct mdl_hparams *unknown, struct t2_strs *names)
{
    struct t2_err err = T2_ERR_INIT;
    struct in_image_recipe r;
    struct t2_strs listed = {0};
    const char *list;

    assert_int_equal(in_image_recipe_of("x", unknown, &r, &err), T2_EUSAGE);
    list = strstr(err.message, "there are ");
    assert_non_null(list);
    t2_strs_split(&listed, list + strlen("there are "), ',');
    assert_true(listed.n > 10);
    for (size_t i = 0; i < listed.n; i++)
        t2_strs_push(names, listed.items[i] + strspn(listed.items[i], " "));
    t2_strs_release(&listed);
}

#endif
