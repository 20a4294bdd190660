t2t-decoder --help
