/*
 * train/device/cuda/lstm_cuda.cu - a step of an LSTM layer: a thread for each unit of each row.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

struct count_ids {
    struct dev_count_ids_args a;
    __device__ void operator()(int64_t r) const
    {
        int64_t n = a.extra;

        for (int64_t i = 0; i < a.counted; i++)
            n += a.ids[r * a.cols + i] != 0;
        a.lengths[r] = (float) n;
    }
};

__device__ float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

/* Where step t of row b stands; whether there is one. */
__device__ bool position_of(const struct dev_lstm_cell &a, int64_t b, int64_t *p)
{
    int64_t length = (int64_t) a.lengths[b];

    *p = a.reverse && a.t < length ? length - 1 - a.t : a.t;
    return a.t < length;
}

struct lstm_cell {
    struct dev_lstm_cell a;
    __device__ void operator()(int64_t n) const
    {
        int64_t H = a.H, all = a.B * H;
        int64_t b = n / H, k = n % H, p;
        bool there = position_of(a, b, &p);
        float h = a.fresh ? 0.0f : a.state[n];
        float c = a.fresh ? 0.0f : a.state[all + n], u[4];
        float *gates = a.gates + (b * a.T + p) * 4 * H + k;
        int64_t at = (b * a.T + p) * H + k;

        for (int q = 0; q < 4; q++)
            u[q] = gates[q * H] +
                   (a.recurrent ? a.recurrent[(b * 4 + q) * H + k] : 0.0f);
        u[0] = sigmoid(u[0]);
        u[1] = tanhf(u[1]);
        u[2] = sigmoid(u[2] + 1.0f);
        u[3] = sigmoid(u[3]);
        for (int q = 0; q < 4; q++)
            gates[q * H] = there ? u[q] : 0.0f;
        a.previous[at] = there ? h : 0.0f;
        a.previous[a.B * a.T * H + at] = there ? c : 0.0f;
        if (there) {
            c = u[2] * c + u[0] * u[1];
            h = u[3] * tanhf(c);
        }
        a.y[at] = there ? h : 0.0f;
        a.state[n] = h;
        a.state[all + n] = c;
    }
};

struct lstm_cell_bwd {
    struct dev_lstm_cell a;
    __device__ void operator()(int64_t n) const
    {
        int64_t H = a.H, all = a.B * H;
        int64_t b = n / H, k = n % H, p;
        bool there = position_of(a, b, &p);
        float dh = a.fresh ? 0.0f : a.dstate[n];
        float dc = a.fresh ? 0.0f : a.dstate[all + n], du[4] = {0};
        float *gates = a.gates + (b * a.T + p) * 4 * H + k;

        if (there) {
            int64_t at = (b * a.T + p) * H + k;
            float i = gates[0], j = gates[H], f = gates[2 * H];
            float o = gates[3 * H], c = a.previous[a.B * a.T * H + at];
            float squashed = tanhf(f * c + i * j);

            dh += a.dy ? a.dy[at] : 0.0f;
            dc += dh * o * (1.0f - squashed * squashed);
            du[0] = dc * j * i * (1.0f - i);
            du[1] = dc * i * (1.0f - j * j);
            du[2] = dc * c * f * (1.0f - f);
            du[3] = dh * squashed * o * (1.0f - o);
            dc *= f;
            dh = 0.0f;
        }
        for (int q = 0; q < 4; q++) {
            gates[q * H] = du[q];
            a.step_gates[(b * 4 + q) * H + k] = du[q];
        }
        a.dstate[n] = dh;
        a.dstate[all + n] = dc;
    }
};

} /* namespace */

extern "C" void dev_cuda_count_ids(struct dev *d, const struct dev_count_ids_args *a)
{
    for_each(d, "count_ids", a->rows, count_ids{*a});
}

extern "C" void dev_cuda_lstm_cell(struct dev *d, const struct dev_lstm_cell *a)
{
    for_each(d, "lstm_cell", a->B * a->H, lstm_cell{*a});
}

extern "C" void dev_cuda_lstm_cell_bwd(struct dev *d, const struct dev_lstm_cell *a)
{
    for_each(d, "lstm_cell_bwd", a->B * a->H, lstm_cell_bwd{*a});
}
