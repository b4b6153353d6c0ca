# xdpcost literal: what it refuses, and what it writes.

NAME a dry run prints the cells, the bare program among them
RUN xdpcost literal --dry-run --call check-mtu --link macvlan --pop 64 --seed 7
REQUIRES root,bpf
EXPECT_REGEX ^check-mtu +none +literal +64 +8 +oldest +macvlan +effect$
EXPECT_REGEX ^xdp-drop +none +literal .* effect$
EXPECT_REGEX \s+aa$

NAME an unknown sender is refused
RUN xdpcost literal --sender pktgen
EXIT 129
EXPECT_STDERR --sender

NAME too few frames are refused
RUN xdpcost literal --frames 1
EXIT 129
EXPECT_STDERR --frames

NAME live frames to a program in generic mode are refused
RUN xdpcost literal --xdp-mode generic --pop 64
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost literal: live frames need a receiver in native mode
EXPECT_STDERR hint: --sender packet

NAME frames from outside need a device
RUN xdpcost literal --sender none
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost literal: --sender none needs --dev

NAME a device that is not there is refused
RUN xdpcost literal --sender none --dev nosuch0
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost literal: there is no device 'nosuch0'

NAME sending on the measured CPU is refused
RUN xdpcost literal --cpu 0 --send-cpu 0
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost literal: --send-cpu is the measured CPU

NAME sending on a CPU that is not online is refused
RUN xdpcost literal --cpu 0 --send-cpu 4095
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost literal: --send-cpu 4095 is not online

NAME a device whose sender is silent is an error in time, and what was measured can be read
SHELL ip netns add xdpcost-cli-$$ && trap "ip netns del xdpcost-cli-$$" EXIT && ip -n xdpcost-cli-$$ link add v0 type veth peer name v1 && ip -n xdpcost-cli-$$ link set v0 up && ip -n xdpcost-cli-$$ link set v1 up && timeout 20 ip netns exec xdpcost-cli-$$ xdpcost literal --sender none --dev v0 --call check-mtu -o {tmp}/m.data
REQUIRES root,bpf
EXIT 1
EXPECT_STDERR frames came to device 'v0' in 1.5 s
EXPECT_STDERR hint: is its sender running?

NAME more programs than the dispatcher holds are refused
RUN xdpcost literal --dry-run --call check-mtu,check-mtu-self,map-array --loads 12 --pop 64
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR too many for the XDP dispatcher

NAME micro and real frames are printed side by side
SHELL (xdpcost micro --quick --link macvlan --pop 64 --call check-mtu --seed 3; xdpcost literal --loads 2 --rounds 6 --span 0 --target 1000 --budget 60 --link macvlan --pop 64 --call check-mtu --seed 3) | xdpcost report --json
REQUIRES root,bpf
EXPECT_JSON .comparisons length 1
EXPECT_JSON .comparisons[0].z exists
EXPECT_JSON .rates length 2
EXPECT_JSON .rates[0].off_mpps > 0.01
EXPECT_JSON .failed = false

NAME frames of a packet socket are measured as well
SHELL xdpcost literal --quick --link macvlan --pop 64 --call check-mtu --sender packet --seed 3 | xdpcost report --csv
REQUIRES root,bpf
EXPECT_REGEX ,literal,effect,cell,check-mtu,packet,native,
EXPECT_REGEX bpf_run_time_ns
EXPECT_REGEX prog_ns,prog_ns_lo,prog_ns_hi,prog_cycles,prog_cycles_lo,prog_cycles_hi,prog_instructions

NAME the floors of real frames
SHELL xdpcost null --quick --literal --link macvlan --pop 64 --seed 3 | xdpcost report --csv
REQUIRES root,bpf
EXPECT_REGEX ,literal,aa,cell,
EXPECT_REGEX ,literal,layout-null,cell,

NAME a device from outside and its sender need each other
REQUIRES root,bpf
SHELL xdpcost literal --dev lo --dry-run; test $? = 129 && xdpcost literal --sender none --dry-run
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost literal: --dev needs --sender none
EXPECT_STDERR xdpcost literal: --sender none needs --dev
