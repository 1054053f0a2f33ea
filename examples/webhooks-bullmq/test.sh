#!/usr/bin/env bash
# Runs the example against a real Redis: needs redis-server (Debian: apt-get install redis-server) and the library built.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v redis-server >/dev/null; then
  echo "redis-server is missing (Debian: apt-get install redis-server)" >&2
  exit 1
fi
# The Node and the TypeScript of the library's own development dependencies.
export PATH="$PWD/../../node_modules/.bin:$PATH"
[ -e ../../dist/webhooks/index.js ] || (cd ../.. && npm run build)
npm ci --no-audit --no-fund
# The library is the one around this folder; in a project of your own it comes from npm.
ln -sfn ../../.. node_modules/education-admin-sdk
tsc -p tsconfig.json
node --disable-warning=ExperimentalWarning test.ts
