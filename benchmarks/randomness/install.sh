#!/bin/sh
# Installs TestU01 (Debian's non-free section: free of charge for non-commercial use) and a C compiler, and builds `battery`.
# It adds the section `non-free` to the Debian sources this machine already has. Run it as root; a second run changes nothing.
set -eu
cd "$(dirname "$0")"

for file in /etc/apt/sources.list.d/*.sources; do # Components: main
    [ -e "$file" ] && sed -i -E '/^Components:.*\bmain\b/{/ non-free( |$)/!s/[[:space:]]*$/ non-free/}' "$file"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do # deb HOST SUITE main
    [ -e "$file" ] && sed -i -E '/^deb .*\bmain\b/{/ non-free( |$)/!s/[[:space:]]*$/ non-free/}' "$file"
done

apt-get update -q
apt-get install -q -y --no-install-recommends libtestu01-0-dev gcc libc6-dev
gcc -O2 -Wall -Wextra -o battery battery.c -ltestu01 -ltestu01probdist -ltestu01mylib -lm
