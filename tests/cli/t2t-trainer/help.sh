t2t-trainer --help
