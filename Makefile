# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# The front door. `make demo` and `make check` install what they need, print what they do, and end with one line that
# says how it went. Kernel builds enter through Kbuild, not through this file.

BUILD   := build
MESON   := $(BUILD)/meson
ASAN    := $(BUILD)/asan
PREFIX  ?= /usr/local

.PHONY: all check demo install clean packages user asan

all: user

packages:
	tools/setup/packages

$(MESON)/build.ninja: | packages
	meson setup $(MESON) --prefix=$(PREFIX)

$(ASAN)/build.ninja: | packages
	meson setup $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false

user: packages $(MESON)/build.ninja
	ninja -C $(MESON) -j2

asan: packages $(ASAN)/build.ninja
	ninja -C $(ASAN) -j2

check: user asan
	tools/setup/check $(MESON) $(ASAN)

install: user
	meson install -C $(MESON) --no-rebuild

clean:
	rm -rf $(MESON) $(ASAN)
