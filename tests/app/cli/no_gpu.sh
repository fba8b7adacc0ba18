#!/bin/bash
# Each way to have no GPU gives its own reason, by the real engine and a stub of the driver; a video is made
# all the same. Usage: no_gpu.sh BUILD_FOLDER
set -u
build=$1
cli=$build/bin/reelmesh-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

script() { # driver version, CUDA version
    printf 'driver %s\ncuda %s\ngpu 00000000:18:00.0\nname NVIDIA H200\n' "$1" "$2" > "$work/driver"
}
expect() { # name, pattern, variables ...
    local name=$1 pattern=$2 reason
    shift 2
    reason=$(env REELMESH_DRIVER_STUB="$work/driver" "$@" timeout 120 "$cli" info --json |
        sed -n 's/.*"no_gpu_reason": *"\(.*[^\\]\)".*/\1/p')
    if [[ $reason == $pattern ]]; then
        echo "ok: $name: $reason"
    else
        echo "FAILED: $name: found \"$reason\", needed \"$pattern\""
        failures=$((failures + 1))
    fi
}

stub=LD_LIBRARY_PATH=$build/driver_stub
if [[ -e /dev/nvidiactl ]]; then
    echo "skipped: this machine has a driver of its own"
    exit 0
fi
script 550.90.07 12040
expect "no driver" "No NVIDIA driver is installed *" A=
if [[ -e $build/lib/libreelmesh_cuda.so ]]; then
    expect "too old" "NVIDIA driver 550.90.07 is too old: it runs CUDA 12.4, *driver 580.65 or newer*" "$stub"
    script 580.82.07 13000
    expect "hidden" "CUDA_VISIBLE_DEVICES=-1 hides the GPU; *" "$stub" CUDA_VISIBLE_DEVICES=-1
else
    expect "CPU build" "An NVIDIA driver is here, but this build is for the CPU only: *" "$stub"
fi

if env REELMESH_DRIVER_STUB="$work/driver" "$stub" timeout 300 "$cli" generate --prompt "a ball" --size 64x64 \
    --frames 5 --steps 2 -o "$work/clip.mp4" --quiet --json > "$work/result" && [[ -s $work/clip.mp4 ]]; then
    echo "ok: a video is made on the CPU"
else
    echo "FAILED: no video: $(cat "$work/result")"
    failures=$((failures + 1))
fi
exit $((failures > 0))
