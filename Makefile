# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# Top-level targets. `make demo` and `make check` install their dependencies, print each step, and end with one summary
# line. Kernel builds use Kbuild, not this file.

BUILD   := build
MESON   := $(BUILD)/meson
ASAN    := $(BUILD)/asan
PREFIX  ?= /usr/local

GRAPH   ?= tests/data/wiki-Vote.txt.gz
# Kernels of the VMs: 6.1 (Debian 12), 6.12 (Debian 13), newest (backports).
KERNEL  ?= 6.12
# Logic of the emulated card: model, or rtl, the Verilated RTL, which is much slower.
LOGIC   ?= model
# CARDS=2 joins two cards by a link; LINK sets its fault injection, with the names of gpulink-card(1): "loss=1e-3 corrupt=1e-4".
CARDS   ?= 1
LINK    ?=
# POLICY=paper: the demo with FinePack as published.
POLICY  ?= best
# GPU=1: the demo's work as OpenCL kernels, which PoCL runs on the CPU of the VM.
GPU     ?= 0
# REGION=1: Jacobi iterations by regions instead of PageRank.
REGION  ?= 0
# POOL=1: an embedding of the graph in a pool object instead of PageRank.
POOL    ?= 0
# Kernel build folder for `make module` and `make install`.
KDIR    ?= /lib/modules/$(shell uname -r)/build

.PHONY: all demo demo-machine demo-programs report docs pictures bench bench-peers paper quick check check-machines \
	check-programs check-more vectors check-debug-kernel check-debian soak loggop checkpatch proofs deb synth place coverage mutate install \
	uninstall module clean packages configure configure-asan user asan

all: user

packages:
	@tools/setup/packages

# What the tests need must be there: configuring fails, and names what is missing. The demo, the report and `make install` configure
# the same folder with what is installed, so they need neither Verilator nor the packages of optional parts.
configure: packages
	tools/setup/configure $(MESON) -Drtl=true -Dauto_features=enabled

configure-asan: packages
	tools/setup/configure $(ASAN) -Dauto_features=enabled -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false

user: configure
	ninja -C $(MESON) -j2

asan: configure-asan
	ninja -C $(ASAN) -j2

# Installs the packages for the root file system first: it is then made while the compiler is installed and the programs are built.
DEMO_PROGRAMS := fpga/emu/gpulink-card fpga/emu/gpulink-endpoint daemon/gpulinkd tools/ctl/gpulinkctl tests/demo/gpulink-pagerank \
	tests/demo/gpulink-embed tests/demo/gpulink-jacobi
demo:
	@tools/setup/packages vm
	@$(MAKE) -s -j2 demo-machine demo-programs
	@KERNEL=$(KERNEL) GPULINK_LOGIC=$(LOGIC) CARDS=$(CARDS) LINK="$(LINK)" POLICY=$(POLICY) GPU=$(GPU) REGION=$(REGION) POOL=$(POOL) tests/vm/demo $(GRAPH)

demo-machine:
	@tools/vm/prepare $(KERNEL)

demo-programs:
	@tools/setup/packages user $(if $(filter rtl,$(LOGIC)),check) $(if $(filter 1,$(GPU)),gpu)
	@tools/setup/configure $(MESON) $(if $(filter rtl,$(LOGIC)),-Drtl=true) $(if $(filter 1,$(GPU)),-Dopencl=enabled)
	@echo "ninja: building $(notdir $(DEMO_PROGRAMS))"
	@ninja -C $(MESON) --quiet $(DEMO_PROGRAMS)

# Compares transfer methods on WORKLOAD (gpulink-replay(1)), as a self-contained HTML page.
WORKLOAD ?= sssp
report:
	@tools/setup/packages user
	@tools/setup/configure $(MESON)
	@ninja -C $(MESON) --quiet tools/replay/gpulink-replay
	$(MESON)/tools/replay/gpulink-replay report $(BUILD)/report.html --workload $(WORKLOAD) --input $(GRAPH)

# All pages, the man pages, and reports of some workloads, as a site: build/docs/index.html.
docs:
	@tools/setup/packages user docs
	@tools/setup/configure $(MESON)
	@ninja -C $(MESON) --quiet tools/replay/gpulink-replay
	docs/book $(BUILD)/docs $(MESON)/tools/replay/gpulink-replay

# The pictures of docs/report.md, by a browser.
pictures: report
	@tools/setup/packages pictures
	docs/pictures $(BUILD)/report.html

# All tests. The VM lane, one VM at a time, has priority; the Debian packages, for which it waits at its end, come next; the other
# lanes run at low priority on the remaining CPU time, and so does the build with sanitizers. As for the demo, the root file
# systems are made while packages are installed. checkpatch mostly waits for a download. Sanitizers see nothing in tests of the
# suites docs and script, which read files. SAMPLE: a sixteenth of the proofs' mutation tests, of the recorded proofs, of the faults
# in mutations.toml and of the synthesized blocks, another one with each commit; make check SAMPLE=K/N repeats or widens it, and
# SAMPLE=0/1 takes all. Steps A%B are in one of B samples.
BEGIN := $(shell date +%s)
SAMPLE ?= $(shell echo $$((0x$$(git rev-parse HEAD 2>/dev/null | cut -c 1-4 | grep . || echo 0) % 16)))/16
check:
	@tools/setup/packages vm
	@$(MAKE) -j2 check-machines check-programs
	GPULINK_SAMPLE=$(SAMPLE) tools/setup/check --since $(BEGIN) \
		"tests/vm/module-check" \
		"0%3 GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 link" \
		"1%3 GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 basic" \
		"2%3 GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 regions driver" \
		"GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 kill" \
		"tests/vm/run-suite 6.1 basic" \
		"tests/vm/run-suite newest basic" \
		"tests/vm/run-suite 6.1 rings" \
		"tests/vm/run-suite newest memory" \
		"tests/vm/run-suite newest iommu" \
		"tests/vm/run-suite newest apart" \
		"tests/vm/run-suite newest switch" \
		"tests/vm/run-suite 6.12 endpoints" \
		"tests/vm/run-suite newest ranges" \
		"tests/vm/run-suite 6.12 bounce" \
		"tests/vm/run-suite 6.1 users" \
		"tests/vm/run-suite newest stallers" \
		"tests/vm/run-suite 6.12 regions" \
		"tests/vm/run-suite 6.12 pool" \
		"tests/vm/run-suite newest monitoring" \
		"tests/vm/run-suite 6.1 tracing" \
		"tests/vm/run-suite newest faults" \
		"tests/vm/run-suite 6.12 kill" \
		"tests/vm/run-suite 6.12 daemon" \
		"0%2 tests/vm/run-suite 6.12 life" \
		"0%2 tests/vm/run-suite 6.12 plug" \
		"tests/vm/run-suite 6.12 kexec" \
		"tests/vm/run-suite 6.12 link" \
		"tests/vm/run-suite newest topo" \
		"1%2 tests/vm/run-suite arm64 basic" \
		"tests/vm/demo-check plain" \
		"0%3 tests/vm/demo-check rtl cards" \
		"1%3 tests/vm/demo-check opencl paper" \
		"2%3 tests/vm/demo-check regions pool" \
		"1%4 tests/vm/deb-check vm" \
	-- \
		"1%4 tests/vm/deb-check trixie" \
		"3%4 tests/vm/deb-check bookworm" \
		"tools/setup/checkpatch" \
		"1%2 tools/setup/test/install-check" \
	-- \
		"$(MESON) --num-processes 2 --no-suite third-0 --no-suite third-1 --no-suite third-2" \
		"0%3 $(MESON) --num-processes 2 --suite third-0" \
		"1%3 $(MESON) --num-processes 2 --suite third-1" \
		"2%3 $(MESON) --num-processes 2 --suite third-2" \
	-- \
		"ninja -C $(ASAN) -j2 --quiet && printf '1..1\nok 1 - user space builds with sanitizers, warnings as errors\n'" \
		"$(ASAN) --no-suite docs --no-suite script --num-processes 2" \
		"fpga/sim/synth.py --limits fpga/sim/synth_limits.toml --jobs 2"

# The test vectors with the documents that they are of, for other implementations: build/gpulink-vectors-VERSION.tar.gz.
VECTORS := gpulink-vectors-$(shell sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
vectors:
	rm -rf $(BUILD)/vectors
	tests/vectors/generate.py $(BUILD)/vectors/tests/vectors
	tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 --transform 's,^,$(VECTORS)/,' \
		-czf $(BUILD)/$(VECTORS).tar.gz LICENSE docs/wire-format.md docs/link-format.md tests/vectors/README.md \
		-C $(BUILD)/vectors tests/vectors

# What check samples, whole: its suites on further kernels, all mutation tests of the proofs, all faults of mutations.toml, all
# synthesis limits, longer lock steps.
FORMAL := $(foreach group,$(notdir $(wildcard fpga/sim/formal/claims/*)),formal-$(group))
check-more: user check-machines
	tools/setup/check "GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 regions" "GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 link" \
		"GPULINK_LOGIC=rtl tests/vm/run-suite 6.12 basic" "tests/vm/demo-check" "tests/vm/deb-check" "tests/vm/run-suite 6.12 basic" \
		"tests/vm/run-suite 6.12 life" "tests/vm/run-suite 6.12 plug" "tests/vm/run-suite arm64 basic" "tools/setup/test/install-check" \
		"tests/vm/run-suite newest rings" "tests/vm/run-suite 6.1 memory" \
		"tests/vm/run-suite 6.12 faults" "tests/vm/run-suite 6.1 ranges" "tests/vm/run-suite newest users" \
		"tests/vm/run-suite 6.1 stallers" "tests/vm/run-suite 6.12 stallers" \
		"tests/vm/run-suite newest endpoints" "tests/vm/run-suite arm64 rings" "tests/vm/run-suite arm64 memory" \
		"tests/vm/run-suite arm64-16k basic" "tests/vm/run-suite arm64-16k memory" \
		"tests/vm/big-endian-check" "TREE=iommu tests/vm/run-suite newest topo" \
		"fpga/model/pool/test/check-leases --whole rumur $(BUILD)/leases" \
		"$(MESON)/fpga/model/lease-random-test --accesses 20000000" -- "$(MESON) $(FORMAL) mutate-known" \
		"$(MESON) --suite third-0 --suite third-1 --suite third-2" \
		"$(MESON)/fpga/sim/finepack/lockstep-finepack-tx-512-16-64 --stores 1000000" \
		"$(MESON)/fpga/sim/card/lockstep-card --rounds 6" "$(MESON)/fpga/sim/card/lockstep-card-256-4 --rounds 40" \
		"$(MESON)/fpga/sim/card/lockstep-card-128-1 --rounds 12" \
		"$(MESON)/fpga/sim/linked/test-linked-card --cards rtl,model --rounds 5 --clocks 8000" \
		"$(MESON)/fpga/sim/linked/test-linked-card --cards model,rtl --rounds 5 --clocks 8000" \
		-- "fpga/sim/synth.py --limits fpga/sim/synth_limits.toml"

check-machines:
	tools/vm/prepare

check-programs: user configure-asan

# Three minutes, once everything is built: the fast unit tests, and one suite in a VM.
quick: user
	tools/vm/prepare 6.12
	tools/setup/check "tests/vm/run-suite 6.12 basic" -- "$(MESON) --no-suite slow --num-processes 2"

# The VM suites on a debug kernel (KASAN, lockdep, kmemleak), two suites that require it, and those with the most concurrency on a
# kernel with KCSAN. Not part of check: each kernel takes 20 minutes to build, once, and the suites take several times as long as
# on a stock kernel.
DEBUG_SUITES := basic link faults kill daemon memory rings users stallers ranges endpoints monitoring apart bounce regions pool injection fuzz
KCSAN_SUITES := basic rings memory link
check-debug-kernel: user
	tools/vm/debug-kernel debug
	tools/vm/debug-kernel kcsan
	tools/setup/check $(foreach s,$(DEBUG_SUITES),"tests/vm/run-suite debug $(s)") \
		"LIFE_LOOPS=5 tests/vm/run-suite debug life" \
		$(foreach s,$(KCSAN_SUITES),"tests/vm/run-suite kcsan $(s)")

# What README promises of Debian 13, in a fresh root file system: the demo, a build without warnings, the fast unit tests.
check-debian: packages
	tools/setup/check "tests/vm/debian-check trixie"

# An overnight soak test, in pieces: it can be stopped at any time, and continues when it is started again, with the figures of all
# pieces (tests/vm/soak). SOAK_KINDS selects the parts to run. All but the first two are life-cycle events
# (tests/vm/suites/life.sh), each run SOAK_LOOPS times, SOAK_PIECE times in a VM. SOAK_MINUTES ends a run.
SOAK_FUZZ_SECONDS ?= 600
SOAK_LOOPS ?= 1000
SOAK_PIECE ?= 50
SOAK_MINUTES ?= 600
SOAK_KINDS ?= traces fuzz reset administrator rebind rescan sleep-test suspend fatal not-fatal silence unload unplug replace \
	button
soak_traces = traces:300:60:seconds:$(ASAN)/tools/replay/trace/test/replay_trace_fuzz --seconds={n}
soak_fuzz = fuzz:$(SOAK_FUZZ_SECONDS):300:seconds:VM_TIMEOUT=1500 tests/vm/run-suite debug fuzz {n}
soak_life = $(1):$(SOAK_LOOPS):$(SOAK_PIECE):loops:LIFE_LOOPS={n} LIFE_KINDS=$(1) VM_TIMEOUT=3000 \
	tests/vm/run-suite 6.12 $(if $(filter unplug replace button,$(1)),plug,life)
soak: user asan
	tools/vm/prepare
	tests/vm/soak --minutes $(SOAK_MINUTES) $(foreach k,$(SOAK_KINDS),"$(or $(soak_$(k)),$(call soak_life,$(k)))")

checkpatch: packages
	tools/setup/checkpatch

# Proves what fpga/sim/formal/proved does not have, and writes the file again.
proofs: packages
	printf '%s\n' $(notdir $(wildcard fpga/sim/formal/claims/*)) | \
		GPULINK_SAMPLE=$(SAMPLE) xargs -P 2 -I GROUP fpga/sim/formal/prove $(BUILD)/proofs/GROUP GROUP
	LC_ALL=C sort -k 2 $(BUILD)/proofs/*/proved >fpga/sim/formal/proved

# Maps the blocks of the logic to UltraScale+ cells, in 40 minutes on a busy core. Fails when a block is deeper than 10 LUT levels.
synth: packages
	fpga/sim/synth.py --set DATA_W=512 --set PARTITIONS=16 --most-levels 10 --out docs/synthesis.md

# Places and routes the FinePack path and each block, 128 bits wide, on an ECP5-85. For regressions: the ECP5 is not the target part.
place: packages
	tools/vm/prepare
	fpga/sim/place $(BUILD)/place --out $(BUILD)/place/table.md

# Reproduces the papers' figures with gpulink's logic, in six minutes, and records what the programs printed.
paper: user
	tools/replay/paper/paper $(MESON)/tools/replay/gpulink-replay $(MESON)/tools/model/gpulink-model docs/papers.md

# Measures the Verilog's clocks for docs/loggop.md and for the card in the model of time, in ten minutes.
loggop: user
	tools/loggop/page --measure $(MESON)/fpga/sim/card/card-loggop $(MESON)/fpga/sim/card/card-rates $(MESON)/tools/replay/gpulink-replay tests/data/loggop
	tools/loggop/clocks tests/data/loggop tools/replay/paradigm/card_clocks.h
	tools/loggop/page $(MESON)/tools/model/gpulink-model $(MESON)/tools/replay/gpulink-replay tests/data/loggop docs/loggop.md

# Stores of 8 bytes by gpulink's devices, OpenSHMEM, UCX, MPI and plain, in turns; BALE=PREFIX: also by an installed bale. PEERS: options,
# as for the tables of docs/performance.md.
bench-peers: user
	tests/peers/bench-peers $(MESON)/tests/peers $(addprefix --shmem ,$(wildcard $(MESON)/libclient/shmem/libgpulink-shmem.so)) \
		$(addprefix --bale ,$(BALE)) $(PEERS)

# RTL coverage of the lock-step benches, in a few minutes.
coverage: user
	fpga/sim/coverage $(MESON) $(BUILD)/coverage

# Plants faults in the Verilog and counts those that a test notices: the known ones, then a random sample. SECONDS limits the time.
SECONDS ?= 7200
SEED    ?= 1
mutate: user
	fpga/sim/mutate --seed $(SEED) --seconds $(SECONDS) $(MESON) $(BUILD)/mutate

# Benchmarks the model: the cost of a store, stage by stage.
bench: user
	$(MESON)/tools/replay/replay-bench

# Debian packages for SUITE (trixie, or bookworm), in build/deb/SUITE.
SUITE ?= trixie
deb: packages
	tools/deb/build $(SUITE)

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) W=1 modules

# Programs, library and module need the packages of user space only; optional parts are built where their packages are installed.
install:
	@tools/setup/packages user
	@tools/setup/install $(MESON) $(PREFIX) $(KDIR)

uninstall:
	@tools/setup/install --remove $(MESON)

clean:
	rm -rf $(MESON) $(ASAN)
