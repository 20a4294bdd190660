/*
 * train/device/cuda/optimizer_cuda.cu - what goes with the update rules and needs sums: norm and
 * clipping, the regulariser, rules with norms of whole variables, the search for what is not
 * finite.
 *
 * Norms that decide about clipping are the reference's to the bit: eight threads of a block add a
 * piece, lane by lane.  Others are added in double by all threads of a block, then as a tree.
 * Compiled without fused multiply-adds, as update_cuda.cu.
 */
#include "train/device/cuda/launch.cuh"

#define inline __host__ __device__ inline
extern "C" {
#include "train/device/rules/adafactor_rule.h"
#include "train/device/rules/lars_rule.h"
#include "train/device/rules/noise_draw.h"
#include "train/device/rules/yellow_fin_rule.h"
}
#undef inline

namespace
{

__global__ void put_optimizer_step(struct dev_optimizer_step value, struct dev_optimizer_step *to)
{
    value.halted = to->halted;
    *to = value;
}

__device__ double square(float x)
{
    return (double) x * (double) x;
}

/* ---- sums that are the reference's to the bit (struct dev_piece) ---- */

enum { LANES = 8 };

/* Squares of x (n) by eight lanes, one a thread, joined by the first; all threads come here.  The
 * elements behind whole groups of eight are the first lane's, or their own lanes'. */
__device__ double lane_squares(const float *x, int64_t n, bool rest_in_first, double *lanes)
{
    int lane = (int) threadIdx.x;
    int64_t whole = n / LANES * LANES;
    double sum = 0.0;

    __syncthreads(); /* x has been written, lanes have been read */
    if (lane < LANES) {
        for (int64_t i = lane; i < whole; i += LANES)
            sum += square(x[i]);
        if (!rest_in_first && whole + lane < n)
            sum += square(x[whole + lane]);
        for (int64_t i = whole; rest_in_first && lane == 0 && i < n; i++)
            sum += square(x[i]);
        lanes[lane] = sum;
    }
    __syncthreads();
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* The sum over the pieces of number `which` of `stride`, in their order, times their decay when
 * asked: brought in by all threads of one block, added by the first. */
__device__ double sum_of_pieces(const double *sums, int64_t n_pieces, int stride, int which,
                                const struct dev_piece *decays, double *tile)
{
    double sum = 0.0;

    for (int64_t first = 0; first < n_pieces; first += DEV_CUDA_BLOCK) {
        int64_t i = first + threadIdx.x;
        int n = n_pieces - first < DEV_CUDA_BLOCK ? (int) (n_pieces - first) : (int) DEV_CUDA_BLOCK;

        __syncthreads();
        if (i < n_pieces)
            tile[threadIdx.x] = (decays ? decays[i].decay : 1.0) * sums[stride * i + which];
        __syncthreads();
        for (int k = 0; threadIdx.x == 0 && k < n; k++)
            sum += tile[k];
    }
    return sum;
}

/* ---- before the rule ---- */

__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    prepare_pieces(struct dev_prepare_gradients_args a)
{
    DEV_SHARED(double, lanes, [LANES]);
    const struct dev_optimizer_step *s = a.step;
    const struct dev_piece &p = a.pieces[blockIdx.x]; /* read where it is needed: no spills */
    struct dev_noise weights = dev_noise_of(s->noise_key, s->noise_step, DEV_NOISE_WEIGHT);
    struct dev_noise gradients = dev_noise_of(s->noise_key, s->noise_step, DEV_NOISE_GRADIENT);
    double squares;

    for (int64_t i = threadIdx.x; i < p.n; i += DEV_CUDA_BLOCK) {
        float *x = &a.values[p.offset + i], *g = &a.grads[p.offset + i];
        uint64_t number = (uint64_t) (p.first + i);

        if (s->weight_noise != 0.0f && p.noisy)
            *x += s->weight_noise * dev_noise_draw(&weights, number);
        if (p.decay != 0.0)
            *g += (float) p.decay * *x;
        if (a.gradient_noise != 0.0f)
            *g += a.gradient_noise * dev_noise_draw(&gradients, number);
    }
    squares = lane_squares(a.grads + p.offset, p.n, true, lanes);
    if (threadIdx.x == 0)
        a.sums[2 * (int64_t) blockIdx.x] = squares;
    squares = p.decay != 0.0 ? lane_squares(a.values + p.offset, p.n, true, lanes) : 0.0;
    if (threadIdx.x == 0)
        a.sums[2 * (int64_t) blockIdx.x + 1] = squares;
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    join_gradients(struct dev_prepare_gradients_args a)
{
    DEV_SHARED(double, tile, [DEV_CUDA_BLOCK]);
    DEV_SHARED(int64_t, first_bad, [DEV_CUDA_BLOCK]);
    double grads = sum_of_pieces(a.sums, a.n_pieces, 2, 0, nullptr, tile);
    double values = sum_of_pieces(a.sums, a.n_pieces, 2, 1, nullptr, tile);
    int64_t bad = -1;

    for (int64_t i = threadIdx.x; i < a.n_pieces && bad < 0; i += DEV_CUDA_BLOCK)
        if (!isfinite(a.sums[2 * i]))
            bad = i;
    first_bad[threadIdx.x] = bad;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int t = 0; t < DEV_CUDA_BLOCK; t++)
        if (first_bad[t] >= 0 && (bad < 0 || first_bad[t] < bad))
            bad = first_bad[t];
    a.step->value_squares = values;
    a.step->bad = bad;
    a.step->norm = sqrt(grads);
    a.step->finite =
        isfinite(a.step->norm) && (!a.loss || isfinite(*a.loss)) && !a.step->halted ? 1 : 0;
    a.step->halted = a.step->finite ? 0 : 1;
    a.step->scale = a.clip_norm > 0.0 && a.step->norm > a.clip_norm
                        ? (float) (a.clip_norm / a.step->norm)
                        : 1.0f;
}

/* ---- the regulariser ---- */

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) regularise_pieces(struct dev_regularise_args a)
{
    DEV_SHARED(double, lanes, [LANES]);
    const struct dev_piece p = a.pieces[blockIdx.x];
    double sum = lane_squares(a.values + p.offset, p.n, false, lanes);

    if (threadIdx.x == 0)
        a.sums[blockIdx.x] = sum;
    for (int64_t i = p.offset + threadIdx.x; a.grads && i < p.offset + p.n; i += DEV_CUDA_BLOCK)
        a.grads[i] += (float) (2.0 * p.decay) * a.values[i];
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) join_regulariser(struct dev_regularise_args a)
{
    DEV_SHARED(double, tile, [DEV_CUDA_BLOCK]);
    double sum = sum_of_pieces(a.sums, a.n_pieces, 1, 0, a.pieces, tile);

    if (threadIdx.x == 0)
        *a.sum = sum;
}

/* ---- LARS ---- */

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) lars_sums(struct dev_lars a)
{
    DEV_SHARED(double, parts, [DEV_CUDA_WARP]);
    const struct dev_piece p = a.of.pieces[blockIdx.x];
    double xs = 0.0, gs = 0.0;

    if (!a.of.step->finite)
        return;
    for (int64_t i = p.offset + threadIdx.x; i < p.offset + p.n; i += DEV_CUDA_BLOCK) {
        xs += square(a.of.values[i]);
        gs += square(a.of.grads[i] * a.of.step->scale);
    }
    xs = block_sum(xs, parts);
    gs = block_sum(gs, parts);
    if (threadIdx.x == 0) {
        a.sums[2 * (int64_t) blockIdx.x] = xs;
        a.sums[2 * (int64_t) blockIdx.x + 1] = gs;
    }
}

/* A thread a variable looks for its pieces. */
struct lars_rates {
    struct dev_lars a;
    __device__ void operator()(int64_t v) const
    {
        double x = 0.0, g = 0.0;

        for (int64_t i = 0; i < a.of.n_pieces; i++)
            if (a.of.pieces[i].variable == v) {
                x += a.sums[2 * i];
                g += a.sums[2 * i + 1];
            }
        a.rates[v] = a.of.step->rate;
        if (!a.skipped[v])
            a.rates[v] *= dev_lars_trust(a.of.settings, (float) sqrt(x), (float) sqrt(g));
    }
};

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) lars_pieces(struct dev_lars a)
{
    const struct dev_piece p = a.of.pieces[blockIdx.x];
    float mu = a.of.settings[DEV_LARS_MU], rate = a.rates[p.variable];
    float decay = a.skipped[p.variable] ? 0.0f : a.of.settings[DEV_LARS_DECAY];
    float *x = a.of.values, *m = a.of.slots[0];

    if (!a.of.step->finite)
        return;
    for (int64_t i = p.offset + threadIdx.x; i < p.offset + p.n; i += DEV_CUDA_BLOCK) {
        float g = (a.of.grads[i] * a.of.step->scale + decay * x[i]) * rate;

        m[i] = m[i] * mu + g;
        x[i] -= a.of.settings[DEV_LARS_NESTEROV] != 0.0f ? g + m[i] * mu : m[i];
    }
}

/* ---- YellowFin ---- */

struct yellow_fin_begin {
    struct dev_yellow_fin a;
    __device__ void operator()(int64_t) const
    {
        if (a.step->finite)
            dev_yellow_fin_begin(&a);
    }
};

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) yellow_fin_pieces(struct dev_yellow_fin a)
{
    DEV_SHARED(double, parts, [DEV_CUDA_WARP]);
    const struct dev_piece p = a.of.pieces[blockIdx.x];
    float *x = a.of.values, *m = a.of.slots[DEV_YELLOW_FIN_MOMENTUM];
    float *mean = a.of.slots[DEV_YELLOW_FIN_MEAN];
    float mu = a.state[DEV_YELLOW_FIN_MU], rate = a.step->rate, scale = a.step->scale;
    double sums[3] = {0.0, 0.0, 0.0};

    if (!a.step->finite)
        return;
    for (int64_t i = p.offset + threadIdx.x; i < p.offset + p.n; i += DEV_CUDA_BLOCK) {
        float g = a.of.grads[i] * scale;

        m[i] = m[i] * mu + g;
        x[i] -= m[i] * rate;
        mean[i] += (g - mean[i]) * (float) (1.0 - DEV_YELLOW_FIN_BETA);
        sums[0] += g != 0.0f ? 1.0 : 0.0;
        sums[1] += square(g);
        sums[2] += square(mean[i]);
    }
    for (int n = 0; n < 3; n++) {
        sums[n] = block_sum(sums[n], parts);
        if (threadIdx.x == 0)
            a.sums[3 * (int64_t) blockIdx.x + n] = sums[n];
    }
}

struct yellow_fin_end {
    struct dev_yellow_fin a;
    __device__ void operator()(int64_t) const
    {
        if (a.step->finite)
            dev_yellow_fin_end(&a);
    }
};

/* ---- Adafactor: a block a variable ---- */

/*
 * The passes of rules/adafactor_rule.h, one after the other in a block of 1024 threads: slower than
 * the memory for a large table, but a variable's norms are known to its block alone.
 */
enum { WIDE = 1024 };

__device__ double wide_sum(double x, double *parts)
{
    return block_sum(x, parts);
}

__device__ void factor_matrix(const struct dev_adafactor_view &w, float rho, int64_t k,
                              double *squares, double *parts)
{
    int64_t first = k * w.rows * w.cols, warps = WIDE / DEV_CUDA_WARP;
    int64_t warp = (int64_t) threadIdx.x / DEV_CUDA_WARP,
            lane = (int64_t) threadIdx.x % DEV_CUDA_WARP;
    const float *g = w.g + first, *x = w.x + first;
    float *vr = w.vr + k * w.rows, *vc = w.vc + k * w.cols, mean;
    double total = 0.0;

    for (int64_t r = warp; r < w.rows; r += warps) { /* a warp a row */
        double sum = 0.0;

        for (int64_t c = lane; c < w.cols; c += DEV_CUDA_WARP) {
            sum += (double) dev_adafactor_square(g[r * w.cols + c] * w.scale);
            *squares += square(x[r * w.cols + c]);
        }
        sum = warp_sum(sum);
        if (lane == 0)
            vr[r] = rho * vr[r] + (1.0f - rho) * (float) (sum / (double) w.cols);
    }
    for (int64_t c = threadIdx.x; c < w.cols; c += WIDE) { /* a thread a column */
        double sum = 0.0;

        for (int64_t r = 0; r < w.rows; r++)
            sum += (double) dev_adafactor_square(g[r * w.cols + c] * w.scale);
        vc[c] = rho * vc[c] + (1.0f - rho) * (float) (sum / (double) w.rows);
        w.col_factors[k * w.cols + c] = 1.0f / sqrtf(vc[c]);
    }
    __syncthreads();
    for (int64_t r = threadIdx.x; r < w.rows; r += WIDE)
        total += (double) vr[r];
    mean = (float) (wide_sum(total, parts) / (double) w.rows);
    for (int64_t r = threadIdx.x; r < w.rows; r += WIDE)
        w.row_factors[k * w.rows + r] = 1.0f / sqrtf(vr[r] / mean);
}

__global__ void __launch_bounds__(WIDE) adafactor_variables(struct dev_adafactor a)
{
    DEV_SHARED(double, parts, [DEV_CUDA_WARP]);
    const struct dev_adafactor_view w = dev_adafactor_view_of(&a, &a.variables[blockIdx.x]);
    float rho = a.of.step->numbers[DEV_ADAFACTOR_RHO], rate = a.of.step->rate, clip;
    float beta1 = a.of.settings[DEV_ADAFACTOR_BETA1];
    int64_t n = w.matrices * w.rows * w.cols;
    double squares = 0.0, sum = 0.0;

    if (!a.of.step->finite)
        return;
    for (int64_t k = 0; w.factored && k < w.matrices; k++)
        factor_matrix(w, rho, k, &squares, parts);
    for (int64_t i = threadIdx.x; !w.factored && i < n; i += WIDE) {
        w.v[i] = rho * w.v[i] + (1.0f - rho) * dev_adafactor_square(w.g[i] * w.scale);
        squares += square(w.x[i]);
    }
    squares = wide_sum(squares, parts); /* behind it all factors are there */
    if (a.of.settings[DEV_ADAFACTOR_BY_SCALE] != 0.0f)
        rate *= fmaxf((float) sqrt(squares / (double) n), 1e-3f);
    for (int64_t i = threadIdx.x; i < n; i += WIDE)
        sum += square(dev_adafactor_unscaled(&w, i / w.cols, i % w.cols));
    sum = wide_sum(sum, parts);
    clip = fmaxf(1.0f, (float) sqrt(sum / (double) n) / a.of.settings[DEV_ADAFACTOR_THRESHOLD]);
    for (int64_t i = threadIdx.x; i < n; i += WIDE) {
        float step = rate * (dev_adafactor_unscaled(&w, i / w.cols, i % w.cols) / clip);

        if (w.m)
            step = w.m[i] = beta1 * w.m[i] + (1.0f - beta1) * step;
        w.x[i] -= step;
    }
}

/* ---- what is not finite ---- */

__global__ void put_number(int64_t n, int64_t *to)
{
    *to = n;
}

/* The smallest index wins, whoever comes first. */
struct find_not_finite {
    struct dev_find_not_finite_args a;
    __device__ void operator()(int64_t i) const
    {
        if (!isfinite(a.squares ? a.x[i] * a.x[i] : a.x[i]))
            atomicMin((unsigned long long *) a.first, (unsigned long long) i);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_set_optimizer_step(struct dev *d, const struct dev_set_optimizer_step_args *a)
{
    LAUNCH(d, "set_optimizer_step", put_optimizer_step, 1, 1, 0, a->value, a->to);
}

void dev_cuda_prepare_gradients(struct dev *d, const struct dev_prepare_gradients_args *a)
{
    if (a->n_pieces > 0)
        LAUNCH(d, "prepare_gradients", prepare_pieces, (unsigned) a->n_pieces, DEV_CUDA_BLOCK, 0,
               *a);
    LAUNCH(d, "prepare_gradients", join_gradients, 1, DEV_CUDA_BLOCK, 0, *a);
}

void dev_cuda_regularise(struct dev *d, const struct dev_regularise_args *a)
{
    if (a->n_pieces > 0)
        LAUNCH(d, "regularise", regularise_pieces, (unsigned) a->n_pieces, DEV_CUDA_BLOCK, 0, *a);
    LAUNCH(d, "regularise", join_regulariser, 1, DEV_CUDA_BLOCK, 0, *a);
}

void dev_cuda_update_lars(struct dev *d, const struct dev_lars *a)
{
    if (a->of.n_pieces == 0)
        return;
    LAUNCH(d, "update_lars", lars_sums, (unsigned) a->of.n_pieces, DEV_CUDA_BLOCK, 0, *a);
    for_each(d, "update_lars", a->n_variables, lars_rates{*a});
    LAUNCH(d, "update_lars", lars_pieces, (unsigned) a->of.n_pieces, DEV_CUDA_BLOCK, 0, *a);
}

void dev_cuda_update_yellow_fin(struct dev *d, const struct dev_yellow_fin *a)
{
    if (a->of.n_pieces == 0)
        return;
    for_each(d, "update_yellow_fin", 1, yellow_fin_begin{*a});
    LAUNCH(d, "update_yellow_fin", yellow_fin_pieces, (unsigned) a->of.n_pieces, DEV_CUDA_BLOCK, 0,
           *a);
    for_each(d, "update_yellow_fin", 1, yellow_fin_end{*a});
}

void dev_cuda_update_adafactor(struct dev *d, const struct dev_adafactor *a)
{
    if (a->n_variables > 0)
        LAUNCH(d, "update_adafactor", adafactor_variables, (unsigned) a->n_variables, WIDE, 0, *a);
}

void dev_cuda_find_not_finite(struct dev *d, const struct dev_find_not_finite_args *a)
{
    LAUNCH(d, "find_not_finite", put_number, 1, 1, 0, a->n, a->first);
    for_each(d, "find_not_finite", a->n, find_not_finite{*a});
}

} /* extern "C" */
