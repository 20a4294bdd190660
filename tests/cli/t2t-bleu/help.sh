t2t-bleu --help
