/*
 * datagen/official/official_layout.h - shards and log lines as data_download of the official
 * Transformer has them: shards are counted from 1, only train is shuffled.
 */
#ifndef DG_OFFICIAL_LAYOUT_H
#define DG_OFFICIAL_LAYOUT_H

#include "datagen/shards/layout.h"

extern const struct dg_layout dg_layout_official;

#endif
