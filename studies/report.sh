#!/usr/bin/env bash
# Runs what the studies of papers lack, and writes docs/reproductions. It goes on where it was, ends with status 1 if a
# sentence of a plan's text no longer holds, and prints what each study took.
# Usage: studies/report.sh RECORDINGS TRACES [RESULTS]
# RECORDINGS: a folder with the files that recordings.tsv names, and others for the pages of the corpus and of choices.
# TRACES: a folder with the files that traces.tsv names.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
recordings=$(realpath "${1:?the folder of the recordings is missing}")
traces=$(realpath "${2:?the folder of the traces is missing}")
results=${3:-target/studies}
docs=docs/reproductions
mkdir -p "$results"
cargo build --release -p pagerace || exit
pagerace=target/release/pagerace

# The pages of sander-2022 and gupta-2024, as options.
listed=() groups=()
while IFS=$'\t' read -r group file _; do
  [[ $group == \#* ]] && continue
  if [[ ! -e $recordings/$file ]]; then
    echo "$recordings/$file: is missing; studies/recordings.tsv says where it comes from" >&2
    exit 2
  fi
  listed+=(--pages "$recordings/$file")
  groups+=(--pages "$group=$recordings/$file")
done < studies/recordings.tsv
while IFS=$'\t' read -r file _; do
  if [[ $file != \#* && ! -e $traces/$file ]]; then
    echo "$traces/$file: is missing; studies/traces.tsv says where it comes from" >&2
    exit 2
  fi
done < studies/traces.tsv

failed=()
times=$(mktemp)
# Runs a command with the name $1, and notes its time.
timed() {
  local name=$1 start=$EPOCHREALTIME
  shift
  echo "== $name"
  local TIMEFORMAT='%R %U'
  { time "$@" > "$results/$name.txt" 2>&3; } 3>&2 2> "$times.one" || failed+=("$name")
  printf '%s %s\n' "$name" "$(tail -1 "$times.one")" >> "$times"
}
report() {
  local name=$1
  shift
  timed "$name" "$pagerace" study report "studies/$name" -o "$results/$name" --markdown "$docs/$name.md" "$@"
}

for plan in studies/*/plan.toml; do
  name=$(basename "$(dirname "$plan")")
  case $name in
    sander-2022 | sander-2022-why) report "$name" "${groups[@]}" ;;
    agarwal-2020-cellular) report "$name" --traces "$traces" ;;
    agarwal-2020-choice)
      report "$name" --pages "pages=$recordings/*.har.gz" --pages 'pages=examples/pages/*.har' \
        --pages 'pages=tests/corpus/*.page.gz' --pages 'file=studies/agarwal-2020/pages/10mb-in-[12]mb.har.gz'
      ;;
    gupta-2024) report "$name" "${listed[@]}" ;;
    *) report "$name" ;;
  esac
done
timed recommendation-flexhttp-2022 "$pagerace" recommend studies/flexhttp-2022 -o "$results/flexhttp-2022" \
  --markdown "$docs/recommendation-flexhttp-2022.md"
timed corpus "$pagerace" corpus "$recordings"/*.har.gz --runs 10 --markdown "$docs/corpus.md"
timed corpus-first-visit "$pagerace" corpus "$recordings"/*.har.gz --h3-discovery alt-svc-first-visit \
  --markdown "$docs/corpus-first-visit.md"
timed corpus-bbr "$pagerace" corpus "$recordings"/*.har.gz --runs 10 --cc bbr --markdown "$docs/corpus-bbr.md"
# The table of docs/reproductions.md.
PAGERACE_DOCS=write cargo test -q -p pagerace --test cli documents > "$results/documents.txt" 2>&1 || failed+=(documents)

echo
awk '{ printf "%-30s %7.0f s, %7.0f s of processors\n", $1, $2, $3; real += $2; user += $3 }
  END { printf "%-30s %7.0f s, %7.0f s of processors\n", "all", real, user }' "$times"
rm -f "$times" "$times.one"
if (( ${#failed[@]} > 0 )); then
  echo "failed: ${failed[*]}; what they printed is above and in $results" >&2
  exit 1
fi
