#!/bin/sh
# Records the pages of calibration/pages.csv, each as FOLDER/NAME.page.gz:
#     calibration/record.sh PACKAGES FOLDER [NAME]...
# PACKAGES is what fetch.sh has fetched. Without a NAME all pages that FOLDER does
# not have. $PAGERACE is the program. Every page may use every host of hosts.csv and
# third-party/, except for the host in its column `without`.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
packages="${1:?usage: record.sh PACKAGES FOLDER [NAME]...}"
out="${2:?usage: record.sh PACKAGES FOLDER [NAME]...}"
shift 2
names="$*"
mkdir -p "$out"
hosts="$packages/hosts"
[ -d "$hosts" ] || node "$here/hosts.mjs" "$packages" "$hosts"
tail -n +2 "$here/pages.csv" | while IFS=, read -r name package page set device add without; do
    if [ -n "$names" ]; then
        case " $names " in *" $name "*) ;; *) continue ;; esac
    elif [ -e "$out/$name.page.gz" ]; then
        continue
    fi
    root="$packages/$package"
    file="$root/$page"
    if [ -n "$add" ]; then
        # The third parties' elements end the body, or what there is.
        for part in $add; do cat "$here/third-party/$part.html"; done > "$packages/add.html"
        file="${file%.html}.$name.html"
        sed "/<\/body>/{
            r $packages/add.html
        }" "$root/$page" > "$file"
    fi
    set --
    for folder in "$hosts"/*/; do
        folder="${folder%/}"
        [ "${folder##*/}" = "$without" ] || set -- "$@" --host "${folder##*/}=$folder"
    done
    "${PAGERACE:-pagerace}" record "$file" --root "$root" --device "$device" "$@" \
        -o "$out/$name.page.gz" < /dev/null || echo "$name was not recorded" >&2
done
