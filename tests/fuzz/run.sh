#!/usr/bin/env bash
# Fuzzes one reader for a while, from a fresh corpus. What fails is kept beside the fuzzer, and named.
# Usage: run.sh FOLDER_OF_FUZZERS FORMAT SECONDS
set -euo pipefail
folder=$1; format=$2; seconds=$3
work=$(mktemp -d -t palpate-fuzz-XXXXXX)
trap 'rm -rf -- "$work"' EXIT
"$folder/make_corpus" "$work/seeds"
mkdir -p "$work/found" "$folder/failures"
# Long inputs are slow and find little more; the seeds are below 64 kB.
"$folder/fuzz_$format" -seed=20211 -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=4096 \
  -print_final_stats=1 -artifact_prefix="$folder/failures/$format-" "$work/found" "$work/seeds/$format" 2>"$work/log" \
  || { tail -n 60 "$work/log" >&2; exit 1; }
grep -E 'stat::number_of_executed_units|^INFO: Seed' "$work/log"
