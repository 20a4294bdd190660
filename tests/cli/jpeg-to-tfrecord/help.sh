jpeg-to-tfrecord --help
