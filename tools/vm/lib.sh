# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the VM scripts share: where things are, how to run a command inside a root folder, and how to run QEMU.
# Sourced, with `set -euo pipefail` in force.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$top/build
roots=$build			# build/root-SUITE: Debian root folders
kernels=$build/kernels		# build/kernels/NAME: vmlinuz, modules, release, suite

# Lines of a kernel log that are a defect of the kernel or of its modules. Leaks are asked for elsewhere.
complaints='BUG:|WARNING:|Oops|KASAN|UBSAN|Call Trace|Kernel panic|general protection|blocked for more than|possible recursive'
complaints+='|possible circular|suspicious RCU|scheduling while atomic|ODEBUG|refcount_t'
# A name that is taken, for one; not that there was no memory (-12), which is a suite's doing.
complaints+='|kobject_add_internal failed for .* (with -EEXIST|\(error: -([^1]|1[^2]))'

# A root file system that a crash leaves broken is made again; and nobody reads its documentation.
dpkg_options=(--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*'
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*')

say() { echo "$(basename "$0"): $*"; }
die() { echo "$(basename "$0"): $*" >&2; exit 1; }

# The Debian mirror that this machine's apt uses.
mirror() {
	local site
	site=$(apt-get indextargets --format '$(SITE)|$(ORIGIN)|$(LABEL)|$(CODENAME)' 2>/dev/null |
		awk -F'|' '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
	if [ -z "$site" ]; then	# the lists were never fetched: read the configuration itself
		site=$(sed -nE 's/^URIs:[[:space:]]*([^[:space:]]+).*/\1/p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p' \
			/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
			grep -E '/debian/?$' | head -n 1)
	fi
	[ -n "$site" ] || die "apt's configuration names no Debian mirror"
	echo "${site%/}"
}

# in_root SUITE COMMAND...: runs a command inside a root folder, as its root user. In a mount namespace of its own, so
# that it can have a /proc, which newer kernels' objtool needs.
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

# install_in SUITE PACKAGE...: into a root folder.
install_in() {
	local suite=$1
	shift
	in_root "$suite" apt-get -qq -o 'Acquire::Check-Valid-Until=false' -o DPkg::Lock::Timeout=300 \
		install -y --no-install-recommends "$@" >"$build/install-$suite.log" 2>&1 ||
		{ tail -n 20 "$build/install-$suite.log" >&2; die "cannot install $* in the $suite root folder"; }
}

# Prints the path of the machine's own QEMU if that has vfio-user-pci, which 10.1 is the first to have.
own_qemu() {
	local own
	own=$(command -v qemu-system-x86_64) && "$own" -device help 2>/dev/null | grep -q '"vfio-user-pci"' && echo "$own"
}

# Prints the command line (one word a line) that starts a QEMU with vfio-user-pci: the machine's own, or that of the trixie
# root file system, which needs neither root nor a chroot.
qemu_command() {
	own_qemu && return
	tool_of_root usr/bin/qemu-system-x86_64
	printf '%s\n' -L "$roots/root-trixie/usr/share/seabios" -L "$roots/root-trixie/usr/share/qemu"
}

# Prints the command line (one word a line) that runs a program of the trixie root folder outside it, by its own loader.
tool_of_root() {
	local root=$roots/root-trixie
	printf '%s\n' "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu" \
		"$root/$1"
}
