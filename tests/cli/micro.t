# xdpcost micro: what it refuses, and what it writes.

NAME it refuses to write a stream to a terminal
RUN xdpcost micro --pop 8 --ws 1
REQUIRES root,bpf,tty
STDOUT tty
EXIT 129
EXPECT_STDERR xdpcost micro: refusing to write perf.data to a terminal
EXPECT_STDERR hint: pipe it into 'xdpcost report', or name a file with -o

NAME a dry run prints the cells and measures nothing
RUN xdpcost micro --dry-run --call check-mtu --link macvlan --pop 64,512 --ws 1,8 --seed 7
REQUIRES root,bpf
EXPECT_REGEX ^check-mtu +none +\S+ +64 +1 +oldest +macvlan +effect$
EXPECT_REGEX ^check-mtu +none +\S+ +512 +8 +oldest +macvlan +effect$
EXPECT_REGEX \s+aa$
EXPECT_REGEX \s+layout-null$
EXPECT_REGEX \s+canary$
EXPECT devices 576 in 2 netns
EXPECT seed 7

NAME an unknown call is refused with the list
RUN xdpcost micro --call frobnicate
REQUIRES root,bpf
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost micro: --call frobnicate is not known
EXPECT_STDERR_REGEX ^hint: one of auto, egress-dev, check-mtu,

NAME an unknown kind of device is refused with the list
RUN xdpcost micro --link tunnel
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: --link tunnel is not known
EXPECT_STDERR hint: one of auto, vlan, macvlan, veth, dummy

NAME a working set above the population is refused
RUN xdpcost micro --pop 4 --ws 8
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: --ws 8 does not fit --pop 4

NAME a working set of nothing is refused
RUN xdpcost micro --ws 0
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: --ws 0 does not fit --pop 4094

NAME numbers that could be octal are refused
RUN xdpcost micro --pop 64,0100
EXIT 129
EXPECT_STDERR xdpcost micro: --pop: '0100' begins with a zero

NAME a population of nothing is refused
RUN xdpcost micro --pop 0 --ws 1
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR a population has at least one device

NAME a CPU that is not online is refused
RUN xdpcost micro --cpu 4095
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: --cpu 4095 is not online
EXPECT_STDERR_REGEX ^hint: online: 

NAME a number that is none is refused
RUN xdpcost micro --pop many
EXIT 129
EXPECT_STDERR_REGEX ^xdpcost micro: .*--pop
EXPECT_STDERR hint: 'xdpcost micro --help' lists the options

NAME a negative span is refused
RUN xdpcost micro --span -1
EXIT 129
EXPECT_STDERR --span

NAME no loads are refused
RUN xdpcost micro --loads 0
EXIT 129
EXPECT_STDERR --loads

NAME a file that cannot be written is an error
RUN xdpcost micro --pop 8 --ws 1 -o {tmp}/missing/m.data
REQUIRES root,bpf
EXIT 1
EXPECT_STDERR {tmp}/missing/m.data
EXPECT_STDERR No such file or directory

NAME a device file is refused as an output file
RUN xdpcost micro --pop 8 --ws 1 -o /dev/null
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: '/dev/null' is not a regular file

NAME without the right to load programs it names the capability
SHELL setpriv --reuid=65534 --clear-groups xdpcost micro --pop 8 --ws 1
REQUIRES root,bpf
EXIT 1
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost micro: .*(Operation not permitted|CAP_)
EXPECT_STDERR hint: 

NAME a reader that goes away ends it quietly
SHELL set +o pipefail; (xdpcost micro --quick --pop 8 --ws 1; echo $? >{tmp}/status) | true; for i in $(seq 100); do test -s {tmp}/status && break; sleep 0.1; done; cat {tmp}/status
REQUIRES root,bpf
EXPECT 141
EXPECT_STDERR_NONE xdpcost micro: cannot

NAME an interrupted measurement leaves a whole stream
SHELL xdpcost micro --pop 8 --ws 1 -o {tmp}/m.data & until test -s {tmp}/m.data; do sleep 0.1; done; sleep 2; kill -INT $!; wait $!; echo status $?; xdpcost report {tmp}/m.data >/dev/null; echo report $?
REQUIRES root,bpf
EXPECT status 130
EXPECT report 0

NAME a terminated measurement says so by its status
SHELL timeout --preserve-status -s TERM 2 xdpcost micro --pop 8 --ws 1 -o {tmp}/m.data
REQUIRES root,bpf
EXIT 143

NAME a second measurement of a CPU is refused and told of the first
SHELL xdpcost micro --pop 8 --ws 1 -o {tmp}/a.data & until test -s {tmp}/a.data; do sleep 0.1; done; xdpcost micro --pop 8 --ws 1 -o {tmp}/b.data; status=$?; kill -INT $!; wait; exit $status
REQUIRES root,bpf
EXIT 1
EXPECT_STDERR_REGEX ^xdpcost micro: cpu \d+ is being measured by 
EXPECT_STDERR hint: wait for it, or choose another cpu with --cpu

NAME the kfunc of a kernel without it is refused with the cures
SHELL grep -q bpf_xdp_egress_dev /proc/kallsyms && echo this kernel has it && exit 77; xdpcost micro --call egress-dev
REQUIRES root,bpf
EXIT 3
EXPECT_STDERR bpf_xdp_egress_dev is not in this kernel's BTF
EXPECT_STDERR_REGEX ^hint: load the lab module of bpf/kmod, or measure the stand-in: --call check-mtu$

NAME every call that this kernel has returns what it must
SHELL xdpcost micro --quick --pop 64 --call check-mtu,check-mtu-self,fib-lookup,ktime,map-array,map-hash,map-lru,map-percpu,redirect-map,none | xdpcost report
REQUIRES root,bpf
TIMEOUT 60
EXPECT_REGEX ^map-percpu
EXPECT_REGEX ^redirect-map

NAME the other loop form and the method without a loop work
SHELL xdpcost micro --quick --pop 64 --loop bpf_loop --method loop,test-run | xdpcost report
REQUIRES root,bpf
TIMEOUT 60
EXPECT bpf_loop
EXPECT test_run

NAME an amount that is no number is refused
RUN xdpcost micro --span nan --dry-run
EXIT 129
EXPECT_STDERR xdpcost micro: --span: 'nan' is no number from 0 to 1000000000

NAME an amount without end is refused
RUN xdpcost micro --target inf --dry-run
EXIT 129
EXPECT_STDERR xdpcost micro: --target: 'inf' is no number from 0 to 1000000000

NAME a budget of nothing is refused
RUN xdpcost micro --budget 0 --dry-run
EXIT 129
EXPECT_STDERR a budget is above 0

NAME a name that leads out of the folder of labs is refused before anything is opened
RUN xdpcost micro --lab ../../etc/passwd --dry-run
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: '../../etc/passwd' cannot be the name of a lab

NAME options of what is not measured are refused
REQUIRES root,bpf
SHELL for o in 'micro --pinned' 'micro --allow-multiplex' 'micro --loop may_goto --method test-run' 'micro --unroll 1 --method test-run' 'null --sender packet' 'null --frames 64' 'null --literal --loop may_goto' 'null --literal --method loop' 'null --literal --unroll 1'; do xdpcost $o --dry-run; test $? = 129 || { echo "$o"; exit 1; }; done
EXPECT_EMPTY
EXPECT_STDERR xdpcost micro: --pinned requires --event
EXPECT_STDERR xdpcost micro: --loop needs --method loop
EXPECT_STDERR xdpcost micro: --unroll needs --loop bpf_loop
EXPECT_STDERR xdpcost null: --sender requires --literal

NAME what is listed twice is measured once
REQUIRES root,bpf
RUN xdpcost micro --dry-run --pop 64,64 --ws 4,4 --place oldest,oldest --base none,none --method loop,loop --call ktime,ktime
EXPECT_REGEX ^cells 4, .* devices 64 in 1 netns
