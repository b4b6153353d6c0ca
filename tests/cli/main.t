# The program itself: commands, help, version, usage errors.

NAME without arguments it prints the usage to standard error
RUN xdpcost
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR usage: xdpcost [--version] [--help] COMMAND [ARGUMENTS]
EXPECT_STDERR xdpcost micro --pop 4094 | xdpcost report

NAME help goes to standard output and lists the commands
RUN xdpcost --help
EXPECT usage: xdpcost
EXPECT_REGEX ^  micro +\S
EXPECT_REGEX ^  report +\S
EXPECT_STDERR_EMPTY

NAME a short help option is the same
SHELL diff <(xdpcost -h) <(xdpcost --help) && diff <(xdpcost help) <(xdpcost --help)
EXPECT_EMPTY

NAME the version names the libraries
RUN xdpcost --version
EXPECT_REGEX ^xdpcost \d+\.\d+\.\d+$
EXPECT_REGEX ^libbpf \d+\.\d+
EXPECT_STDERR_EMPTY

NAME commands are listed one a line for completion
RUN xdpcost --list-cmds
EXPECT_REGEX ^micro$
EXPECT_REGEX ^report$

NAME an unknown command is refused with a suggestion
RUN xdpcost micr
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost: 'micr' is not a command
EXPECT_STDERR hint: did you mean 'micro'?

NAME a word that is like no command gets the way to the list
RUN xdpcost frobnicate
EXIT 129
EXPECT_STDERR xdpcost: 'frobnicate' is not a command
EXPECT_STDERR hint: 'xdpcost --help' lists the commands

NAME control characters of an unknown command are not repeated to the terminal
SHELL xdpcost $'\e[31mred\n'
EXIT 129
EXPECT_STDERR '\x1b[31mred\n' is not a command

NAME an unknown option before the command is refused
RUN xdpcost --frobnicate
EXIT 129
EXPECT_STDERR xdpcost: unknown option '--frobnicate'
EXPECT_STDERR hint: options of a command come after its name

NAME an option before its command is refused
RUN xdpcost -v micro
EXIT 129
EXPECT_STDERR xdpcost: unknown option '-v'

NAME every command has help on standard output
SHELL for c in $(xdpcost --list-cmds); do for o in -h --help; do xdpcost $c $o | grep -q -- '--help' || exit 1; done; done
EXPECT_STDERR_EMPTY

NAME every command refuses an unknown option
SHELL for c in $(xdpcost --list-cmds); do xdpcost $c --frobnicate >{tmp}/out; test $? = 129 || exit 1; test ! -s {tmp}/out || exit 2; done
EXPECT_STDERR hint: 'xdpcost micro --help' lists the options
EXPECT_STDERR hint: 'xdpcost report --help' lists the options

NAME a full disk under the output is an error
RUN xdpcost --help
STDOUT full
EXIT 1
EXPECT_STDERR xdpcost: cannot write to standard output: No space left on device

NAME an output that nobody reads ends with the status of a broken pipe
RUN xdpcost --help
STDOUT closed
EXIT 141
EXPECT_STDERR_EMPTY

NAME nothing goes behind the options that stand for a command
SHELL for o in --version --help -h --list-cmds; do xdpcost $o extra; test $? = 129 || exit 1; done
EXPECT_EMPTY
EXPECT_STDERR xdpcost: nothing goes behind --version
EXPECT_STDERR hint: 'xdpcost help COMMAND' shows a manual page

NAME an option with an empty value is refused, and does not take the next word
RUN xdpcost fib --flags= --dry-run
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost fib: --flags= gives no value

NAME a list takes one word, and each of its values once
SHELL python3 {source}/tests/support/machine_tree.py {tmp}/r && xdpcost setup --root {tmp}/r --dry-run --pop 64,32,64 | grep -o 'default-[0-9]*$' | tr '\n' ' '; xdpcost micro --call ktime none --dry-run
EXIT 129
EXPECT_REGEX ^default-64 default-32 $
EXPECT_STDERR xdpcost micro: the following argument was not expected: none

NAME a closed standard output is an error in words, not another file
SHELL xdpcost cat {data}/quads.data >&-; test $? = 1 && xdpcost --help >&-
EXIT 1
EXPECT_STDERR xdpcost cat: cannot write: Bad file descriptor
EXPECT_STDERR xdpcost: cannot write to standard output: Bad file descriptor

NAME a closed standard input is an error in words
SHELL xdpcost report <&-
EXIT 1
EXPECT_STDERR xdpcost report: standard input: cannot read: Bad file descriptor

NAME without a standard error the status says it all
SHELL xdpcost report {data}/quads.data 2>&- >{tmp}/out; test $? = 2 && test -s {tmp}/out && xdpcost cat nowhere 2>&-
EXIT 1
EXPECT_EMPTY

NAME too few descriptors are said, not taken for a poor machine
SHELL for c in list 'setup --check' 'cat {data}/quads.data'; do (ulimit -n 8; exec xdpcost $c); test $? = 1 || exit 2; done
EXPECT_EMPTY
EXPECT_STDERR xdpcost: only 8 files may be open
EXPECT_STDERR hint: 'ulimit -n 256' allows more

NAME a machine without procfs gets the cure
REQUIRES root
SHELL unshare -m sh -c "mount -t tmpfs none /proc && exec xdpcost list --bugreport" 2>{tmp}/messages; status=$?; if grep -q LeakSanitizer {tmp}/messages; then echo LeakSanitizer cannot run without procfs; exit 77; fi; cat {tmp}/messages >&2; exit $status
EXPECT_STDERR_REGEX ^hint: 'mount -t proc proc /proc'$

NAME a machine without sysfs gets the cure
REQUIRES root
SHELL unshare -m sh -c "mount -t tmpfs none /sys && exec xdpcost list"
EXIT 1
EXPECT_STDERR_REGEX ^hint: 'mount -t sysfs sysfs /sys'$
