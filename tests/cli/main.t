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
