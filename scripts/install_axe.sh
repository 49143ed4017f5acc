#!/usr/bin/env bash
# Fetches the accessibility checker that tests/browser.rs runs in the browser (axe-core, MPL 2.0) into target/, at one fixed
# version. It is used in tests alone and never becomes part of a page or of this repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=4.14.1
[ -f "target/axe/$version/node_modules/axe-core/axe.min.js" ] && exit 0
mkdir -p "target/axe/$version"
npm install --prefix "target/axe/$version" --no-save --no-audit --no-fund --ignore-scripts "axe-core@$version"
