#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install-config.sh FILE: installs the configuration where there is none yet; what an administrator wrote stays.
# install-config.sh --remove FILE: removes it if it is still that.
set -eu
folder=${DESTDIR:-}/etc/gpulink
if [ "$1" = --remove ]; then
	if cmp -s "$2" "$folder/gpulinkd.conf"; then
		rm "$folder/gpulinkd.conf"
		rmdir --ignore-fail-on-non-empty "$folder"
	fi
	exit 0
fi
[ ! -e "$folder/gpulinkd.conf" ] || exit 0
# A user who installs below his home cannot, and need not: without a configuration gpulinkd changes nothing.
if install -D -m 644 "$1" "$folder/gpulinkd.conf" 2>/dev/null; then
	echo "Installing $1 to $folder"
	[ -n "${DESTDIR:-}" ] || getent group gpulink-admin >/dev/null ||
		echo "The group gpulink-admin does not exist yet: systemd-sysusers, or groupadd --system gpulink-admin, makes it"
else
	echo "Not installing $1: $folder cannot be written"
fi
