#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install-config.sh FILE: installs the configuration where there is none yet; what an administrator wrote stays.
set -eu
folder=${DESTDIR:-}/etc/gpulink
if [ ! -e "$folder/gpulinkd.conf" ]; then
	echo "Installing $1 to $folder"
	install -D -m 644 "$1" "$folder/gpulinkd.conf"
fi
