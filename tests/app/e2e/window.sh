#!/bin/bash
# Drives the real window: window.sh BUILD_FOLDER SCREENS_FOLDER [ENGINE_LIBRARY]
# One click makes a playing clip and a file; a cancelled job leaves the next one's bytes alone; a
# signal ends the program in time. Controls are found by --ui-map, screenshots go to SCREENS_FOLDER.
set -euo pipefail
shopt -s extglob

build=$1
screens=$2
engine=("${@:3}")
frames=17
work=$(mktemp -d)
map=$work/map.json
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
    import -window root "$screens/failed.png" || true
    echo "FAILED: $*" >&2
    exit 1
}

# text NAME: what the widget shows; centre NAME: its middle on the screen.
text() {
    python3 -c 'import json, sys
print(next((i["text"] for i in json.load(open(sys.argv[1]))["items"] if i["name"] == sys.argv[2]), ""))' \
        "$map" "$1" 2>/dev/null || true
}
centre() {
    python3 -c 'import json, sys
r = next(i["rect"] for i in json.load(open(sys.argv[1]))["items"] if i["name"] == sys.argv[2])
print(int(r["x"] + r["width"] / 2), int(r["y"] + r["height"] / 2))' "$map" "$1"
}
click() {
    local place
    place=$(centre "$1")
    # shellcheck disable=SC2086
    xdotool mousemove $place click 1
}
# wait_text NAME PATTERN SECONDS
wait_text() {
    local end=$((SECONDS + $3))
    until [[ "$(text "$1")" == $2 ]]; do
        [ $SECONDS -lt $end ] || fail "$1 shows '$(text "$1")', expected $2 within $3 s"
        sleep 0.05
    done
}
start() {
    rm -f "$map"
    "$build/bin/reelmesh" ${engine:+--engine "${engine[0]}"} --config-dir "$work/config" --output-dir "$work/films" \
        --geometry "$1" --ui-map "$map" --heartbeat "$work/heartbeat.csv" &
    program=$!
    wait_text statusStage Idle 30
    sleep 0.5
}
# stop EXPECTED_CODE: SIGTERM, and the code within the 5 s of the contract.
stop() {
    local code=0 begin=$SECONDS
    kill -TERM "$program"
    wait "$program" || code=$?
    program=
    [ $code -eq "$1" ] || fail "exit code $code after SIGTERM, expected $1"
    [ $((SECONDS - begin)) -le 6 ] || fail "ended only after $((SECONDS - begin)) s"
}
generate() {
    click actGenerate
    wait_text statusStage "[!I]*" 10
}
newest_film() { find "$work/films" -name '*.mp4' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }

mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1300x840x24 >/dev/null 2>&1 3>"$work/display" &
background+=($!)
DISPLAY=:$(head -1 "$work/display")
export DISPLAY
openbox >/dev/null 2>&1 &
background+=($!)
export XDG_RUNTIME_DIR=$work
sleep 1

start 1280x800+0+0
import -window root "$screens/first_run.png"
generate
wait_text viewerVideo "*preview" 120
import -window root "$screens/preview.png"
wait_text statusStage Done 300
film=$(newest_film)
[ -s "$film" ] || fail "no film in the output folder"
count=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "$film")
[ "$count" = $frames ] || fail "$count frames in $film, expected $frames"
wait_text viewerFrame "*/0$frames*" 5
shown=$(text viewerFrame)
for _ in $(seq 40); do [ "$(text viewerFrame)" = "$shown" ] || break; sleep 0.1; done
[ "$(text viewerFrame)" != "$shown" ] || fail "the viewer stands still at $shown"
[[ "$(text noticeText)" == *"$film"* ]] || fail "the notice does not name $film: $(text noticeText)"
import -window root "$screens/done.png"
stop 0

start 1024x700+0+0
generate
wait_text statusStage "Denoise*" 120
click actStop
wait_text statusStage "@(Stopping…|Cancelled)" 5
wait_text statusStage Cancelled 10
import -window root "$screens/cancelled_1024x700.png"
[ "$(newest_film)" = "$film" ] || fail "a cancelled job left a film"
generate
wait_text statusStage Done 300
again=$(newest_film)
[ "$again" != "$film" ] || fail "no second film"
cmp "$film" "$again" || fail "the film after a cancelled job differs from a clean run's"
import -window root "$screens/done_1024x700.png"
generate
wait_text statusStage "Denoise*" 120
stop 130
grep '^summary' "$work/heartbeat.csv"
echo "window.sh: all passed"
