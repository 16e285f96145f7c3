#!/bin/sh
# Fetches the packages of calibration/pages.csv and calibration/hosts.csv from npm
# and unpacks them:
#     calibration/fetch.sh FOLDER [PACKAGE]...
# Without a PACKAGE (with its version) all of them. npm checks what it fetches
# against the registry's hashes; nothing of the packages is run.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:?usage: fetch.sh FOLDER [PACKAGE]...}"
shift
mkdir -p "$folder"
cd "$folder"
{ tail -n +2 "$here/pages.csv" | cut -d, -f2; tail -n +2 "$here/hosts.csv" | cut -d, -f3; } |
    sort -u | while read -r package; do
    if [ $# -gt 0 ]; then
        case " $* " in *" $package "*) ;; *) continue ;; esac
    fi
    [ -d "$package" ] && continue
    archive="$(npm pack --silent "$package" | tail -n 1)"
    mkdir -p "$package.part"
    tar -xzf "$archive" -C "$package.part" --strip-components=1 2> /dev/null
    chmod -R u+rwX "$package.part"
    rm "$archive"
    mv "$package.part" "$package"
    echo "$package"
done
