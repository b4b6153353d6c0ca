# xdpcost cat: several streams into one, from pipe to file and back, recovery.

NAME a report of what was merged says the same as one of the streams
SHELL xdpcost cat -o {tmp}/all.data {data}/quads.data {data}/reduced.data {data}/segments.data && diff <(cat {data}/quads.data {data}/reduced.data {data}/segments.data | xdpcost report --json | grep -v '"source"') <(xdpcost report --json {tmp}/all.data | grep -v '"source"') && diff <(cat {data}/quads.data {data}/reduced.data {data}/segments.data | xdpcost report --csv | cut -d, -f1,3-) <(xdpcost report --csv {tmp}/all.data | cut -d, -f1,3-)
EXPECT_EMPTY
EXPECT_STDERR_EMPTY

NAME so it does through a pipe
SHELL cat {data}/quads.data {data}/reduced.data {data}/segments.data >{tmp}/many; diff <(xdpcost report --json <{tmp}/many) <(cat {tmp}/many | xdpcost cat | xdpcost report --json)
EXPECT_EMPTY

NAME compressed it is smaller and says the same
SHELL cat {data}/quads.data {data}/reduced.data | xdpcost cat -z >{tmp}/small && test $(stat -c %s {tmp}/small) -lt 15000 && diff <(cat {data}/quads.data {data}/reduced.data | xdpcost report --json) <(cat {tmp}/small | xdpcost report --json)
EXPECT_EMPTY

NAME a file becomes a pipe and a file again
SHELL xdpcost cat {data}/counters-file.data | xdpcost cat -o {tmp}/again.data && cmp <(xdpcost cat {data}/counters-file.data) <(xdpcost cat {tmp}/again.data)
EXPECT_EMPTY

NAME a file on standard input is read as one
SHELL cmp <(xdpcost cat <{data}/counters-file.data) <(xdpcost cat - <{data}/counters-file.data) && xdpcost cat <{data}/counters-file.data | head -c 8
EXPECT PERFILE2

NAME periods in different units are refused
RUN xdpcost cat {data}/quads.data {data}/counters-file.data
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost cat: .*/counters-file.data: periods in cycles, where those before are in ns$
EXPECT_STDERR_REGEX ^hint: .*report

NAME nothing is written where a source is bad
SHELL head -c 9000 {data}/quads.data >{tmp}/cut; xdpcost cat -o {tmp}/out {data}/reduced.data {tmp}/cut; status=$?; test ! -e {tmp}/out && exit $status
EXIT 1
EXPECT_STDERR_REGEX ^xdpcost cat: .*/cut: truncated: ends within a record at byte 9000$

NAME a truncated stream is recovered, marked, and ends with status 1
SHELL head -c -1500 {data}/quads.data >{tmp}/cut; xdpcost cat --partial -o {tmp}/out {tmp}/cut
EXIT 1
EXPECT_STDERR_REGEX ^xdpcost cat: .*/cut: truncated; \d+ visits are recovered$

NAME what was recovered is reported as partial without an option
SHELL head -c -1500 {data}/quads.data >{tmp}/cut; xdpcost cat --partial -o {tmp}/out {tmp}/cut 2>/dev/null; xdpcost report --json {tmp}/out >{tmp}/json; test $? = 1 && diff <(xdpcost report --partial --json {tmp}/cut | grep -v source) <(grep -v source {tmp}/json) && xdpcost report {tmp}/out
EXIT 1
EXPECT partial

NAME a killed writer's file is recovered
SHELL xdpcost cat -o {tmp}/whole {data}/quads.data && head -c -600 {tmp}/whole >{tmp}/cut && ! xdpcost cat {tmp}/cut >/dev/null 2>&1 && xdpcost cat --partial {tmp}/cut 2>/dev/null | xdpcost report --csv | grep -c partial
EXIT 1
EXPECT_REGEX ^[1-9]

NAME input and output must not be one file
SHELL cp {data}/quads.data {tmp}/x; xdpcost cat -o {tmp}/x {data}/reduced.data {tmp}/x; test $? = 129 && cmp {tmp}/x {data}/quads.data && xdpcost cat {tmp}/x >>{tmp}/x; test $? = 129 && cmp {tmp}/x {data}/quads.data
EXPECT_STDERR_REGEX ^xdpcost cat: .*/x is input and output$
EXPECT_STDERR hint: write to another file

NAME a terminal is refused as output and as input
REQUIRES tty
SHELL script -qec "xdpcost cat {data}/quads.data" /dev/null; script -qec "xdpcost cat >{tmp}/out" /dev/null
EXIT 129
EXPECT xdpcost cat: refusing to write perf.data to a terminal
EXPECT xdpcost cat: refusing to read perf.data from a terminal

NAME standard input can be read once only
RUN xdpcost cat - -
EXIT 129
EXPECT_STDERR xdpcost cat: standard input can be read once only

NAME a file that is not there is an error
RUN xdpcost cat {tmp}/nothing
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost cat: cannot open '?.*/nothing.*: No such file or directory$

NAME a foreign file is refused in words
SHELL head -c 4096 $(command -v xdpcost) | xdpcost cat
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR xdpcost cat: standard input: not perf.data at byte 0

NAME a stream of the other byte order is refused in words
SHELL printf '2ELIFREP\0\0\0\0\0\0\0\020' | xdpcost cat
EXIT 1
EXPECT_STDERR xdpcost cat: standard input: from a machine of the other byte order at byte 0
EXPECT_STDERR hint: read it on a machine of the byte order that wrote it

NAME an empty input is an error
RUN xdpcost cat
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR xdpcost cat: standard input: empty at byte 0

NAME an output that nobody reads ends with the status of a broken pipe
RUN xdpcost cat {data}/quads.data
STDOUT closed
EXIT 141
EXPECT_STDERR_EMPTY

NAME a full disk is an error
RUN xdpcost cat {data}/quads.data
STDOUT full
EXIT 1
EXPECT_STDERR No space left on device

NAME a pipe that does not fit into its temporary file is an error with the cure
SHELL cat {data}/quads.data | TMPDIR={tmp}/nowhere xdpcost cat
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost cat: cannot keep what comes from a pipe in '.*/nowhere': No such file or directory$
EXPECT_STDERR hint: name a folder with room for it in TMPDIR

NAME memory does not grow with the stream
SHELL ! grep -q __asan_init $(command -v xdpcost) || { echo "the address sanitizer takes all address space"; exit 77; }; for i in $(seq 400); do cat {data}/quads.data {data}/segments.data; done >{tmp}/big; (ulimit -v 60000; xdpcost cat {tmp}/big | tail -c 1 | wc -c) && ls -s --block-size=M {tmp}/big
EXPECT_REGEX ^1$

NAME a signal ends it
SHELL mkfifo {tmp}/pipe; sleep 30 >{tmp}/pipe & xdpcost cat {tmp}/pipe >{tmp}/out & cat=$!; sleep 1; kill -TERM $cat; wait $cat; status=$?; kill %1; exit $status
EXIT 143
EXPECT_EMPTY

NAME perf sums over all that was merged
REQUIRES perf
SHELL xdpcost cat -o {tmp}/all.data {data}/quads.data {data}/reduced.data {data}/segments.data && perf report -i {tmp}/all.data --stdio -F period,sample -s pop,mode
EXPECT_REGEX ^ +\d+ +\d+ +64 +off *$
EXPECT_REGEX ^ +\d+ +\d+ +64 +on *$
EXPECT_STDERR_NONE rror

NAME a source without end that is no stream is refused at once
RUN xdpcost cat /dev/zero
TIMEOUT 10
EXIT 1
EXPECT_STDERR xdpcost cat: /dev/zero: not perf.data at byte 0

NAME a failed merge leaves the file that was there, and nothing beside it
SHELL cp {data}/quads.data {tmp}/out.data; head -c 9000 {data}/quads.data >{tmp}/cut; xdpcost cat -o {tmp}/out.data {data}/reduced.data {tmp}/cut; test $? = 1 && cmp {tmp}/out.data {data}/quads.data && (ulimit -f 8; trap '' XFSZ; exec xdpcost cat -o {tmp}/out.data {data}/reduced.data {data}/segments.data); test $? = 1 && cmp {tmp}/out.data {data}/quads.data && ls {tmp}
EXPECT_REGEX ^cut$
EXPECT_REGEX ^out.data$
EXPECT_NONE out.data.
EXPECT_STDERR File too large

NAME without /proc a merge is whole or leaves nothing as well
REQUIRES root
SHELL cd {tmp} && unshare -m sh -c "mount -t tmpfs none /proc; xdpcost cat -o whole.data {data}/quads.data {data}/reduced.data; trap '' XFSZ; ulimit -f 8; xdpcost cat -o failed.data {data}/reduced.data {data}/segments.data"; xdpcost cat whole.data >/dev/null && ls
EXPECT_REGEX ^whole.data$
EXPECT_NONE failed.data
EXPECT_STDERR File too large

NAME a killed merge leaves nothing, or all of it where it was done
SHELL cd {tmp} && cp {data}/quads.data big && for i in $(seq 11); do cat big big >twice && mv twice big; done; for i in 2 5 8; do xdpcost cat -o out.data big & sleep 0.0$i; kill -9 $!; wait $!; test ! -e out.data || xdpcost cat out.data >/dev/null || exit 1; rm -f out.data; done 2>/dev/null; ls
EXPECT_REGEX ^big$
EXPECT_NONE out.data

NAME a file behind a symbolic link is replaced, not the link
SHELL cd {tmp} && echo old >file && ln -s file link && xdpcost cat -o link {data}/quads.data && test -L link && head -c 8 file
EXPECT PERFILE2

NAME the streams of the first writer are read
SHELL xdpcost cat {data}/oldest.data >{tmp}/a && xdpcost cat -o {tmp}/b {data}/oldest-file.data && diff <(xdpcost report --csv {tmp}/a | cut -d, -f3-) <(xdpcost report --csv {data}/oldest.data | cut -d, -f3-) && diff <(xdpcost report --csv {tmp}/b | cut -d, -f3-) <(xdpcost report --csv {data}/oldest-file.data | cut -d, -f3-)
EXPECT_EMPTY
EXPECT_STDERR_EMPTY
