#!/usr/bin/env bash
# Installs the programs that some tests run (Debian packages; needs root). Without them those tests are skipped.
set -euo pipefail

missing=()
for program in litecoind:litecoind redis-server:redis-server nginx:nginx promtool:prometheus \
  chromium-headless-shell:chromium-headless-shell openssl:openssl systemd-analyze:systemd \
  java:default-jre-headless minisign:minisign kubectl:kubernetes-client python3:python3; do
  PATH=$PATH:/usr/sbin command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
done
[ ${#missing[@]} = 0 ] && exit 0

echo "installing ${missing[*]}"
for _ in 1 2 3; do
  if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
    exit 0
  fi
  sleep 10
done >/dev/null
# The tests also run in the whole browser, at twice the CPU time.
[ "${missing[*]}" = chromium-headless-shell ] && command -v chromium >/dev/null && exit 0
echo "cannot be installed: ${missing[*]}"
exit 1
