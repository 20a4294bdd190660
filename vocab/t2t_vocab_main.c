/*
 * vocab/t2t_vocab_main.c - t2t-vocab: build, use, look at and convert vocabularies.
 *
 * Each command is in cmd_<name>.c; vocab_commands.c lists them.
 */
#include "vocab/vocab_commands.h"

static const struct t2_flag_values values[] = {
    {"dialect", "t2t official", NULL},
    {"unicode", "5.2 9 11 12.1 13 14 15 15.1", NULL},
    {"encode:as", "ids pieces", NULL},
    {"decode:from", "ids pieces json", NULL},
    {"convert:from",
     "t2t official sentencepiece tokenizer.json tiktoken subword-nmt wordpiece list", NULL},
    {"convert:to", "t2t official sentencepiece tokenizer.json tiktoken subword-nmt wordpiece list",
     NULL},
    {NULL, NULL, NULL},
};

static const struct t2_command_tool tool = {
    .name = "t2t-vocab",
    .summary = "Builds, uses, compares and converts vocabularies.",
    .usage = "[flags] FILE...",
    .notes = "The kind of a vocabulary is found by content: subwords of Tensor2Tensor or of\n"
             "the official Transformer, lists of words, SentencePiece models, subword-nmt\n"
             "codes, tokenizer.json, tiktoken ranks.\n",
    .examples = "  t2t-vocab build --target_size=32768 --output=x.subwords train.en train.de\n"
                "  t2t-vocab encode --vocab=x.subwords <in.txt\n",
    .commands = voc_commands,
    .values = values,
};

int main(int argc, char **argv)
{
    return t2_commands_main(&tool, argc, argv);
}
