/*
 * datagen/problem_files/problem_draft.c - the keys of one problem.
 */
#include "datagen/problem_files/problem_draft.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum key_type { TEXT, NUMBER, REAL, FLAG, VALUE };

/* Kinds of problems that a key goes with. */
enum {
    OWN = 1 << DG_DRAFT_OWN_TEXT,
    TRANSLATION = 1 << DG_DRAFT_TRANSLATION,
    ROWS = 1 << DG_DRAFT_ROWS,
    MIXTURE = 1 << DG_DRAFT_MIXTURE,
    REFUSED = 1 << DG_DRAFT_REFUSED,
    MADE = OWN | TRANSLATION | ROWS,
    NOT_MIXTURE = MADE | REFUSED,
    ALL = NOT_MIXTURE | MIXTURE
};

struct key {
    const char *name;
    enum key_type type;
    size_t offset; /* in struct dg_draft: a pointer, int64_t, double or bool, by type */
    unsigned kinds;
};

#define AT(member) offsetof(struct dg_draft, member)
/* clang-format off */
static const struct key keys[] = {
    {"family", TEXT, AT(family), ALL & ~OWN},
    {"summary", TEXT, AT(summary), ALL},
    {"licence", TEXT, AT(licence), MADE},
    {"refusal", TEXT, AT(refusal), REFUSED},
    {"members", VALUE, AT(members), MIXTURE},
    {"kind", TEXT, AT(own.kind), MADE},
    {"train", VALUE, AT(splits[DG_TRAIN]), MADE},
    {"dev", VALUE, AT(splits[DG_DEV]), MADE},
    {"test", VALUE, AT(splits[DG_TEST]), OWN | ROWS},
    {"train_shards", NUMBER, AT(n_shards[DG_TRAIN]), NOT_MIXTURE},
    {"dev_shards", NUMBER, AT(n_shards[DG_DEV]), NOT_MIXTURE},
    {"test_shards", NUMBER, AT(n_shards[DG_TEST]), OWN | ROWS | REFUSED},
    {"dataset_filename", TEXT, AT(dataset_filename), TRANSLATION | ROWS | REFUSED},
    {"packed_length", NUMBER, AT(own.packed_length), MADE},
    {"inputs_prefix", TEXT, AT(own.prefix[DG_INPUTS]), MADE},
    {"targets_prefix", TEXT, AT(own.prefix[DG_TARGETS]), MADE},
    {"already_shuffled", FLAG, AT(already_shuffled), TRANSLATION | ROWS},
    {"classes", VALUE, AT(classes), OWN | ROWS},

    {"vocab_type", TEXT, AT(own.vocab_type), NOT_MIXTURE},
    {"vocab_size", NUMBER, AT(own.vocab_size), NOT_MIXTURE},
    {"source_vocab_size", NUMBER, AT(own.source_vocab_size), OWN | TRANSLATION},
    {"target_vocab_size", NUMBER, AT(own.target_vocab_size), OWN | TRANSLATION},
    {"vocab_of", TEXT, AT(vocab_of), TRANSLATION | ROWS | REFUSED},
    {"vocab_file", TEXT, AT(vocab_file), TRANSLATION | ROWS | REFUSED},
    {"source_vocab_file", TEXT, AT(side_vocab_file[DG_INPUTS]), TRANSLATION},
    {"target_vocab_file", TEXT, AT(side_vocab_file[DG_TARGETS]), TRANSLATION},

    {"sources", VALUE, AT(sources), OWN},
    {"tsv", TEXT, AT(own.tsv), OWN},
    {"csv", TEXT, AT(own.csv), OWN},
    {"jsonl", TEXT, AT(own.jsonl), OWN},
    {"mix", TEXT, AT(own.mix), OWN},
    {"clean", TEXT, AT(own.clean), OWN},
    {"drop_duplicates", TEXT, AT(own.drop_duplicates), OWN},
    {"min_length", NUMBER, AT(own.filters.min_length), OWN},
    {"max_length", NUMBER, AT(own.filters.max_length), OWN},
    {"max_ratio", REAL, AT(own.filters.max_ratio), OWN},
    {"max_tokens", NUMBER, AT(own.filters.max_tokens), OWN},
    {"inputs_script", TEXT, AT(own.filters.script[DG_INPUTS]), OWN},
    {"targets_script", TEXT, AT(own.filters.script[DG_TARGETS]), OWN},
    {"vocab", TEXT, AT(own.vocab), OWN},
    {"source_vocab", TEXT, AT(own.source_vocab), OWN},
    {"target_vocab", TEXT, AT(own.target_vocab), OWN},
    {"oov_token", TEXT, AT(own.oov_token), OWN},

    {"compiled", TEXT, AT(compiled), TRANSLATION},
    {"vocab_budget", NUMBER, AT(vocab_budget), TRANSLATION},
    {"clean_text", FLAG, AT(clean_text), TRANSLATION},
    {"clean_tmx", FLAG, AT(clean_tmx), TRANSLATION},
    {"synthetic", VALUE, AT(synthetic), TRANSLATION},
    {"sampled_pairs", NUMBER, AT(sampled_pairs), TRANSLATION},
    {"expected_pairs", NUMBER, AT(expected_pairs), TRANSLATION},

    {"from", VALUE, AT(from), ROWS},
    {"dev_list", VALUE, AT(dev_list), ROWS},
    {"columns", VALUE, AT(columns), ROWS},
    {"before", VALUE, AT(before), ROWS},
    {"header_lines", NUMBER, AT(header_lines), ROWS},
    {"skip_short_rows", FLAG, AT(skip_short_rows), ROWS},
    {"both_orders", FLAG, AT(both_orders), ROWS},
    {"numbered_labels", FLAG, AT(numbered_labels), ROWS},
    {"no_label", TEXT, AT(no_label), ROWS},
};
/* clang-format on */
enum { N_KEYS = sizeof keys / sizeof *keys };
_Static_assert((int) N_KEYS <= (int) DG_MAX_KEYS, "dg_draft.given has a place for each");

static enum t2_status unknown(const struct dg_file_value *v, struct t2_err *err)
{
    /* those that are of the file, or choose among its problems */
    const char *names[N_KEYS + 5] = {"name", "names", "like", "files", "problems"};
    const char *near;

    for (size_t i = 0; i < N_KEYS; i++)
        names[5 + i] = keys[i].name;
    near = t2_nearest(v->key, names, N_KEYS + 5);
    return t2_fail(err, T2_EFORMAT, "'%s': key '%s' is not known%s%s%s", v->path, v->key,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum t2_status dg_draft_key(struct dg_draft *d, const struct dg_file_value *v, struct t2_err *err)
{
    size_t i = 0;
    void *to;

    while (i < N_KEYS && strcmp(keys[i].name, v->key) != 0)
        i++;
    if (i == N_KEYS)
        return unknown(v, err);
    d->given[i] = true;
    to = (char *) d + keys[i].offset;
    switch (keys[i].type) {
    case TEXT:
        return dg_value_text(v, to, err);
    case NUMBER:
        return dg_value_number(v, to, err);
    case REAL:
        return dg_value_real(v, to, err);
    case FLAG:
        return dg_value_flag(v, to, err);
    case VALUE:
        *(const struct t2_json_value **) to = v->json;
        return T2_OK;
    }
    return T2_OK;
}

static enum dg_draft_kind kind_of(const struct dg_draft *d)
{
    const char *kind = d->own.kind;

    if (d->refusal)
        return DG_DRAFT_REFUSED;
    if (d->members)
        return DG_DRAFT_MIXTURE;
    if (kind && strcmp(kind, "translation") == 0)
        return DG_DRAFT_TRANSLATION;
    return kind && strcmp(kind, "rows") == 0 ? DG_DRAFT_ROWS : DG_DRAFT_OWN_TEXT;
}

enum t2_status dg_draft_check(const struct dg_draft *d, const char *path, enum dg_draft_kind *kind,
                              struct t2_err *err)
{
    static const char *const with[] = {
        [DG_DRAFT_OWN_TEXT] = "text of one's own (text2text, text2self, text2class)",
        [DG_DRAFT_TRANSLATION] = "kind: translation",
        [DG_DRAFT_ROWS] = "kind: rows",
        [DG_DRAFT_MIXTURE] = "members",
        [DG_DRAFT_REFUSED] = "refusal",
    };

    *kind = kind_of(d);
    for (size_t i = 0; i < N_KEYS; i++) {
        if (d->given[i] && !(keys[i].kinds & (1u << *kind)))
            return t2_fail(err, T2_EFORMAT, "'%s': key '%s' does not go with %s", path,
                           keys[i].name, with[*kind]);
    }
    return T2_OK;
}
