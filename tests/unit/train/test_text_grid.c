/*
 * tests/unit/train/test_text_grid.c - tables that tabulate 0.10 draws.
 */
#include "base/buf.h"
#include "tests/support/t.h"
#include "train/eval/text_grid.h"

static void draw(bool latex, const char *want)
{
    static const char *const cells[] = {"System", "BLEU",          "\u03bc %", "a_b", "1.25\n(p)*",
                                        "x",      "longer \u4e2d", "10.5",     "\n~"};
    struct ev_grid g = {{NULL, 0, 0}, 3};
    struct t2_buf out = {NULL, 0, 0};

    for (int i = 0; i < 9; i++)
        t2_strs_push(&g.cells, cells[i]);
    ev_grid_draw(&g, latex, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_strs_release(&g.cells);
    t2_buf_release(&out);
}

static void test_grid(void **state)
{
    (void) state;
    draw(false, "╒══════════╤════════╤═══════╕\n"
                "│   System │  BLEU  │  μ %  │\n"
                "╞══════════╪════════╪═══════╡\n"
                "│      a_b │  1.25  │   x   │\n"
                "│          │  (p)*  │       │\n"
                "├──────────┼────────┼───────┤\n"
                "│ longer 中 │  10.5  │       │\n"
                "│          │        │   ~   │\n"
                "╘══════════╧════════╧═══════╛\n");
}

static void test_latex(void **state)
{
    struct ev_grid g = {{NULL, 0, 0}, 2};
    struct t2_buf out = {NULL, 0, 0};

    (void) state;
    t2_strs_push(&g.cells, "System");
    t2_strs_push(&g.cells, "95% CI");
    t2_strs_push(&g.cells, "a_b & {c}");
    t2_strs_push(&g.cells, "1.25");
    ev_grid_draw(&g, true, &out);
    assert_string_equal(t2_buf_cstr(&out), "\\begin{tabular}{rc}\n"
                                           "\\toprule\n"
                                           "    System &  95\\% CI  \\\\\n"
                                           "\\midrule\n"
                                           " a\\_b \\& \\{c\\} &   1.25   \\\\\n"
                                           "\\bottomrule\n"
                                           "\\end{tabular}\n");
    t2_strs_release(&g.cells);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_grid), cmocka_unit_test(test_latex))
