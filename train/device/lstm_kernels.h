/*
 * train/device/lstm_kernels.h - arguments of the kernels of recurrent layers; a part of kernels.h.
 */
#ifndef DEV_LSTM_KERNELS_H
#define DEV_LSTM_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* lengths (rows) = extra + how many of the first `counted` of a row of ids (rows,cols) are not 0 */
struct dev_count_ids_args {
    const int32_t *ids;
    int64_t rows, cols, counted, extra;
    float *lengths;
};

/*
 * One step of an LSTM layer (Hochreiter and Schmidhuber 1997; tf.nn.rnn_cell.LSTMCell with
 * forget_bias 1) over rows of different lengths; t counts steps, T of them at most.  Step t of row
 * b stands at position p = t, or with reverse at lengths[b] - 1 - t.  With u (4H) = gates[b,p] +
 * recurrent[b], the quarters of which are i, j, f, o: i = sigmoid(i)  j = tanh(j)  f = sigmoid(f +
 * 1)  o = sigmoid(o) c' = f c + i j,  h' = o tanh(c') y[b,p] = h', gates[b,p] becomes i, j, f, o,
 * previous[0][b,p] and [1][b,p] h and c, and state h' and c'.  A row has no step t >= lengths[b]:
 * the state stays, and what belongs to position t becomes 0.
 *
 * Backward, from the last step to the first: dstate, the gradient of the state behind the step,
 * becomes that of c in front of it, and for h 0, to which the product of dgates with the recurrent
 * weights is added; gates[b,p] and step_gates[b] become the gradient of u.
 */
struct dev_lstm_cell {
    int64_t B, T, H, t;
    bool reverse;
    bool fresh;             /* the state, or dstate, counts as 0 and is not read */
    const float *lengths;   /* (B) */
    const float *recurrent; /* (B, 4H) or NULL: zeros */
    float *gates;           /* (B, T, 4H) */
    float *previous;        /* (2, B, T, H); backward reads it */
    float *state;           /* (2, B, H): h, c */
    float *y;               /* (B, T, H) */
    /* of the backward pass */
    const float *dy;   /* (B, T, H) or NULL: zeros */
    float *dstate;     /* (2, B, H) */
    float *step_gates; /* (B, 4H) */
};

#endif
