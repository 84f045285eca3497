#!/usr/bin/env bash
# Tests the image without a container runtime: runs the COPY and RUN lines of its build stage in an empty folder, then the image in a
# separate root with /proc and /dev like a container, as user 65532, isolated from this machine. Needs root and Bun.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != inside ]; then
  if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "not root: the root of the image is not tried"
    exit 0
  fi
  # Mounts disappear with the namespace.
  exec unshare --mount "$0" inside
fi

stage=$(mktemp -d)
root=$(mktemp -d)
chmod 755 "$root"
service=""
finish() {
  [ -z "$service" ] || kill -9 "$service" 2>/dev/null || true
  umount "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$root" "$stage"
}
trap finish EXIT

# Like Docker, copies the content of a folder, and runs commands with the build arguments.
while read -r instruction words; do
  case $instruction in
    COPY)
      to=$stage/${words##* }
      mkdir -p "$to"
      for from in ${words% *}; do
        if [ -d "$from" ]; then cp -r "$from/." "$to"; else cp "$from" "$to"; fi
      done
      ;;
    RUN) (cd "$stage" && REVISION=tried sh -c "${words/ \/rootfs/ $root}" </dev/null) ;;
  esac
done < <(sed '1,/ AS build$/d; /^FROM scratch$/,$d' deploy/Dockerfile)
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

image=(chroot --userspec=65532:65532 "$root" /usr/bin/wallet-data)
PATH=$PATH:/usr/sbin

for text in wallet-data/copyright:"Permission is hereby granted" wallet-data/copyright:"GNU LESSER GENERAL PUBLIC LICENSE" libc6/copyright:glibc; do
  grep -qi "${text#*:}" "$root/usr/share/doc/${text%%:*}" || { echo "the image lacks a license: $text"; exit 1; }
done

log="$root/log"
version=$(env -i PATH="$PATH" "${image[@]}" version)
[[ $version = *"commit tried"* ]] || { echo "the image was built from another revision: $version"; exit 1; }
env -i PATH="$PATH" UPSTREAMS=sandbox SQLITE_PATH=/data/cache.sqlite PORT=0 HOST=127.0.0.1 "${image[@]}" serve >"$log" 2>&1 &
service=$!
port=""
while [ -z "$port" ]; do
  kill -0 "$service" 2>/dev/null || { cat "$log"; echo "the image does not listen"; exit 1; }
  sleep 0.1
  port=$(sed -n 's/.*listening on http:\/\/[^:]*:\([0-9]*\).*/\1/p' "$log" | head -n 1)
done
health=$(env -i PATH="$PATH" PORT="$port" "${image[@]}" health)
[ "$health" = ready ] || { echo "health: $health"; exit 1; }
[ -s "$root/data/cache.sqlite" ] || { echo "the cache is not in /data"; exit 1; }
[ "$(stat -c %u "$root/data/cache.sqlite")" = 65532 ] || { echo "the cache belongs to somebody else"; exit 1; }
kill -TERM "$service"
wait "$service"
service=""
if env -i PATH="$PATH" PORT="$port" "${image[@]}" health 2>/dev/null; then echo "health succeeds without a service"; exit 1; fi
echo "the root of the image serves, is ready, and ends with 0"
