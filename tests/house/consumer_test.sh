#!/usr/bin/env bash
# Installs this build into a folder of its own and builds tests/consumer against it, in paths with spaces.
# Usage: consumer_test.sh BUILD_DIR SOURCE_DIR [CMAKE_ARGUMENT...]
set -euo pipefail
build=$1; source=$2; shift 2
work=$(mktemp -d -t 'palpate consumer XXXXXX')
trap 'rm -rf -- "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
# Nothing installed may point back to where it was built.
if grep -rIlF -- "$source" "$work/prefix"; then
  echo "installed text files name the source folder (above)" >&2
  exit 1
fi
[[ -f $work/prefix/include/palpate/geometry/nearest.h && -x $work/prefix/bin/palpate ]]
[[ ! -e $work/prefix/include/palpate/cli ]]
"$work/prefix/bin/palpate" --version
cmake -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" "$@" >"$work/configure.log"
cmake --build "$work/build"
"$work/build/consumer"
