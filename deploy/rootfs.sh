#!/bin/sh
# Builds the root file system of the image: the binary, its linked libraries, and the few files that every program expects.
# The licenses of all of them are in /usr/share/doc; fails if one is missing. The libraries come from packages of Debian.
# usage: rootfs.sh BINARY FOLDER
set -eu
binary=$1
root=$2

mkdir -p "$root/usr/bin" "$root/etc" "$root/data" "$root/tmp"
cp "$binary" "$root/usr/bin/wallet-data"
chmod 755 "$root/usr/bin/wallet-data"

# Lines of ldd are "libc.so.6 => /lib/.../libc.so.6 (0x...)" and, for the loader, "/lib64/ld-linux-x86-64.so.2 (0x...)".
ldd "$binary" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
  # dpkg knows a file by one name: with or without /usr, or that of the file behind a link.
  package=$(dpkg -S "$library" "/usr$library" "$(readlink -f "$library")" 2>/dev/null | sed -n '1s/:.*//p')
  copyright=/usr/share/doc/$package/copyright
  [ -n "$package" ] && [ -s "$copyright" ] || { echo "$library has no license file: $copyright" >&2; exit 1; }
  mkdir -p "$root${copyright%/*}"
  cp -L "$copyright" "$root$copyright"
  grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$copyright" | sort -u | while read -r text; do
    mkdir -p "$root${text%/*}"
    cp -L "$text" "$root$text"
  done
done

mkdir -p "$root/usr/share/doc/wallet-data"
"$binary" licenses >"$root/usr/share/doc/wallet-data/copyright"

echo 'wallet-data:x:65532:65532::/data:/sbin/nologin' >"$root/etc/passwd"
echo 'wallet-data:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
chown 65532:65532 "$root/data"
