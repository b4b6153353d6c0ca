#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes the streams of tests/data again, byte for byte: they change only with the format.
# usage: make-data.sh MAKE_STREAM [FOLDER]
# MAKE_STREAM is tests/support/make_stream of a build tree; FOLDER is where this script lies.
set -eu
make_stream=${1:?usage: make-data.sh MAKE_STREAM [FOLDER]}
folder=${2:-$(dirname "$0")}

# One segment of two cells, an effect and its A/A cell, with quads.
"$make_stream" --visits 6 --loads 1 --quads 12 >"$folder/quads.data"
# The same in file mode, with two counters and the periods in cycles.
rm -f "$folder/counters-file.data"
"$make_stream" --visits 2 --loads 1 --quads 10 --counters 2 --cycles 1 \
  --file "$folder/counters-file.data"
# Reduced visits of three cells.
"$make_stream" --visits 7 --cells 3 --reduced 1 >"$folder/reduced.data"
# Two bare segments, as (a; b) makes them; the second one counts instructions.
{
  "$make_stream" --bare 1 --visits 2 --quads 4
  "$make_stream" --bare 1 --visits 1 --quads 4 --seed 2 --counters 1
} >"$folder/segments.data"

# oldest.data and oldest-file.data are what the first writer made of the first two: the oldest
# streams that must be read for ever. They are not made again.
