t2t-datagen --problm=translate_ende_numbers
