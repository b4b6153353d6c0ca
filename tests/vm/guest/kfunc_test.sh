# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest: what the kfuncs of bpf/kmod answer, and that the module goes away again.
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

index() {
    cat "/sys/class/net/$1/ifindex"
}

# answers COMMAND...: what bpf_xdp_egress_dev() returned, then what bpf_xdp_egress_nop() did.
answers() {
    "$@" | cut -d ' ' -f 2,3
}

# Taken from a list of errno, not from the module.
ENODEV=-19
ENETDOWN=-100

ip link add parent type dummy
ip link set parent up
ip link add link parent name vlan type vlan id 5
ip link add link vlan name stacked type vlan id 6
ip link add link stacked name deeper type vlan id 7
ip link add link parent name macvlan type macvlan
parent=$(index parent)
for device in vlan stacked deeper macvlan; do
    ip link set $device up
done

expect "a VLAN leads to its parent" "$parent 0" \
    "$(answers guest_egress_dev "$(index vlan)")"
expect "a VLAN on a VLAN leads to the physical device" "$parent 0" \
    "$(answers guest_egress_dev "$(index stacked)")"
expect "so does a third one" "$parent 0" "$(answers guest_egress_dev "$(index deeper)")"
expect "a device that is no VLAN is its own answer" "$parent 0" \
    "$(answers guest_egress_dev "$parent")"
expect "a macvlan is no VLAN" "$(index macvlan) 0" \
    "$(answers guest_egress_dev "$(index macvlan)")"
expect "ifindex 0 is no device" "$ENODEV 0" "$(answers guest_egress_dev 0)"
expect "an ifindex that nobody has is no device" "$ENODEV 0" \
    "$(answers guest_egress_dev 4294967295)"
expect "a device of another netns is no device" "$ENODEV 0" \
    "$(answers unshare -n guest_egress_dev "$parent")"

ip link set vlan down
expect "a VLAN that is down still leads to its parent" "$parent 0" \
    "$(answers guest_egress_dev "$(index vlan)")"
ip link set parent down
expect "a parent that is down is an error" "$ENETDOWN 0" \
    "$(answers guest_egress_dev "$(index vlan)")"
expect "so is a plain device" "$ENETDOWN 0" "$(answers guest_egress_dev "$parent")"

# A program that has ended is freed a little later.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    rmmod xdpcost_kfunc 2>/dev/null && break
    sleep 1
done
expect "the module can be removed when no program uses it" "" "$(lsmod | grep xdpcost_kfunc)"
expect "its BTF goes with it" "no" "$([ -e /sys/kernel/btf/xdpcost_kfunc ] && echo yes || echo no)"
guest_egress_dev "$parent" >/dev/null 2>&1
expect "programs that call it are refused then" "1" "$?"
insmod /lab/xdpcost_kfunc.ko
ip link set parent up
expect "the module can be loaded again" "$parent 0" "$(answers guest_egress_dev "$parent")"

complaints=$(dmesg | grep -E 'BUG|WARNING|Oops|Call trace|missing module BTF')
expect "the kernel has nothing to complain of" "" "$complaints"
exit $((failures != 0))
