# real odd and broken files
[ -d "$T2_DATA/weird-jpeg" ] || { echo "no weird-jpeg in T2_DATA" >&2; exit 77; }
jpeg-to-tfrecord --quiet --check="$T2_DATA/weird-jpeg" --on_error=skip | tail -n 1
jpeg-to-tfrecord --quiet --check="$T2_DATA/weird-jpeg" --on_error=skip --exif=apply --reencode=odd | tail -n 1
jpeg-to-tfrecord --quiet --check="$T2_DATA/weird-jpeg" --on_error=skip --header_only | tail -n 1
jpeg-to-tfrecord --quiet --check="$T2_DATA/goldens/hostile/pictures" || echo "exit $?"
