/*
 * datagen/own/own_text_flags.h - the flags of text of one's own, for the flag tables of tools.
 */
#ifndef DG_OWN_TEXT_FLAGS_H
#define DG_OWN_TEXT_FLAGS_H

#include "datagen/own/problem_own_text.h"

#define DG_OWN_TEXT_INIT                                                                           \
    {                                                                                              \
        .name = "", .kind = "", .files = {"", "", ""}, .tsv = "", .csv = "", .jsonl = "",          \
        .classes = "", .mix = "", .clean = "", .drop_duplicates = "none",                          \
        .filters = {.script = {"", ""}}, .vocab_type = "subwords", .vocab = "",                    \
        .source_vocab = "", .target_vocab = "", .oov_token = "", .prefix = {                       \
            "",                                                                                    \
            ""                                                                                     \
        }                                                                                          \
    }

/* Rows for a table whose ROW is (role, name, type, value, meta, help); o is a struct dg_own_text.
 */
/* clang-format off */
#define DG_OWN_TEXT_ROWS(ROW, role, o)                                                             \
    ROW(role, "name", STRING, &(o).name, "NAME",                                                   \
        "What the data set is called; t2t-trainer --problem takes it.")                            \
    ROW(role, "train", STRING, &(o).files[DG_TRAIN], "FILES",                                      \
        "Parallel text, line by line: 'a.en,a.de', several pairs 'a.en,a.de,b.en,b.de', or "       \
        "'pairs.tsv' with two columns; 'dir/*.tsv', 'dir/*.en,dir/*.de': all files that match; "   \
        ".gz is understood; a backslash takes a comma literally.")                                 \
    ROW(role, "dev", STRING, &(o).files[DG_DEV], "FILES", "The same for evaluation.")              \
    ROW(role, "test", STRING, &(o).files[DG_TEST], "FILES", "The same for a test split.")          \
    ROW(role, "kind", STRING, &(o).kind, "KIND",                                                   \
        "text2text: inputs and targets [the default]; text2self: text alone, for a language "      \
        "model; text2class: text and a label; text2real, text2labels: text and numbers, or "       \
        "labels 'a|b'; table2real, table2class, table2labels: numbers and what is told from "      \
        "them, the last column of a table; speech: --train is a table 'audio.wav TAB text', a "    \
        "Kaldi data directory, or a folder as LibriSpeech's.")                                     \
    ROW(role, "tsv", STRING, &(o).tsv, "COLUMNS",                                                  \
        "The files are tables with tabs; the columns of inputs and targets, as numbers '2,5' or "  \
        "as names in the first row 'en,de'; of values '1-3:4', 'width,height:price'.")             \
    ROW(role, "csv", STRING, &(o).csv, "COLUMNS", "The same of comma-separated values.")           \
    ROW(role, "jsonl", STRING, &(o).jsonl, "MEMBERS",                                              \
        "The files have a JSON object on each line: 'src,tgt', 'translation.en,translation.de'.")  \
    ROW(role, "classes", STRING, &(o).classes, "NAMES",                                            \
        "Of labels: their names in the order of their numbers, 'neg,pos'; without the flag those " \
        "of the train split, sorted.")                                                             \
    ROW(role, "mix", STRING, &(o).mix, "WEIGHTS",                                                  \
        "A weighted mixture 'news:3,ted:1' of sources that --train names: "                        \
        "'news=a.en,a.de;ted=b.tsv'. Each turn takes as many samples of each; scarce sources "     \
        "begin again until every source was read whole.")                                          \
    ROW(role, "clean", STRING, &(o).clean, "SIDE",                                                 \
        "Clean the training pairs as T2T's *_clean problems; SIDE is what is English, inputs or "  \
        "targets.")                                                                                \
    ROW(role, "min_length", INT, &(o).filters.min_length, "N",                                     \
        "Leave out training samples with a side of fewer characters.")                             \
    ROW(role, "max_length", INT, &(o).filters.max_length, "N",                                     \
        "Leave out those with a side of more characters; 0 means any.")                            \
    ROW(role, "max_ratio", DOUBLE, &(o).filters.max_ratio, "X",                                    \
        "Leave out those with one side more than X times as long as the other; 0 means any.")      \
    ROW(role, "max_tokens", INT, &(o).filters.max_tokens, "N",                                     \
        "Leave out those with more ids on a side, EOS counted; 0 means any.")                      \
    ROW(role, "drop_duplicates", STRING, &(o).drop_duplicates, "WHAT",                             \
        "Leave out all but the first of equal pairs, inputs or targets; none.")                    \
    ROW(role, "inputs_script", STRING, &(o).filters.script[DG_INPUTS], "SCRIPTS",                  \
        "Leave out inputs most of whose letters are of another script: 'Latin', 'Han+Hiragana'.")  \
    ROW(role, "targets_script", STRING, &(o).filters.script[DG_TARGETS], "SCRIPTS",                \
        "The same of targets.")                                                                    \
    ROW(role, "inputs_prefix", STRING, &(o).prefix[DG_INPUTS], "TEXT",                             \
        "Put in front of all inputs: 'translate English German '.")                                \
    ROW(role, "targets_prefix", STRING, &(o).prefix[DG_TARGETS], "TEXT",                           \
        "Put in front of all targets.")                                                            \
    ROW(role, "packed_length", INT, &(o).packed_length, "N",                                       \
        "Join records to about so many ids, with features that say where each begins.")            \
    ROW(role, "vocab_size", INT, &(o).vocab_size, "N",                                             \
        "Subwords to aim at, one vocabulary for both sides; 0 means 32768.")                       \
    ROW(role, "source_vocab_size", INT, &(o).source_vocab_size, "N",                               \
        "With --target_vocab_size: a vocabulary for each side.")                                   \
    ROW(role, "target_vocab_size", INT, &(o).target_vocab_size, "N",                               \
        "With --source_vocab_size: a vocabulary for each side.")                                   \
    ROW(role, "vocab", STRING, &(o).vocab, "FILE",                                                 \
        "Use this vocabulary for both sides; it is copied into --data_dir. Of any kind: subwords " \
        "of T2T or the official Transformer, SentencePiece .model, tokenizer.json, tiktoken "      \
        "ranks, codes of subword-nmt, a list of words.")                                           \
    ROW(role, "source_vocab", STRING, &(o).source_vocab, "FILE",                                   \
        "With --target_vocab: use these vocabularies.")                                            \
    ROW(role, "target_vocab", STRING, &(o).target_vocab, "FILE",                                   \
        "With --source_vocab: use these vocabularies.")                                            \
    ROW(role, "oov_token", STRING, &(o).oov_token, "WORD",                                         \
        "When the vocabulary is a list of words: the entry for words that are not listed; "        \
        "without the flag <UNK>, UNK or <unk> if it is there.")                                    \
    ROW(role, "vocab_type", STRING, &(o).vocab_type, "TYPE",                                       \
        "subwords; character: the bytes of the text, without a vocabulary; tokens: the words "     \
        "between blanks, the most frequent --vocab_size of them; ids: numbers below "              \
        "--vocab_size, tokenized elsewhere.")
/* clang-format on */

#endif
