/*
 * tfrec/stats_print.h - statistics for people (tables) and for programs (JSON).
 */
#ifndef REC_STATS_PRINT_H
#define REC_STATS_PRINT_H

#include "tfrec/class_names.h"
#include "tfrec/stats.h"
#include "tfrecord/inputs.h"

struct rec_stats_view {
    const struct rec_stats *stats;
    const struct tfr_inputs *in;
    const struct tok_encoder *vocab; /* NULL: none */
    const char *vocab_path;
    size_t n_top;                        /* frequent values shown per feature */
    const struct rec_class_names *names; /* NULL: none */
};

void rec_stats_print_table(const struct rec_stats_view *v, struct t2_buf *out);
/* One object, a line break between keys. */
void rec_stats_print_json(const struct rec_stats_view *v, struct t2_buf *out);

#endif
