# xdpcost list: what there is, and why the rest is missing. Works without any rights.

NAME calls are listed with their state and what they are
RUN xdpcost list calls
EXPECT_REGEX ^Calls:$
EXPECT_REGEX ^  egress-dev +(yes|no|\?) +kfunc bpf_xdp_egress_dev
EXPECT_REGEX ^  check-mtu +(yes|no|\?) +bpf_check_mtu
EXPECT_REGEX ^  none +yes +a branch with nothing behind it$
EXPECT_NONE Features:
EXPECT_STDERR_EMPTY

NAME everything is listed where no kind is named
RUN xdpcost list
EXPECT_REGEX ^Calls:$
EXPECT_REGEX ^Events of CPU \d+:$
EXPECT_REGEX ^Features:$
EXPECT_REGEX ^  btf +(yes|no) 

NAME several kinds may be named
RUN xdpcost list features calls
EXPECT_REGEX ^Calls:$
EXPECT_REGEX ^Features:$
EXPECT_NONE Events

NAME a call that the kernel lacks comes with reason and cure
SHELL xdpcost list --json calls >{tmp}/calls && python3 -c 'import json, sys; [sys.exit(call["name"]) for call in json.load(open(sys.argv[1]))["calls"] if call["available"] is False and (not call["reason"] or (call["name"].endswith(("dev", "kfunc")) and "bpf/kmod" not in call["hint"]))]' {tmp}/calls
EXPECT_STDERR_EMPTY

NAME without rights it says what it could not look at
REQUIRES root
SHELL cp $(command -v xdpcost) {tmp}/xdpcost; chmod -R a+rX {tmp}; setpriv --bounding-set=-all --inh-caps=-all --reuid=65534 --regid=65534 --clear-groups -- {tmp}/xdpcost list calls features
EXPECT_REGEX ^  check-mtu +\? 
EXPECT cure: run as root, or with CAP_BPF
EXPECT_REGEX ^  none +yes 
EXPECT_REGEX ^  bpf +no 
EXPECT_REGEX ^  vlan +\? 
EXPECT_STDERR_EMPTY

NAME kfuncs are looked up without rights
REQUIRES root
SHELL cp $(command -v xdpcost) {tmp}/xdpcost; chmod -R a+rX {tmp}; diff <(xdpcost list calls | grep -A9 egress-dev | grep -m1 egress) <(setpriv --bounding-set=-all --inh-caps=-all --reuid=65534 --regid=65534 --clear-groups -- {tmp}/xdpcost list calls | grep -m1 egress-dev)
EXPECT_EMPTY

NAME as root everything can be looked at
REQUIRES root,bpf
RUN xdpcost list --json
EXPECT_JSON .schema = 1
EXPECT_JSON .calls[11].name exists
EXPECT_JSON .calls[1].name = "check-mtu"
EXPECT_JSON .calls[1].available = true
EXPECT_JSON .calls[1].reason absent
EXPECT_JSON .features[0].name = "bpf"
EXPECT_JSON .features[0].available = true
EXPECT_JSON .events[0].name = "cycles"

NAME nothing is unknown to root
REQUIRES root,bpf
SHELL xdpcost list --json | python3 -c 'import json, sys; data = json.load(sys.stdin); unknown = [item["name"] for kind in ("calls", "events", "features") for item in data[kind] if item["available"] is None]; print(unknown); sys.exit(bool(unknown))'
EXPECT []

NAME names are those of what is there
SHELL xdpcost list --names calls >{tmp}/names && xdpcost list calls | awk '$2 == "yes" { print $1 }' | diff - {tmp}/names
EXPECT_EMPTY

NAME a bug report does not have the name of the machine
REQUIRES root
SHELL unshare --uts sh -c 'hostname qzx-host-71 && xdpcost list --bugreport | grep -c qzx-host'
EXIT 1
EXPECT_REGEX ^0$
EXPECT_STDERR_EMPTY

NAME a bug report has versions, kernel and features
RUN xdpcost list --bugreport
EXPECT_REGEX ^xdpcost \d+\.\d+\.\d+$
EXPECT_REGEX ^libperf of Linux \d+\.\d+
EXPECT_REGEX ^features: .*btf
EXPECT_REGEX ^kernel: \d+\.\d+\S* \w+$
EXPECT_REGEX ^system: \S
EXPECT_REGEX ^cpu: .* online, clock \S+, virtual: (yes|no|unknown)$
EXPECT_REGEX ^calls: .*[+-]check-mtu
EXPECT_STDERR_EMPTY

NAME lines keep to the width of a terminal
REQUIRES tty
SHELL script -qec "stty cols 60; xdpcost list calls features" /dev/null | tr -d '\r' | awk 'length > 60 { print; bad = 1 } END { exit bad }'
EXPECT_EMPTY

NAME output is ASCII and has no colours, on a terminal too
REQUIRES tty
SHELL script -qec "xdpcost list" /dev/null | tr -d '\r' | LC_ALL=C grep -nP '[^\x20-\x7e]' && exit 1; exit 0
EXPECT_EMPTY

NAME an unknown kind is refused
RUN xdpcost list gadgets
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost list: 

NAME a CPU that is not online is refused
RUN xdpcost list --cpu 8000 events
EXIT 129
EXPECT_STDERR xdpcost list: --cpu 8000 is not online
EXPECT_STDERR hint: online: 

NAME json and names exclude each other
RUN xdpcost list --json --names
EXIT 129
EXPECT_STDERR xdpcost list: 

NAME a full disk under the list is an error
RUN xdpcost list calls
STDOUT full
EXIT 1
EXPECT_STDERR xdpcost: cannot write to standard output: No space left on device

NAME a reader that goes away is no error of ours
SHELL (xdpcost list --json; echo $? >{tmp}/status) | true; cat {tmp}/status
EXPECT 141
EXPECT_STDERR_EMPTY

NAME a full disk under a long list is an error in words
RUN xdpcost list --json
STDOUT full
EXIT 1
EXPECT_STDERR xdpcost: cannot write to standard output: No space left on device

NAME a bug report is of everything
RUN xdpcost list --bugreport calls
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost list: KIND excludes --bugreport
