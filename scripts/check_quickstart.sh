#!/usr/bin/env bash
# Checks what the quickstart wrote into results/quickstart: the files are there, a second run makes no call and writes the
# same bytes, every link of every page leads somewhere, and a browser opens the report.
#
# usage: scripts/check_quickstart.sh path/to/tabjury
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tabjury="${1:?usage: scripts/check_quickstart.sh path/to/tabjury}"
study=examples/quickstart/study.toml
run=results/quickstart
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    printf 'check_quickstart: %s\n' "$1" >&2
    exit 1
}

for file in study.toml run.json samples.jsonl traces.jsonl pages.jsonl trials.jsonl judgments.jsonl faithfulness.jsonl analysis.json report.html; do
    [ -s "$run/$file" ] || fail "$run/$file is missing or empty"
done

# Everything a run writes is an output, apart from the call store and what SQLite keeps beside it.
digest() {
    (cd "$run" && find . -type f ! -name 'calls.sqlite*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}
digest >"$scratch/first"
"$tabjury" run "$study" --offline >"$scratch/out" 2>"$scratch/err" || fail "the second run failed: $(cat "$scratch/err")"
digest >"$scratch/second"
cmp -s "$scratch/first" "$scratch/second" || fail "the second run wrote other bytes: $(diff "$scratch/first" "$scratch/second" | head -n 10)"
if grep -Eq '\b[1-9][0-9]* calls made' "$scratch/err"; then
    fail "the second run made calls: $(cat "$scratch/err")"
fi

# A fresh directory gives the same bytes too: nothing depends on what was there before.
"$tabjury" run "$study" --out "$scratch/fresh" >/dev/null 2>"$scratch/err" || fail "a fresh run failed: $(cat "$scratch/err")"
(run="$scratch/fresh"; digest) >"$scratch/third"
cmp -s "$scratch/first" "$scratch/third" || fail "a fresh run wrote other bytes: $(diff "$scratch/first" "$scratch/third" | head -n 10)"

# Every page keeps to itself what it must, and every lineage holds when its table is changed.
"$tabjury" check "$scratch/fresh" >"$scratch/out" 2>"$scratch/err" || fail "the check failed: $(cat "$scratch/err")"
cat "$scratch/out"

python3 - "$run" <<'PYTHON'
import html.parser, pathlib, sys, urllib.parse

root = pathlib.Path(sys.argv[1])
problems, links = [], 0


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.ids = path, [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                if value in self.ids:
                    problems.append(f"{self.path}: id {value!r} twice")
                self.ids.add(value)


pages = {}
for path in sorted(root.rglob("*.html")):
    page = Page(path)
    page.feed(path.read_text(encoding="utf-8"))
    pages[path.resolve()] = page
for page in pages.values():
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme in ("data",):
            continue
        links += 1
        if parts.scheme or parts.netloc:
            problems.append(f"{page.path}: {link} leaves the disk")
            continue
        target = page.path.resolve()
        if parts.path:
            target = (page.path.parent / urllib.parse.unquote(parts.path)).resolve()
        if not target.exists():
            problems.append(f"{page.path}: {link} leads nowhere")
        elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
            problems.append(f"{page.path}: {link}: no such id")
if not pages or not links:
    problems.append("no pages or no links were found")
for problem in problems[:20]:
    print("check_quickstart:", problem, file=sys.stderr)
print(f"{len(pages)} pages, {links} links, {len(problems)} problems")
sys.exit(bool(problems))
PYTHON

if command -v chromium >/dev/null; then
    timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/browser" \
        --dump-dom "file://$PWD/$run/report.html" >"$scratch/dom" 2>/dev/null || fail "the browser did not open the report"
    grep -q '<table' "$scratch/dom" || fail "the browser shows no table in the report"
    echo "the report opens in a browser"
elif [ "${TABJURY_REQUIRE_BROWSER:-}" = 1 ]; then
    fail "no chromium, and TABJURY_REQUIRE_BROWSER=1"
else
    echo "skipped: opening the report in a browser (no chromium)"
fi
