# what is wrong with the flags of images of one's own
try() {
    echo "== $*"
    t2t-datagen --quiet --data_dir=data "$@" 2>&1 || echo "exit $?"
}
mkdir -p one/a two/a two/b
echo x,y >list.csv
try --image_dir=two
try --name=image_mnist --image_dir=two
try --name='bad name' --image_dir=two
try --name=n --image_dir=nowhere
try --name=n --image_dir=two
try --name=n --image_dir=one
try --name=n --csv=list.csv
try --name=n --csv=nowhere.csv
try --name=n --csv=list.csv --train=list.csv --kind=image2class
try --name=n --kind=image2class
try --name=n --kind=image2class --dev=list.csv
try --name=n --problem=m --image_dir=two
try --name=n --image_dir=two --on_error=quarantine
try --name=n --image_dir=two --exif=turn
try --name=n --image_dir=two --exif=apply
try --name=n --image_dir=two --reencode=some
try --name=n --image_dir=two --dev_percent=60 --test_percent=40
try --name=n --kind=image2class --train=list.csv --dev=list.csv --dev_percent=10
ls data 2>/dev/null || echo "nothing was written"
