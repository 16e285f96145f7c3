#!/bin/sh
# Everything, or what is missing of it: fetches, records, loads, predicts, compares.
#     calibration/measure.sh FOLDER [OPTION]...
# FOLDER takes packages and recordings. OPTIONs are those of `pagerace calibrate`:
# --offline compares what was measured before, from models.json.gz, without packages and
# recordings. $PAGERACE is the program.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:?usage: measure.sh FOLDER [OPTION]...}"
shift
case " $* " in
*" --offline "*) ;;
*)
    "$here/fetch.sh" "$folder/packages"
    "$here/record.sh" "$folder/packages" "$folder/pages"
    set -- "$folder"/pages/*.page.gz "$@"
    ;;
esac
held_out="$(awk -F, '$4 == "held-out" { print $1 }' "$here/pages.csv" | paste -sd, -)"
cd "$here/.."
exec "${PAGERACE:-pagerace}" calibrate "$@" --held-out "$held_out" \
    --network 'slow-4g,fast-4g,cable,lossy-wifi,rate 50mbit rtt 20ms,rate trace:calibration/cellular.trace rtt 60ms' \
    --observations calibration/observed.json --models calibration/models.json.gz
