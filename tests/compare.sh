#!/usr/bin/env bash
# Runs the same commands with two builds of pagerace, and compares all they print and write, byte
# by byte. Usage: tests/compare.sh BEFORE AFTER [FOLDER]
set -euo pipefail
before=$(realpath "$1") after=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
out=${3:-$(mktemp -d)}
shop=pages/shop.har news=pages/news.har quick=(--runs 2 --no-progress --jobs 2)

# One command a line: the name of its outputs, and the words.
commands() {
  cat <<END
shop race $shop --json shop.json --csv shop.csv --report shop.html --sessions shop-sessions.json
protocols race $shop -P h1,h2,h3 --cc cubic,bbr,reno -n slow-4g --json protocols.json --csv protocols.csv
mixed race $news -P "static.courier.example=h3 *=h2",h2 --visit cold,resumed,warm -n cable -m onload --json mixed.json
reliability race $shop -R full,late,adaptive,datagram:fonts,deadline:500ms,fec:0.1 -n lossy-wifi --json reliability.json --report reliability.html --sessions reliability-sessions.json
what-if race $news --what-if each-host -m fcp -n cable --json what-if.json
interventions race pages/gallery.har --block css=hang --delay images=140ms --browser firefox --cpu 4 -s eps,fifo -n fast-4g --json interventions.json
settings race pages/blog.har --tls real --quic-mtu 1452 --dns none --connections single --origin-rtt same --early-data off -n "rate 2mbit rtt 100ms loss 2% queue 1bdp" -s sequential,round-robin --json settings.json --qlog qlog
pages race $shop $news pages/blog.har pages/gallery.har -s sequential,round-robin,eps -n fast-4g,cable --json pages.json --csv pages.csv --report pages.html
thesis race $shop -R thesis -n lossy-wifi --json thesis.json
explain explain $shop h1 h3 -n slow-4g --json explain.json
explain-loss explain $shop "h2 cubic" "h2 bbr" -n lossy-wifi -m onload --json explain-loss.json
END
  cat <<END
bulk bulk --size 2MB -P h1,h2,h3 --cc cubic,bbr -n cable,lossy-wifi --json bulk.json --report bulk.html
corpus corpus tests-corpus/gallery-browsertime.har.gz tests-corpus/shop-webpagetest.har.gz --json corpus.json --markdown corpus.md --report corpus.html --loads corpus.parquet
END
}

# Commands without loads, or with options of their own.
others() {
  cat <<END
replay race --scenario protocols.json --json replay.json --jobs 2 --no-progress
replay-reliability race --scenario reliability.json --json replay-reliability.json --jobs 2 --no-progress
page page $shop
page-json page $news --json
essential page $shop --essential
essential-json page $news --essential --non-essential-if third-party --json
slides page tests-corpus/slides.page.gz --essential
spectre page tests-corpus/spectre-firefox.har.gz
todo page tests-corpus/todo-proxy.har --json
objects objects $shop -o objects
study study run study --jobs 2 --no-progress
study-table study table study/results
study-export study export study --to study.parquet
recommend recommend study --no-run --json recommend.json --markdown recommend.md --report recommend.html
accuracy calibrate --network slow-4g,cable --models models.json.gz --observations observed.json --offline --no-progress --metric fcp,lcp,onload -o accuracy.md --json accuracy.json
wrong race pages/none.har -P h4
wrong-network race $shop -n "rate 0"
END
  for what in strategies networks metrics browsers controllers protocols policies mixes; do
    echo "list-$what list $what"
  done
}

run_all() {
  local program=$1 folder=$2
  mkdir -p "$folder/study" && cd "$folder"
  ln -s "$program" pagerace
  ln -s "$root/examples/pages" pages
  ln -s "$root/tests/corpus" tests-corpus
  cp "$root"/calibration/{models.json.gz,observed.json} .
  printf '%s\n' 'title = "Two pages"' 'runs = 2' '[pages]' 'all = ["../pages/shop.har", "../pages/blog.har"]' \
    '[[race]]' 'name = "one"' 'network = ["cable", "slow-4g"]' 'protocol = ["h2", "h3"]' > study/plan.toml
  while read -r name words; do
    eval "./pagerace $words ${quick[*]}" > "$name.out" 2> "$name.err" || echo "exit $?" >> "$name.err"
  done < <(commands)
  while read -r name words; do
    eval "./pagerace $words" > "$name.out" 2> "$name.err" || echo "exit $?" >> "$name.err"
  done < <(others)
}

[ -d "$out/before" ] || (run_all "$before" "$out/before")
rm -rf "$out/after"
(run_all "$after" "$out/after")
diff -r -q --exclude=pagerace "$out/before" "$out/after" || { echo "they differ; both are in $out" >&2; exit 1; }
echo "no differences in $(find "$out/after/" -type f | wc -l) files"
