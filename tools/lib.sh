# Shared by the commands in tools/: where things live, and how a command says why it stops.
# Sourced, never run.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${REELMESH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reelmesh}
libtorch=$cache/libtorch-2.11.0-cpu

# One clone's objects serve another's: paths below the clone do not count.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# die SENTENCE: one sentence that says what to do, on stderr; exit 1.
die() {
    printf 'reelmesh: %s\n' "$1" >&2
    exit 1
}

# say SENTENCE: progress, on stderr, so that stdout stays the result's.
say() {
    printf 'reelmesh: %s\n' "$1" >&2
}

# build PRESET [TARGET...]: installs what is missing, configures once, builds.
build() {
    local preset=$1
    shift
    "$root/tools/install_packages"
    "$root/tools/fetch_libtorch"
    local folder=$root/build/$preset log=$root/build/$preset.log
    mkdir -p "$root/build"
    if [ ! -f "$folder/build.ninja" ]; then
        say "configuring $preset"
        (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 ||
            { tail -n 20 "$log" >&2; die "configuring failed; the whole output is in $log."; }
    fi
    (cd "$root" && cmake --build "build/$preset" ${@:+--target "$@"}) >"$log" 2>&1 ||
        { tail -n 40 "$log" >&2; die "the build failed; the whole output is in $log."; }
}
