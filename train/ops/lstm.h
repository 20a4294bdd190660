/*
 * train/ops/lstm.h - a recurrent layer of LSTM cells over sequences of different lengths.
 *
 * Hochreiter and Schmidhuber 1997; tf.nn.dynamic_rnn over tf.nn.rnn_cell.LSTMCell.
 */
#ifndef NN_LSTM_H
#define NN_LSTM_H

#include "train/graph/graph.h"

struct nn_lstm {
    struct gr_tensor *w;       /* (I + H, 4H): rows of the input, rows of the state; i, j, f, o */
    struct gr_tensor *bias;    /* (4H) */
    struct gr_tensor *lengths; /* nn_lengths; positions behind them are not read and give 0 */
    struct gr_tensor *initial; /* (2, B, H), h and c, as *state; or NULL: zeros */
    bool reverse;              /* from the last position of each row to the first */
};

/* (B), without a gradient: extra + how many of the first `counted` ids of each row are not 0; ids
 * (B, L). */
struct gr_tensor *nn_lengths(struct gr_graph *g, struct gr_tensor *ids, int64_t counted,
                             int64_t extra);

/* x (B, T, I) -> (B, T, H), the h of each position, float32; the formula is at struct
 * dev_lstm_cell (device/lstm_kernels.h).  *state (2, B, H), float32: h and c behind the last step
 * of each row. */
struct gr_tensor *nn_lstm(struct gr_graph *g, struct gr_tensor *x, const struct nn_lstm *how,
                          struct gr_tensor **state);

#endif
