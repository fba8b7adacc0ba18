// A libcuda.so.1 that is there and does nothing: programs that find it take a driver for installed.
extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) {
    return 100; // no device
}
