# Drives the real window for the scripts beside it: starts Xvfb and a window manager, finds controls by
# --ui-map, acts with xdotool. The caller sets build, screens and engine (an array, may be empty).

work=$(mktemp -d)
map=$work/map.json
films=$work/films
mkdir -p "$screens"

program=
background=()
finish() {
    [ -z "$program" ] || kill -KILL "$program" 2>/dev/null || true
    [ ${#background[@]} -eq 0 ] || kill "${background[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

fail() {
    shoot failed || true
    cp "$map" "$screens/failed.json" 2>/dev/null || true
    echo "FAILED: $*" >&2
    exit 1
}
shoot() { import -window root "$screens/$1.png"; }

# begin_display WxH: in place of the one before.
begin_display() {
    [ ${#background[@]} -eq 0 ] || kill "${background[@]}"
    background=()
    rm -f "$work/display"
    mkfifo "$work/display"
    Xvfb -displayfd 3 -screen 0 "$1x24" >/dev/null 2>&1 3>"$work/display" &
    background+=($!)
    DISPLAY=:$(head -1 "$work/display")
    export DISPLAY XDG_RUNTIME_DIR=$work
    openbox --config-file "$(dirname "${BASH_SOURCE[0]}")/openbox.xml" >/dev/null 2>&1 &
    background+=($!)
    sleep 1
}

# text NAME: what the item shows; field NAME KEY: another of its values; centre NAME: its middle on the screen.
field() {
    python3 -c 'import json, sys
item = next((i for i in json.load(open(sys.argv[1]))["items"] if i["name"] == sys.argv[2]), {})
print(item.get(sys.argv[3], ""))' "$map" "$1" "$2" 2>/dev/null || true
}
text() { field "$1" text; }
centre() {
    python3 -c 'import json, sys
r = next(i["rect"] for i in json.load(open(sys.argv[1]))["items"] if i["name"] == sys.argv[2])
print(int(r["x"] + r["width"] / 2), int(r["y"] + r["height"] / 2))' "$map" "$1"
}
click() {
    local place
    place=$(centre "$1") || fail "there is no $1 to click"
    # shellcheck disable=SC2086
    xdotool mousemove $place click "${2:-1}"
}
keys() { xdotool key --clearmodifiers "$@"; }
typed() { xdotool type --delay 8 "$1"; }
# enter NAME VALUE: into a field, in place of what it holds.
enter() {
    click "$1"
    keys ctrl+a
    typed "$2"
    keys Return
}
# wait_text NAME PATTERN SECONDS
wait_text() {
    local end=$((SECONDS + $3))
    until [[ "$(text "$1")" == $2 ]]; do
        [ $SECONDS -lt $end ] || fail "$1 shows '$(text "$1")', expected $2 within $3 s"
        sleep 0.05
    done
}
# wait_item NAME SECONDS
wait_item() {
    local end=$((SECONDS + $2))
    until [ -n "$(field "$1" rect)" ]; do
        [ $SECONDS -lt $end ] || fail "no $1 within $2 s"
        sleep 0.05
    done
}
# start GEOMETRY [ARGUMENTS]: the window, until it can be typed into.
start() {
    rm -f "$map"
    local begin
    begin=$(date +%s%N)
    "$build/bin/reelmesh" ${engine:+--engine "${engine[0]}"} --config-dir "$work/config" --data-dir "$work/state" \
        --output-dir "$films" --geometry "$1" --ui-map "$map" --heartbeat "$work/heartbeat.csv" "${@:2}" &
    program=$!
    wait_item promptText 30
    start_ms=$((($(date +%s%N) - begin) / 1000000))
}
# The engine is open once a plan is there.
wait_engine() { wait_text barMesh "*rank*" 60; }
# stop EXPECTED_CODE: SIGTERM, and the code within the 5 s of the contract.
stop() {
    local code=0 begin=$SECONDS
    kill -TERM "$program"
    wait "$program" || code=$?
    program=
    [ $code -eq "$1" ] || fail "exit code $code after SIGTERM, expected $1"
    [ $((SECONDS - begin)) -le 6 ] || fail "ended only after $((SECONDS - begin)) s"
}
newest_film() { find "$films" -name '*.mp4' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }
count_films() { find "$films" -name '*.mp4' 2>/dev/null | wc -l; }
frames_of() {
    ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "$1"
}
