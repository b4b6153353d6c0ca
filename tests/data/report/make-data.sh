#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes the measurements of tests/data/report again, byte for byte: they change only with the format.
# usage: make-data.sh MAKE_MEASUREMENT [FOLDER]
# MAKE_MEASUREMENT is tests/support/make_measurement of a build tree.
set -eu
make_measurement=${1:?usage: make-data.sh MAKE_MEASUREMENT [FOLDER]}
folder=${2:-$(dirname "$0")}
for name in pair sweep base null drift failed spoiled; do
  "$make_measurement" "$name" >"$folder/$name.data"
done
