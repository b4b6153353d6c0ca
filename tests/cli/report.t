# Reports of the streams of tests/data: golden text, JSON, CSV and samples, and the exit statuses.

NAME a pair of calls is a table with floors, flags and the paired difference
RUN xdpcost report {data}/report/pair.data
ENV LC_ALL=C
EXPECT_FILE golden/report-pair.txt
EXPECT_STDERR_EMPTY

NAME a locale of UTF-8 gets one plus-minus character
RUN xdpcost report {data}/report/pair.data
ENV LC_ALL=C.UTF-8
EXPECT ±
EXPECT_NONE +-

NAME a locale with decimal commas changes no number
SHELL diff <(LC_ALL=C xdpcost report --csv {data}/report/pair.data) <(LC_ALL=de_DE.UTF-8 xdpcost report --csv {data}/report/pair.data) && diff <(LC_ALL=C xdpcost report --json {data}/report/pair.data) <(LC_ALL=de_DE.UTF-8 xdpcost report --json {data}/report/pair.data)
EXPECT_EMPTY

NAME a sweep with a counter is wrapped into blocks
RUN xdpcost report {data}/report/sweep.data
ENV LC_ALL=C
EXPECT_FILE golden/report-sweep.txt

NAME a base gets a share
RUN xdpcost report {data}/report/base.data
ENV LC_ALL=C
EXPECT_FILE golden/report-base.txt

NAME drift prints both halves
RUN xdpcost report {data}/report/drift.data
ENV LC_ALL=C
EXPECT_FILE golden/report-drift.txt

NAME a cell with wrong returns has no number and ends with status 2
RUN xdpcost report {data}/report/failed.data
ENV LC_ALL=C
EXIT 2
EXPECT_FILE golden/report-failed.txt

NAME null cells alone are shown
RUN xdpcost report {data}/report/null.data
ENV LC_ALL=C
EXPECT_FILE golden/report-null.txt

NAME floors of one stream serve the next
SHELL cat {data}/report/null.data {data}/report/spoiled.data | xdpcost report
ENV LC_ALL=C
EXPECT_FILE golden/report-pipeline.txt

NAME several files are one report as several segments are
SHELL diff <(xdpcost report --json {data}/report/null.data {data}/report/spoiled.data | grep -v source) <(cat {data}/report/null.data {data}/report/spoiled.data | xdpcost report --json | grep -v source)
EXPECT_EMPTY

NAME all checks are a table when asked for
RUN xdpcost report --checks {data}/report/pair.data
ENV LC_ALL=C
EXPECT_FILE golden/report-checks.txt

NAME json holds every number
RUN xdpcost report --json
STDIN tests/data/report/pair.data
EXPECT_FILE golden/report-pair.json
EXPECT_JSON .schema = 1
EXPECT_JSON .rows length 5
EXPECT_JSON .rows[0].delta.value >= 44
EXPECT_JSON .rows[4].kind = "difference"
EXPECT_JSON .rows[4].paired = true

NAME csv has a line a row
RUN xdpcost report --csv
STDIN tests/data/report/sweep.data
EXPECT_FILE golden/report-sweep.csv

NAME samples are a line a visit
RUN xdpcost report --samples {data}/report/null.data
EXPECT_FILE golden/report-null.tsv

NAME samples may be separated by commas
SHELL diff <(xdpcost report --samples --csv {data}/report/null.data | tr , '\t') <(xdpcost report --samples {data}/report/null.data)
EXPECT_EMPTY

NAME a truncated stream is an error that names the byte
SHELL head -c 30000 {data}/report/pair.data | xdpcost report
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost report: standard input: .*at byte \d+$

NAME a truncated stream can be used in part and ends with status 1
SHELL head -c 30000 {data}/report/pair.data | xdpcost report --partial
EXIT 1
EXPECT partial: the stream is truncated at byte
EXPECT_REGEX ^check-mtu .*partial

NAME partial samples end with status 1
SHELL head -c 30000 {data}/report/pair.data | xdpcost report --partial --samples
EXIT 1
EXPECT_REGEX ^1\t0\teffect\tcheck-mtu

NAME a partial report in json says so
SHELL head -c 30000 {data}/report/pair.data | xdpcost report --partial --json
EXIT 1
EXPECT_JSON .partial = true
EXPECT_JSON .segments[0].complete = false
EXPECT_JSON .segments[0].truncated_at > 0

NAME nothing at all is an error
RUN xdpcost report
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR xdpcost report: standard input

NAME a file that is no stream is an error
SHELL echo hello world, no stream >{tmp}/x; xdpcost report {tmp}/x
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost report: .*/x: .*at byte 0$

NAME a missing file is an error that names it
RUN xdpcost report {tmp}/missing
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR missing': No such file or directory

NAME a folder is an error
RUN xdpcost report {tmp}
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost report: .*[Ii]s a directory

NAME the first bad file of several ends it without a table
RUN xdpcost report {data}/report/pair.data {tmp}/missing
EXIT 1
EXPECT_EMPTY

NAME two forms of output at once are refused
RUN xdpcost report --json --csv {data}/report/pair.data
EXIT 129
EXPECT_EMPTY

NAME checks have no other form than text
RUN xdpcost report --checks --json {data}/report/pair.data
EXIT 129
EXPECT_EMPTY

NAME a full disk under the report is an error
RUN xdpcost report {data}/report/pair.data
STDOUT full
EXIT 1
EXPECT_STDERR No space left on device

NAME a report that nobody reads ends with the status of a broken pipe
RUN xdpcost report --samples {data}/report/pair.data
STDOUT closed
EXIT 141
EXPECT_STDERR_EMPTY

NAME colour is for terminals
RUN xdpcost report {data}/report/pair.data
STDOUT tty
ENV TERM=xterm
EXPECT_REGEX \x1b\[1m

NAME NO_COLOR keeps a terminal plain
RUN xdpcost report {data}/report/pair.data
STDOUT tty
ENV NO_COLOR=1
ENV TERM=xterm
EXPECT_NONE [1m

NAME a measurement is read from standard input by its name
SHELL diff <(xdpcost report - <{data}/report/pair.data) <(xdpcost report <{data}/report/pair.data)
EXPECT_EMPTY

NAME the streams of the first writer are read, from pipe and file
SHELL xdpcost report --json {data}/oldest.data >{tmp}/a.json; test $? = 2 && xdpcost report --json <{data}/oldest-file.data >{tmp}/b.json; test $? = 2 && cat {tmp}/a.json
EXPECT_JSON .segments[0].visits = 6
EXPECT_JSON .rows[0].delta.value > 9.9
EXPECT_JSON .rows[0].delta.value < 10.1

NAME a stream of a later schema is refused with the cure
SHELL python3 -c "d = open('{data}/quads.data', 'rb').read(); i = d.rindex(b'schema\0' + b'1\0'); open('{tmp}/later', 'wb').write(d[:i + 7] + b'2' + d[i + 8:])"; xdpcost report {tmp}/later; test $? = 1 && xdpcost cat {tmp}/later
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost report: .*/later: stream of schema 2, where this xdpcost reads up to 1 at byte \d+$
EXPECT_STDERR_REGEX ^xdpcost cat: .*/later: stream of schema 2
EXPECT_STDERR hint: upgrade xdpcost to the version that wrote it, or a later one

NAME tables of checks in a pipe keep to 100 columns
SHELL xdpcost report --checks {data}/report/sweep.data | wc -L | grep -xE '[89].|100'
EXPECT_REGEX .
