# xdpcost help: manual pages, and what there is without them.

NAME help alone lists the commands
SHELL diff <(xdpcost help) <(xdpcost --help)
EXPECT_EMPTY

NAME the page of a command is shown by man
SHELL command -v man >/dev/null && test -n "$(find $(dirname $(command -v xdpcost))/../man -name xdpcost-micro.1)" || { echo "needs man and the built pages"; exit 77; }; MANPAGER=cat xdpcost help micro
EXPECT_REGEX ^NAME$
EXPECT xdpcost-micro - measure what one call adds
EXPECT_STDERR_EMPTY

NAME every command and topic has a page
SHELL command -v man >/dev/null && test -n "$(find $(dirname $(command -v xdpcost))/../man -name xdpcost-micro.1)" || { echo "needs man and the built pages"; exit 77; }; for t in $(xdpcost --list-cmds) xdpcost data perf-xdpcost; do MANPAGER=cat xdpcost help $t | grep -q '^NAME' || exit 1; done
EXPECT_STDERR_EMPTY

NAME the folder of the pages goes before the MANPATH of the user
ENV MANPATH=/nowhere
SHELL mkdir {tmp}/bin; printf '#!/bin/sh\necho "$MANPATH $*"\n' >{tmp}/bin/man; chmod +x {tmp}/bin/man; test -n "$(find $(dirname $(command -v xdpcost))/../man -name xdpcost-micro.1)" || { echo "needs the built pages"; exit 77; }; PATH={tmp}/bin:$PATH xdpcost help micro
EXPECT_REGEX ^/.*/man:/nowhere 1 xdpcost-micro$

NAME without man the short text is shown
SHELL test -n "$(find $(dirname $(command -v xdpcost))/../man -name xdpcost-micro.1)" || { echo "needs the built pages"; exit 77; }; x=$(command -v xdpcost); PATH={tmp} $x help micro >{tmp}/short; $x micro -h | diff - {tmp}/short
EXPECT_EMPTY
EXPECT_STDERR xdpcost help: cannot run man: No such file or directory; this is the short text

NAME a program without its pages shows the short text
SHELL mkdir {tmp}/bin; cp $(command -v xdpcost) {tmp}/bin; {tmp}/bin/xdpcost help cat >{tmp}/short; status=$?; test -e /usr/local/share/man/man1/xdpcost-cat.1 && { echo "the pages are installed"; exit 77; }; xdpcost cat -h | diff - {tmp}/short && exit $status
EXPECT_EMPTY
EXPECT_STDERR xdpcost help: its manual page is not installed; this is the short text

NAME an unknown topic is refused with a suggestion
RUN xdpcost help micor
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost help: there is no page about 'micor'
EXPECT_STDERR hint: did you mean 'micro'?

NAME the short text keeps to the width of a terminal
REQUIRES tty
SHELL for c in $(xdpcost --list-cmds); do script -qec "stty cols 72; xdpcost $c -h" /dev/null | tr -d '\r' | awk 'length > 72 { print; bad = 1 } END { exit bad }' || exit 1; done
EXPECT_EMPTY

NAME under the name perf-xdpcost the usage says so
SHELL mkdir {tmp}/bin; ln -s $(command -v xdpcost) {tmp}/bin/perf-xdpcost; {tmp}/bin/perf-xdpcost -h; {tmp}/bin/perf-xdpcost list --names calls
EXPECT usage: perf xdpcost [--version] [--help] COMMAND [ARGUMENTS]
EXPECT perf xdpcost micro --pop 4094 | perf xdpcost report
EXPECT_REGEX ^none$

NAME perf runs the link as its own command and passes the status on
REQUIRES perf
SHELL mkdir {tmp}/bin; ln -s $(command -v xdpcost) {tmp}/bin/perf-xdpcost; PATH={tmp}/bin:$PATH; perf xdpcost list --names calls && perf xdpcost frobnicate
EXIT 129
EXPECT_REGEX ^none$
EXPECT_STDERR xdpcost: 'frobnicate' is not a command

NAME perf help shows the page of the link
REQUIRES perf
SHELL man=$(dirname $(command -v xdpcost))/../man; command -v man >/dev/null && test -e $man/man1/perf-xdpcost.1 || { echo "needs man and the built pages"; exit 77; }; MANPATH=$man MANPAGER=cat perf help xdpcost
EXPECT perf-xdpcost - what one BPF call adds

NAME a stream through perf's own command is as it was
REQUIRES perf
SHELL mkdir {tmp}/bin; ln -s $(command -v xdpcost) {tmp}/bin/perf-xdpcost; PATH={tmp}/bin:$PATH; diff <(xdpcost report --json {data}/quads.data | grep -v source) <(perf xdpcost cat {data}/quads.data | perf xdpcost report --json | grep -v source)
EXPECT_EMPTY

NAME a page about no command that is not installed is an error with the way to it
SHELL cp -L $(command -v xdpcost) {tmp}/xdpcost && ! test -e /usr/local/share/man/man5/xdpcost-data.5 || exit 77; {tmp}/xdpcost help data
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR xdpcost help: cannot show xdpcost-data(5): its manual page is not installed
EXPECT_STDERR hint: read man/xdpcost-data.5.adoc of the sources
