t2t-datagen --problem=translate_ende_number --data_dir=d
