#!/bin/sh
# examples/contacts.cpp on two balls, one around the other, half a millimetre apart: example_test.sh PALPATE EXAMPLE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" mesh make icosphere --radius 0.1 -o "$folder/in.ply" > "$folder/log"
"$1" mesh make icosphere --radius 0.1005 -o "$folder/out.ply" >> "$folder/log"
"$2" "$folder/in.ply" "$folder/out.ply" 0.002 > "$folder/contacts"
# Every vertex of the inner ball lies under the same one of the outer.
lines=$(grep -c '^vertex [0-9]* and [0-9]*: 0.000[45]' "$folder/contacts")
[ "$lines" -ge 1000 ] || { echo "only $lines of the contacts are as near as they should be"; exit 1; }
grep -q '^edge ' "$folder/contacts" || { echo "no edges touch"; exit 1; }
# Mistakes are told, not crashed on.
if "$2" 2> "$folder/error"; then echo "it took no arguments"; exit 1; fi
grep -q '^usage: ' "$folder/error"
if "$2" "$folder/none.ply" "$folder/out.ply" 0.002 2> "$folder/error"; then echo "it read what is not there"; exit 1; fi
grep -q 'none.ply' "$folder/error"
