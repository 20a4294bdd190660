/*
 * tests/unit/train/test_decode_hparams.c - keys, values and errors of --decode_hparams.
 */
#include "tests/support/t.h"
#include "train/decode/decode_hparams.h"

static void test_defaults(void **state)
{
    struct dec_hparams hp;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dec_hparams_parse("", &hp, &err), T2_OK);
    assert_int_equal(hp.beam_size, 4);
    assert_true(hp.alpha == 0.6);
    assert_int_equal(hp.extra_length, -1); /* what the model's original has */
    assert_int_equal(hp.batch_size, 0);
    assert_int_equal(hp.max_input_size, -1);
    assert_false(hp.return_beams || hp.write_beam_scores || hp.identity_output);
    assert_int_equal(hp.shards, 1);
    assert_string_equal(hp.delimiter, "\n");
    assert_int_equal(hp.num_decodes, 1);
    assert_int_equal(hp.multiproblem_task_id, -1);
    assert_false(hp.force_decode_length || hp.skip_eos_postprocess);
    assert_string_equal(hp.decode_to_file, "");
    assert_int_equal(dec_hparams_parse(NULL, &hp, &err), T2_OK);
}

static void test_values(void **state)
{
    struct dec_hparams hp;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dec_hparams_parse("beam_size=2, alpha = 1,extra_length=7,batch_size=3,"
                                       "max_input_size=9,return_beams=True,write_beam_scores=1,"
                                       "identity_output=false,shards=4,shard_id=3,"
                                       "shards_start_offset=2,shard_google_format=0",
                                       &hp, &err),
                     T2_OK);
    assert_int_equal(hp.beam_size, 2);
    assert_true(hp.alpha == 1);
    assert_int_equal(hp.extra_length, 7);
    assert_int_equal(hp.batch_size, 3);
    assert_int_equal(hp.max_input_size, 9);
    assert_true(hp.return_beams && hp.write_beam_scores && !hp.identity_output);
    assert_int_equal(hp.shards, 4);
    assert_int_equal(hp.shard_id, 3);
    assert_int_equal(hp.shards_start_offset, 2);
    assert_false(hp.shard_google_format);
    assert_int_equal(dec_hparams_parse("delimiter=;;,num_decodes=3,multiproblem_task_id=7,"
                                       "force_decode_length=true,skip_eos_postprocess=1,"
                                       "decode_to_file=out.txt,decode_reference=ref.txt",
                                       &hp, &err),
                     T2_OK);
    assert_string_equal(hp.delimiter, ";;");
    assert_int_equal(hp.num_decodes, 3);
    assert_int_equal(hp.multiproblem_task_id, 7);
    assert_true(hp.force_decode_length && hp.skip_eos_postprocess);
    assert_string_equal(hp.decode_to_file, "out.txt");
    assert_string_equal(hp.decode_reference, "ref.txt");
    /* what changes nothing is taken, what cannot be served at its default too */
    assert_int_equal(dec_hparams_parse("log_results=false,eos_penalty=0.5,num_decodes=1", &hp,
                                       &err),
                     T2_OK);
}

static void check(const char *clauses, enum t2_status status, const char *part)
{
    struct dec_hparams hp;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dec_hparams_parse(clauses, &hp, &err), status);
    t_assert_contains(err.message, part);
}

static void test_errors(void **state)
{
    (void) state;
    check("bean_size=4", T2_EUSAGE, "unknown key 'bean_size'; did you mean 'beam_size'?");
    check("xyzzyxyzzy=4", T2_EUSAGE, "unknown key 'xyzzyxyzzy'");
    check("beam_size=4,beam_size=4", T2_EUSAGE, "'beam_size' is given twice");
    check("beam_size=4.5", T2_EUSAGE, "beam_size='4.5' is not an integer");
    check("beam_size=", T2_EUSAGE, "beam_size='' is not an integer");
    check("beam_size=[4]", T2_EUSAGE, "is not an integer");
    check("alpha=x", T2_EUSAGE, "alpha='x' is not a number");
    check("alpha=nan", T2_EUSAGE, "is not a number");
    check("return_beams=maybe", T2_EUSAGE, "is not true or false");
    check("beam_size", T2_EUSAGE, "'beam_size' is not NAME=VALUE");
    check("=4", T2_EUSAGE, "is not NAME=VALUE");
    check("beam_size=4,", T2_EUSAGE, "'' is not NAME=VALUE");
    check("beam_size=0", T2_EUSAGE, "beam_size=0 is below 1");
    check("alpha=-0.1", T2_EUSAGE, "alpha=-0.1 is below 0");
    check("extra_length=-1", T2_EUSAGE, "is below 0");
    check("batch_size=99999999999", T2_EUSAGE, "is too large");
    check("beam_size=1001", T2_EUSAGE, "beam_size=1001 is too large");
    check("max_input_size=0", T2_EUSAGE, "leaves nothing");
    check("max_input_size=-2", T2_EUSAGE, "is below -1");
    check("shards=2,shard_id=2", T2_EUSAGE, "there are 2 shards");
    check("block_size=3", T2_EUNSUPPORTED, "block_size is not supported here");
    check("export_extra_infer_outputs=x", T2_EUNSUPPORTED, "export_extra_infer_outputs");
    check("num_decodes=0", T2_EUSAGE, "num_decodes=0 is below 1");
    check("multiproblem_task_id=-2", T2_EUSAGE, "is below -1");
    check("delimiter=", T2_EUSAGE, "delimiter is empty");
    check("delimiter=0123456789012345678901234567890123456789012345678901234567890123", T2_EUSAGE,
          "delimiter is longer than 63 bytes");
}

T_MAIN(cmocka_unit_test(test_defaults), cmocka_unit_test(test_values),
       cmocka_unit_test(test_errors))
