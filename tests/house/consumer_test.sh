#!/usr/bin/env bash
# Installs this build into a folder of its own and builds tests/consumer against it, in paths with spaces.
# Usage: consumer_test.sh BUILD_DIR SOURCE_DIR [CMAKE_ARGUMENT...]
set -euo pipefail
build=$1; source=$2; shift 2
work=$(mktemp -d -t 'palpate consumer XXXXXX')
server=
trap '[[ -z $server ]] || kill -KILL "$server" 2>/dev/null || true; rm -rf -- "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
# Nothing installed may point back to where it was built.
if grep -rIlF -- "$source" "$work/prefix"; then
  echo "installed text files name the source folder (above)" >&2
  exit 1
fi
[[ -f $work/prefix/include/palpate/geometry/nearest.h && -x $work/prefix/bin/palpate ]]
[[ ! -e $work/prefix/include/palpate/cli ]]
"$work/prefix/bin/palpate" --version

# It serves the page, and the gallery with its pictures, from what was installed alone.
get() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.1\r\nHost: localhost:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
  timeout 60 cat <&3 >"$work/answer"
  exec 3>&-
  head -n 1 "$work/answer" | grep -q '200 OK' || { echo "GET $1: $(head -n 1 "$work/answer")" >&2; exit 1; }
}
(cd "$work"; unset PALPATE_SCENES; XDG_STATE_HOME=$work exec "$work/prefix/bin/palpate" view --port 0) \
  >"$work/view.out" 2>"$work/view.err" &
server=$!
for _ in {1..400}; do
  if grep -q token= "$work/view.out" || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.05
done
if grep -q 'built without its page' "$work/view.err"; then
  echo "built without its page: not looked at"
else
  port=$(sed -nE 's|^http://127\.0\.0\.1:([0-9]+)/.*|\1|p' "$work/view.out")
  [[ -n $port ]] || { echo "no address" >&2; cat "$work/view.err" >&2; exit 1; }
  get /; grep -qi '<!doctype html' "$work/answer"
  get /page.js; [[ $(wc -c <"$work/answer") -gt 100000 ]]
  get /pictures/beams.png; grep -aq PNG "$work/answer"
  kill -TERM "$server"; wait "$server"
fi
server=

cmake -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" "$@" >"$work/configure.log"
cmake --build "$work/build"
"$work/build/consumer"
