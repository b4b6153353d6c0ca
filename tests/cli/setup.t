# xdpcost setup: knobs on a tree of files, the audit, labs, restoring.

NAME a dry run prints the settings and changes none
SHELL python3 {source}/tests/support/machine_tree.py r && cp -r r before && xdpcost setup --root r --cpu 3 --pop 64,512 --dry-run && diff -r r before
EXPECT_REGEX ^governor +{tmp}/r/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor +powersave +performance$
EXPECT_REGEX ^boost +{tmp}/r/sys/devices/system/cpu/intel_pstate/no_turbo +0 +1$
EXPECT_REGEX ^nmi-watchdog +{tmp}/r/proc/sys/kernel/nmi_watchdog +1 +0$
EXPECT_REGEX ^paranoid +{tmp}/r/proc/sys/kernel/perf_event_paranoid +2 +1$
EXPECT_REGEX ^rcu-expedited +{tmp}/r/sys/kernel/rcu_expedited +0 +1$
EXPECT_REGEX ^irq +{tmp}/r/proc/irq/40/smp_affinity_list +0-3 +0,2$
EXPECT_REGEX ^smt +{tmp}/r/sys/devices/system/cpu/cpu1/online +1 +0$
EXPECT netns: would make {tmp}/r/run/netns/xdpcost-default-64
EXPECT netns: would make {tmp}/r/run/netns/xdpcost-default-512
EXPECT_NONE prefetch

NAME a dry run says why a setting is not available
SHELL python3 {source}/tests/support/machine_tree.py r && rm r/proc/sys/kernel/nmi_watchdog && xdpcost setup --root r --cpu 3 --dry-run --knobs nmi-watchdog,prefetch
EXPECT no setting would be changed
EXPECT nmi-watchdog: not available: this kernel has none
EXPECT prefetch: not available: the register of this cpu model is not known

NAME knobs can be chosen and skipped
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 --dry-run --skip irq,smt --knobs default
EXPECT governor
EXPECT_NONE smp_affinity_list
EXPECT_NONE cpu1/online

NAME an unknown knob is refused with the list
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --knobs turbo
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost setup: there is no knob 'turbo'
EXPECT_STDERR_REGEX ^hint: one of default, all, none, governor, boost

NAME a lab is made and restored, and a second restore has nothing to do
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 --name a && head -1 r/proc/sys/kernel/nmi_watchdog r/proc/irq/40/smp_affinity_list && xdpcost setup --root r --restore && xdpcost setup --root r --restore && head -1 r/proc/sys/kernel/nmi_watchdog
EXPECT_REGEX ^0,2$
EXPECT restored '{tmp}/r/proc/sys/kernel/nmi_watchdog': 0 -> 1
EXPECT nothing to restore
EXPECT_STDERR_REGEX ^xdpcost setup: lab 'a': cpu 3, (\d+) of \1 settings changed$

NAME the command of a lab finds it and its status is the status
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- sh -c 'echo "lab $XDPCOST_LAB"; head -1 r/proc/sys/kernel/nmi_watchdog; exit 7'; echo "status $?"; head -1 r/proc/sys/kernel/nmi_watchdog; ls r/run/xdpcost/setup
EXPECT_REGEX ^lab {tmp}/r/run/xdpcost/setup/run-\d+$
EXPECT_REGEX ^0$
EXPECT status 7
EXPECT_REGEX ^1$
EXPECT_STDERR_EMPTY

NAME options behind the two dashes are the command's
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- sh -c 'echo "$@"' x --restore -- --json
EXPECT --restore -- --json

NAME a command that is killed counts as in a shell
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- sh -c 'kill -9 $$'
EXIT 137

NAME a command that is not there is an error and the lab is restored
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- ./no-such-command; status=$?; head -1 r/proc/sys/kernel/nmi_watchdog; ls r/run/xdpcost/setup; exit $status
EXIT 1
EXPECT_REGEX ^1$
EXPECT_STDERR xdpcost setup: cannot run './no-such-command': No such file or directory

NAME a termination is passed on to the command and the lab is restored
SHELL python3 {source}/tests/support/machine_tree.py r && { xdpcost setup --root r --cpu 3 -- sh -c 'trap "echo told; exit 0" TERM; echo ready >r/ready; while :; do sleep 0.05; done' & pid=$!; until [ -e r/ready ]; do sleep 0.05; done; kill -TERM $pid; wait $pid; echo "status $?"; head -1 r/proc/sys/kernel/nmi_watchdog; }
EXPECT told
EXPECT status 143
EXPECT_REGEX ^1$

NAME what another program changed is left and named
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- sh -c 'echo 3 >r/proc/sys/kernel/perf_event_paranoid'; head -1 r/proc/sys/kernel/perf_event_paranoid; ls r/run/xdpcost/setup
EXPECT_REGEX ^3$
EXPECT_STDERR xdpcost setup: left '{tmp}/r/proc/sys/kernel/perf_event_paranoid': is 3, was set to 1, and had been 2

NAME a lab that is in use is not restored by others
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 -- xdpcost setup --root r --restore
EXIT 1
EXPECT_STDERR_REGEX ^xdpcost setup: lab 'run-\d+' is in use: it was not restored$

NAME a lab that holds a setting keeps others off it
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 --name a 2>/dev/null && xdpcost setup --root r --cpu 2 --name b --knobs nmi-watchdog
EXIT 1
EXPECT_STDERR_REGEX ^xdpcost setup: lab 'a' of process \d+ holds '{tmp}/r/proc/sys/kernel/nmi_watchdog'$
EXPECT_STDERR hint: 'xdpcost setup --restore' puts back what it changed

NAME a name that is taken is refused
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --name a --knobs none 2>/dev/null && xdpcost setup --root r --name a --knobs none
EXIT 129
EXPECT_STDERR_REGEX ^xdpcost setup: there is a lab with the journal '{tmp}/r/run/xdpcost/setup/a' already$

NAME a name that is a path is refused
RUN xdpcost setup --name ../x --dry-run
EXIT 129
EXPECT_STDERR xdpcost setup: '../x' cannot be the name of a lab

NAME only the named lab is restored
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --name a --knobs paranoid 2>/dev/null && xdpcost setup --root r --name b --knobs nmi-watchdog 2>/dev/null && xdpcost setup --root r --restore --name b && ls r/run/xdpcost/setup
EXPECT restored '{tmp}/r/proc/sys/kernel/nmi_watchdog': 0 -> 1
EXPECT_NONE paranoid
EXPECT_REGEX ^a$

NAME a journal that others can write is not believed
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --name a --knobs paranoid 2>/dev/null && chmod 666 r/run/xdpcost/setup/a && xdpcost setup --root r --restore
EXIT 1
EXPECT_STDERR xdpcost setup: '{tmp}/r/run/xdpcost/setup/a' is not a file of ours alone

NAME a damaged journal keeps a new lab from being made
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --name a --knobs paranoid 2>/dev/null && sed -i s/boot_id/X/\;s/paranoid/Paranoid/ r/run/xdpcost/setup/a && xdpcost setup --root r --name b --knobs nmi-watchdog; status=$?; head -1 r/proc/sys/kernel/nmi_watchdog; exit $status
EXIT 1
EXPECT_REGEX ^1$
EXPECT_STDERR_REGEX ^xdpcost setup: the journal '{tmp}/r/run/xdpcost/setup/a' is damaged: line 2 cannot be understood$
EXPECT_STDERR_REGEX ^hint: nothing was changed

NAME a CPU that is not online is refused
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 9 --dry-run
EXIT 129
EXPECT_STDERR xdpcost setup: cpu 9 is not online
EXPECT_STDERR hint: online: 0-3

NAME the check of a tree judges its settings
SHELL python3 {source}/tests/support/machine_tree.py r && echo 0 >r/sys/devices/system/cpu/intel_pstate/no_turbo && xdpcost setup --root r --cpu 3 --check
EXPECT_REGEX ^cpu.governor +WARN +powersave +
EXPECT_REGEX ^cpu.boost +WARN +on \(intel_pstate/no_turbo\) +
EXPECT_REGEX ^cpu.smt +WARN +cpu 1 on the same core is online +
EXPECT_REGEX ^perf.nmi_watchdog +WARN +on +

NAME a check that fails is the status
SHELL python3 {source}/tests/support/machine_tree.py r && mkdir -p r/proc/sys/net/core && echo 0 >r/proc/sys/net/core/bpf_jit_enable && xdpcost setup --root r --cpu 3 --check
EXIT 2
EXPECT_REGEX ^bpf.jit +FAIL +off

NAME the check is JSON on demand
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 --check --json
EXPECT_JSON .schema = 1
EXPECT_JSON .cpu = 3
EXPECT_JSON .checks[0].id = "kernel.release"
EXPECT_JSON .checks[3].id = "cpu.governor"
EXPECT_JSON .checks[3].verdict = "WARN"
EXPECT_JSON .checks[3].seen = "powersave"
EXPECT_JSON .checks[3].effect exists

NAME the check of this machine measures its clock and watches it
SHELL xdpcost setup --check --json; test $? = 0 -o $? = 2
EXPECT "cpu.frequency"
EXPECT "irq.run"
EXPECT "machine.changed"

NAME a knob that another program changed is found by the check of the lab
SHELL python3 {source}/tests/support/machine_tree.py r && xdpcost setup --root r --cpu 3 --name a 2>/dev/null && xdpcost setup --root r --cpu 3 --check --name a >first && echo powersave >r/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor && cat first && xdpcost setup --root r --cpu 3 --check --name a
EXIT 2
EXPECT_REGEX ^setup.kept +PASS +
EXPECT_REGEX ^setup.kept +FAIL +{tmp}/r/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor +

NAME modes exclude each other
SHELL xdpcost setup --check --restore; test $? = 129 && xdpcost setup --check -- true; test $? = 129 && xdpcost setup --restore --dry-run; test $? = 129 && xdpcost setup --json
EXIT 129
EXPECT_EMPTY

NAME micro measures in the netns of a lab
SHELL python3 {source}/tests/support/machine_tree.py r && sed -i s/0-3/0/ r/sys/devices/system/cpu/online && xdpcost setup --root r --link macvlan --pop 16,32 -- xdpcost micro --ws 4 --call check-mtu --quick -o x.data && xdpcost report --csv x.data; ls r/run/netns
REQUIRES root,bpf
TIMEOUT 120
EXPECT_REGEX ^.*check-mtu.*,16,4,.*macvlan
EXPECT_REGEX ^.*check-mtu.*,32,4,.*macvlan
EXPECT_NONE xdpcost-

NAME micro says that a lab is not there
RUN xdpcost micro --lab no-such-lab --dry-run
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost micro: there is no lab 'no-such-lab'
EXPECT_STDERR hint: make it with 'xdpcost setup --name'

NAME micro makes a population that its lab lacks
SHELL python3 {source}/tests/support/machine_tree.py r && sed -i s/0-3/0/ r/sys/devices/system/cpu/online && xdpcost setup --root r --link macvlan --pop 16 -- xdpcost micro --pop 8 --ws 4 --call check-mtu --quick | xdpcost report --csv
REQUIRES root,bpf
TIMEOUT 120
EXPECT_REGEX ^.*check-mtu.*,8,4,.*macvlan
EXPECT_STDERR xdpcost micro: the lab has no 8 macvlan devices: they are made for this run

NAME a knob that another program changes during a run is found in its stream
SHELL python3 {source}/tests/support/machine_tree.py r && sed -i s/0-3/0/ r/sys/devices/system/cpu/online && xdpcost setup --root r --knobs nmi-watchdog -- sh -c 'xdpcost micro --pop 8 --ws 4 --quick -o x.data & pid=$!; until [ -s x.data ]; do sleep 0.02; done; echo 7 >r/proc/sys/kernel/nmi_watchdog; wait $pid'; xdpcost report --checks x.data
REQUIRES root,bpf
TIMEOUT 60
EXIT 2
EXPECT_REGEX ^setup.kept +FAIL +{tmp}/r/proc/sys/kernel/nmi_watchdog\b
EXPECT_STDERR xdpcost setup: left '{tmp}/r/proc/sys/kernel/nmi_watchdog': is 7, was set to 0, and had been 1

NAME a task that shares the measured cpu is found in the stream
SHELL timeout 60 taskset -c 0 sh -c 'while :; do :; done' & busy=$!; xdpcost micro --cpu 0 --pop 8 --ws 4 --quick -o x.data; kill $busy; xdpcost report --checks x.data; tr '\0' '\n' <x.data | grep -a -A 1 'visits.redone$' | tr '\n' ' '
REQUIRES root,bpf
TIMEOUT 60
EXPECT_REGEX ^data.spoiled +WARN +\d+ of \d+ visits spoiled
EXPECT_REGEX visits.redone [1-9]

NAME the reader of the output is named where it can run on the measured cpu only
SHELL xdpcost micro --cpu 0 --pop 8 --ws 4 --quick | taskset -c 0 cat >x.data; xdpcost report --checks x.data
REQUIRES root,bpf
TIMEOUT 60
EXPECT_REGEX ^output.reader +WARN +process \d+ \(cat\) may run\b
EXPECT_STDERR_REGEX ^xdpcost micro: the reader of the output, process \d+ \(cat\) may run on nothing but cpu 0: 'taskset' can bind it to another cpu$

NAME a reader of the output that keeps off the measured cpu is no fault
SHELL test $(nproc) -gt 1 || { echo one cpu; exit 77; }; xdpcost micro --cpu 0 --pop 8 --ws 4 --quick | taskset -c 1 cat >x.data; xdpcost report --checks x.data
REQUIRES root,bpf
TIMEOUT 60
EXPECT_REGEX ^output.reader +PASS +process \d+ \(cat\) ran on cpu 1 
EXPECT_STDERR_NONE reader of the output

NAME literal measures in the netns of a lab, with and without its NAPI thread
SHELL test $(nproc) -gt 1 || { echo one cpu; exit 77; }; python3 {source}/tests/support/machine_tree.py r && sed -i s/0-3/0/ r/sys/devices/system/cpu/online && xdpcost setup --root r --knobs none --link macvlan --pop 16 -- sh -c 'for i in 1 2; do xdpcost literal --ws 4 --quick -o a$i.data && xdpcost literal --ws 4 --quick --send-cpu 1 -o b$i.data || exit; done' && for f in a1 a2; do xdpcost report --csv $f.data | grep -q check-mtu,.*,16,4, && echo $f is whole; done; xdpcost report b2.data >/dev/null && echo b2 can be read
REQUIRES root,bpf
TIMEOUT 120
EXPECT a1 is whole
EXPECT a2 is whole
EXPECT b2 can be read

NAME options of a lab are refused where none is made
SHELL for o in '--check --pop 3' '--check --link veth' '--check --knobs none' '--check --skip smt' '--restore --pop 3' '--restore --knobs all' '--restore --skip smt' '--restore --cpu 0' '--link veth --dry-run' '--knobs all,none --dry-run'; do xdpcost setup $o; test $? = 129 || { echo "$o"; exit 1; }; done
EXPECT_EMPTY
EXPECT_STDERR xdpcost setup: --pop excludes --check
EXPECT_STDERR xdpcost setup: --link requires --pop
EXPECT_STDERR xdpcost setup: --knobs none goes with no other word

NAME the check of a lab that is not there names it
SHELL xdpcost setup --check --name nosuch
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR xdpcost setup: there is no lab 'nosuch'

NAME the check in a pipe keeps to 100 columns
SHELL python3 {source}/tests/support/machine_tree.py {tmp}/r && xdpcost setup --check --root {tmp}/r | tee {tmp}/out | wc -L | grep -xE '[89].|100' && grep -c . {tmp}/out
EXPECT_REGEX ^\d\d+$
