t2t-datagen --help
