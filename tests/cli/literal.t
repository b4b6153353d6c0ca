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

NAME more programs than the dispatcher holds are refused
RUN xdpcost literal --dry-run --call check-mtu,check-mtu-self,map-array --loads 12 --pop 64
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR too many for the XDP dispatcher

NAME micro and real frames are printed side by side
SHELL (xdpcost micro --quick --link macvlan --pop 64 --call check-mtu --seed 3; xdpcost literal --quick --link macvlan --pop 64 --call check-mtu --seed 3) | xdpcost report --json
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

NAME the floors of real frames
SHELL xdpcost null --quick --literal --link macvlan --pop 64 --seed 3 | xdpcost report --csv
REQUIRES root,bpf
EXPECT_REGEX ,literal,aa,cell,
EXPECT_REGEX ,literal,layout-null,cell,
