# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest with xdpcost at /xdpcost: faults that only a machine of one's own can be given, and
# real settings, changed and put back.
failures=0

# expect WHAT WANTED GOT
expect() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: expected '$2', got '$3'"
        failures=$((failures + 1))
    fi
}

# verdict FILE CHECK: what the table of checks in a file says.
verdict() {
    sed -n "s/^$2  *\([A-Z]*\) .*/\1/p" "$1"
}

settings() {
    cat /proc/sys/kernel/perf_event_paranoid /sys/kernel/rcu_expedited
    for file in /proc/sys/kernel/nmi_watchdog /proc/irq/*/smp_affinity_list; do
        [ -e "$file" ] && cat "$file"
    done
}

echo 2 >/proc/sys/kernel/perf_event_paranoid
before=$(settings)

/xdpcost setup --cpu 0 --name a --pop 16 --link dummy 2>/dev/null
expect "a lab is made" 0 $?
expect "a setting is changed" 1 "$(cat /proc/sys/kernel/perf_event_paranoid)"
expect "so is another one" 1 "$(cat /sys/kernel/rcu_expedited)"
expect "the namespace has its name" xdpcost-a-16 "$(ls /run/netns)"
expect "another setup is refused" 129 "$(/xdpcost setup --cpu 0 --name a 2>/dev/null; echo $?)"
/xdpcost setup --check --name a >/check
expect "the settings are kept" PASS "$(verdict /check setup.kept)"
echo 2 >/proc/sys/kernel/perf_event_paranoid
/xdpcost setup --check --name a >/check
expect "a setting that another program changed is found" FAIL "$(verdict /check setup.kept)"
/xdpcost setup --restore >/dev/null
expect "the lab is restored" 0 $?
expect "all settings are as before" "$before" "$(settings)"
expect "no namespace is left" "" "$(ls /run/netns)"
expect "there is nothing to restore then" "nothing to restore" "$(/xdpcost setup --restore)"

/xdpcost setup --cpu 0 -- sleep 100 &
sleep 3
expect "the lab of a command changes settings" 1 "$(cat /proc/sys/kernel/perf_event_paranoid)"
kill -9 $!
/xdpcost setup --restore >/dev/null
expect "a killed setup is restored" "$before" "$(settings)"

/xdpcost setup --check >/check
expect "the JIT is on" PASS "$(verdict /check bpf.jit)"
echo 0 >/proc/sys/net/core/bpf_jit_enable
/xdpcost setup --check >/check
expect "without the JIT the check fails" 2 $?
expect "and says why" FAIL "$(verdict /check bpf.jit)"
if /xdpcost micro --call ktime --pop 16 --ws 4 --link dummy --quick -o /interpreted.data 2>/error; then
    /xdpcost report --checks /interpreted.data >/report
    expect "a report of interpreted programs fails" 2 $?
    expect "and names the JIT" FAIL "$(verdict /report bpf.jit)"
    expect "and the programs" FAIL "$(verdict /report bpf.jited)"
else
    expect "a kernel that does not load the programs without the JIT is told so in words" \
        "not supported by this kernel's configuration (ENOTSUPP)" \
        "$(sed -n "1s/.*cannot load program '[^']*': //p" /error)"
fi
exit $((failures != 0))
