t2t-datagen --data_dir=d
