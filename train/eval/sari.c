/*
 * train/eval/sari.c - see the header.
 */
#include "train/eval/sari.h"

#include "base/alloc.h"

enum { ORDERS = 4, OF_SOURCE = 1, OF_PREDICTION = 2, OF_TARGET = 4, SETS = 8 };

/* Ids of a row without padding, in memory of the caller; returns how many. */
static int32_t without_padding(struct ev_id_row row, int32_t *out)
{
    int32_t n = 0;

    for (int32_t i = 0; i < row.length; i++)
        if (row.ids[i] != 0)
            out[n++] = row.ids[i];
    return n;
}

static double share(double part, double whole)
{
    return whole > 0.0 ? part / whole : 1.0;
}

static double f1(double both, double said, double right)
{
    double precision = share(both, said), recall = share(both, right);

    return precision > 0.0 && recall > 0.0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
}

/* n[k]: n-grams that are in exactly the texts of the bits k. */
static double of_order(const double *n)
{
    double all = n[OF_SOURCE | OF_PREDICTION | OF_TARGET], source_alone = n[OF_SOURCE];
    double kept = n[OF_SOURCE | OF_PREDICTION], dropped = n[OF_SOURCE | OF_TARGET];
    double added = n[OF_PREDICTION | OF_TARGET];

    return f1(all, all + kept, all + dropped) +
           f1(added, added + n[OF_PREDICTION], added + n[OF_TARGET]) +
           share(source_alone, source_alone + dropped);
}

double ev_sari(struct ev_words *words, struct ev_id_row source, struct ev_id_row prediction,
               struct ev_id_row target)
{
    const struct ev_id_row texts[] = {source, prediction, target};
    int32_t *ids[3], n[3];
    size_t most = 0;
    uint8_t *in; /* of an n-gram, by number: the texts that have it */
    double sum = 0.0;

    for (int t = 0; t < 3; t++) {
        ids[t] = t2_alloc((size_t) texts[t].length, sizeof *ids[t]);
        n[t] = without_padding(texts[t], ids[t]);
        most += (size_t) n[t];
    }
    in = t2_alloc(most, sizeof *in);
    for (int32_t order = 1; order <= ORDERS; order++) {
        double count[SETS] = {0};
        size_t n_grams = 0;

        ev_words_start(words);
        for (int t = 0; t < 3; t++)
            for (int32_t i = 0; i + order <= n[t]; i++) {
                uint32_t k = ev_words_id(words, (struct t2_slice){(const uint8_t *) &ids[t][i],
                                                                  (size_t) order * sizeof *ids[t]});

                if (k == n_grams)
                    in[n_grams++] = 0;
                in[k] |= (uint8_t) (1 << t);
            }
        for (size_t k = 0; k < n_grams; k++)
            count[in[k]] += 1.0;
        sum += of_order(count);
    }
    for (int t = 0; t < 3; t++)
        t2_free(ids[t]);
    t2_free(in);
    return sum / (3.0 * ORDERS);
}
