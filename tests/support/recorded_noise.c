/*
 * tests/support/recorded_noise.c - how exact a recording itself is.
 */
#include "tests/support/recorded_noise.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/t.h"

static double number_at(const struct t2_json_value *v, const char *key)
{
    struct t2_strs levels = {0};

    t2_strs_split(&levels, key, '.');
    for (size_t i = 0; i < levels.n; i++)
        v = t2_json_get(v, levels.items[i]);
    t2_strs_release(&levels);
    if (t2_json_type(v) == T2_JSON_OBJECT)
        v = t2_json_get(v, "max_abs");
    return t2_json_as_double(v, (double) NAN);
}

double recorded_noise(const char *folder, const char *variant, const char *key)
{
    char *name = t2_asprintf("%s/double-check.json", folder);
    const char *path = t_data_path(name);
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *v;
    double noise = (double) NAN;

    t2_free(name);
    if (!path)
        return noise;
    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    v = t2_json_root(doc);
    noise = number_at(variant ? t2_json_get(v, variant) : v, key);
    t2_json_free(doc);
    return noise;
}

double recorded_room(const char *folder, const char *variant, const char *key, double ours,
                     double otherwise)
{
    double noise = recorded_noise(folder, variant, key);

    return isnan(noise) ? otherwise : ours + 4.0 * noise;
}
