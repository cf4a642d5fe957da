# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the VM scripts: paths, running a command in a root file system, starting QEMU.
# To be sourced with `set -euo pipefail` in force.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$top/build
roots=$build			# build/root-SUITE: Debian root file systems
kernels=$build/kernels		# build/kernels/NAME: vmlinuz, modules, release, suite

# Kernel log lines that report a defect of the kernel or its modules. Leaks are checked elsewhere (tests/vm/suites/lib.sh).
complaints='BUG:|WARNING:|Oops|KASAN|UBSAN|Call Trace|Kernel panic|general protection|blocked for more than|possible recursive'
complaints+='|possible circular|suspicious RCU|scheduling while atomic|ODEBUG|refcount_t'
# For example a duplicate name; not -ENOMEM (-12), which suite injection provokes.
complaints+='|kobject_add_internal failed for .* (with -EEXIST|\(error: -([^1]|1[^2]))'

# lost_cards FOLDER: says what was too slow in a VM whose logs are in the folder. QEMU gives a device up 5 s after an access without an
# answer; the guest then reads ones, and has no card.
lost_cards() {
	! grep -qs 'timed out waiting for reply' "$1/qemu.log" || echo "card lost: no answer for 5 s, machine too slow"
	cat "$1"/*.log 2>/dev/null | sed -n 's/^gpulink-[a-z]*: \(.*machine too slow\)$/\1/p' | sort | uniq -c |
		sed 's/^ *1 //; s/^ *\([0-9][0-9]*\) \(.*slow\)$/\1 times: \2/' || true
}

# No fsync: a root file system that a crash leaves broken is made again. No documentation: it is not used.
dpkg_options=(--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*'
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*')

say() { echo "$(basename "$0"): $*"; }
die() { echo "$(basename "$0"): $*" >&2; exit 1; }

# The Debian mirror that this machine's apt uses.
mirror() {
	local site
	site=$(apt-get indextargets --format '$(SITE)|$(ORIGIN)|$(LABEL)|$(CODENAME)' 2>/dev/null |
		awk -F'|' '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
	if [ -z "$site" ]; then	# package lists were never fetched: read the configuration
		site=$(sed -nE 's/^URIs:[[:space:]]*([^[:space:]]+).*/\1/p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p' \
			/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
			grep -E '/debian/?$' | head -n 1)
	fi
	[ -n "$site" ] || die "apt's configuration names no Debian mirror"
	echo "${site%/}"
}

# in_root SUITE COMMAND...: runs a command in a root file system, as its root user. Uses a private mount namespace with
# /proc, which newer kernels' objtool needs.
in_root() {
	local root=$roots/root-$1 inner='mount --rbind /proc "$0/proc" 2>/dev/null; exec chroot "$0" "$@"' outer
	shift
	if [ "$(id -u)" != 0 ]; then
		outer=(unshare --map-root-user --map-auto --user --mount)
	elif unshare --mount true 2>/dev/null; then
		outer=(unshare --mount)
	else
		outer=() inner='exec chroot "$0" "$@"'
	fi
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} "${outer[@]}" sh -c "$inner" "$root" "$@"
}

# install_in SUITE PACKAGE...: installs packages into a root file system.
install_in() {
	local suite=$1
	shift
	in_root "$suite" apt-get -qq -o 'Acquire::Check-Valid-Until=false' -o DPkg::Lock::Timeout=300 \
		install -y --no-install-recommends "$@" >"$build/install-$suite.log" 2>&1 ||
		{ tail -n 20 "$build/install-$suite.log" >&2; die "cannot install $* in the $suite root file system"; }
}

# own_qemu x86_64|aarch64: prints the path of the host's QEMU if it supports vfio-user-pci (QEMU 10.1 or later).
own_qemu() {
	local own
	own=$(command -v "qemu-system-$1") && "$own" -device help 2>/dev/null | grep -q '"vfio-user-pci"' && echo "$own"
}

# qemu_command x86_64|aarch64: prints the command line (one word per line) of a QEMU with vfio-user-pci: the host's, or the
# one in the trixie root file system, run without root and without chroot.
qemu_command() {
	own_qemu "$1" && return
	tool_of_root "usr/bin/qemu-system-$1"
	printf '%s\n' -L "$roots/root-trixie/usr/share/seabios" -L "$roots/root-trixie/usr/share/qemu"
}

# Prints the command line (one word per line) that runs a program of the trixie root file system on the host, with that
# system's loader.
tool_of_root() {
	local root=$roots/root-trixie
	printf '%s\n' "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu" \
		"$root/$1"
}
