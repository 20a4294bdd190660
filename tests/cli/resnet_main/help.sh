resnet_main --help
