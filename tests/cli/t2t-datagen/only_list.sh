t2t-datagen --only_list
t2t-datagen --only_list --problem='text2text*' --exclude_problems=tokens
