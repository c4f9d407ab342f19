#!/bin/sh
# site.sh SITE ENGINE MODEL... - puts the lab into a folder that any host of files can serve: the
# page, the engine, and GGUF files of which the first is shown.  All addresses in it are relative.
set -eu
site=${1:?usage: site.sh SITE ENGINE MODEL...}
engine=${2:?usage: site.sh SITE ENGINE MODEL...}
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)

rm -rf "$site"
mkdir -p "$site/models"
cp -R "$root/web/." "$site"
cp "$engine" "$site/engine.wasm"
chmod a-x "$site/engine.wasm"
names=
for model in "$@"; do
    cp "$model" "$site/models"
    names="$names $(basename "$model" .gguf)"
done
# A page that lists models does not look for a server.
sed "s|^<title>|<meta name=\"heed-models\" content=\"${names# }\">\\
&|" "$root/web/index.html" >"$site/index.html"
grep -q heed-models "$site/index.html"
