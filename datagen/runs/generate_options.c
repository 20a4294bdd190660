/*
 * datagen/runs/generate_options.c - the shards of a run.
 */
#include "datagen/runs/generate_options.h"

#include "datagen/shards/layout.h"
#include "tfrecord/shards.h"

int dg_n_shards(const struct dg_problem *p, const struct dg_generate *g, enum dg_split split)
{
    return p->n_shards[split] && g->n_shards[split] ? g->n_shards[split] : p->n_shards[split];
}

void dg_shard_paths(const struct dg_problem *p, const struct dg_generate *g, struct t2_strs *paths)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        int n = dg_n_shards(p, g, (enum dg_split) split);
        for (int i = 0; i < n; i++)
            t2_strs_take(paths, tfr_shard_path(g->options.data_dir, dg_problem_stem(p),
                                               dg_split_name((enum dg_split) split),
                                               i + dg_layout_of(p)->first_shard, n));
    }
}
