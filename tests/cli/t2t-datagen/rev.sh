# A view of a problem: its data are those of the problem.
t2t-datagen --problem=translate_ende_numbers_rev --data_dir=d --max_cases=3000
