/*
 * tests/unit/train/test_serve_metrics.c - counters and histograms in Prometheus' text.
 */
#include "train/serve/serve_metrics.h"

#include "tests/support/t.h"

static void test_text(void **state)
{
    static const char *const lines[] = {
        "\nt2t_requests_total{code=\"200\"} 2\n",
        "\nt2t_requests_total{code=\"429\"} 1\n",
        "# TYPE t2t_request_seconds histogram\n",
        "\nt2t_request_seconds_bucket{le=\"0.001\"} 1\n", /* a bound counts as below */
        "\nt2t_request_seconds_bucket{le=\"0.25\"} 1\n",
        "\nt2t_request_seconds_bucket{le=\"0.5\"} 2\n",
        "\nt2t_request_seconds_bucket{le=\"60\"} 2\n",
        "\nt2t_request_seconds_bucket{le=\"+Inf\"} 3\n",
        "\nt2t_request_seconds_sum 100.501\nt2t_request_seconds_count 3\n",
        "\nt2t_batch_rows_bucket{le=\"2\"} 0\nt2t_batch_rows_bucket{le=\"4\"} 1\n",
        "\nt2t_batch_rows_sum 3\nt2t_batch_rows_count 1\n",
        "\nt2t_batch_seconds_sum 2\nt2t_batch_seconds_count 1\n",
        "\nt2t_target_ids_total 40\n",
        "\nt2t_reloads_total 1\n",
        "\nt2t_instances_waiting 5\n",
        "\nt2t_requests_open 6\n",
        "\nt2t_model_version 7\n",
    };
    struct srv_gauges now = {5, 6, 7};
    struct srv_metrics *m = srv_metrics_new();
    struct t2_buf text = {0};

    (void) state;
    srv_metrics_answered(m, 200, 0.001);
    srv_metrics_answered(m, 200, 0.5);
    srv_metrics_answered(m, 429, 100);
    srv_metrics_began(m, 3);
    srv_metrics_ended(m, 40, 2);
    srv_metrics_reload(m);
    srv_metrics_write(m, &now, &text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        t_assert_contains(t2_buf_cstr(&text), lines[i]);
    t2_buf_release(&text);
    srv_metrics_free(m);
    srv_metrics_free(NULL);
}

T_MAIN(cmocka_unit_test(test_text))
