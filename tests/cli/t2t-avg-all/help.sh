t2t-avg-all --help
