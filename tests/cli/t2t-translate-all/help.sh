t2t-translate-all --help
