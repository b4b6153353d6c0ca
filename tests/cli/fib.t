# xdpcost fib: what it refuses, and that each case proves itself.

NAME a dry run prints a cell for each case, family and number of routes
RUN xdpcost fib --dry-run --link macvlan --family inet,inet6 --routes 1,1000 --seed 7
REQUIRES root,bpf
EXPECT_REGEX ^fib-v4 fwd-off 1 +none +\S+ +64 +8 +oldest +macvlan +effect$
EXPECT_REGEX ^fib-v6 neigh 1000 +none +\S+ +64 +8 +oldest +macvlan +effect$
EXPECT_REGEX ^cells 19, .* devices 768 in 12 netns

NAME an unknown case is refused with the list
RUN xdpcost fib --case route
EXIT 129
EXPECT_EMPTY
EXPECT_STDERR_REGEX ^xdpcost fib: .*--case.*fwd-off

NAME an unknown flag is refused
RUN xdpcost fib --flags fast
EXIT 129
EXPECT_STDERR --flags

NAME a table without routes is refused
RUN xdpcost fib --routes 0
EXIT 129
EXPECT_STDERR --routes

NAME more destinations than the routes have are refused
RUN xdpcost fib --routes 1 --ws 255 --dry-run
REQUIRES root,bpf
EXIT 129
EXPECT_STDERR xdpcost fib: 255 destinations do not fit 1 routes
EXPECT_STDERR hint: 1 to 254

NAME every case of both families returns what it must
SHELL xdpcost fib --quick --link macvlan --pop 8 --family inet,inet6 --routes 1,300 --seed 3 | xdpcost report --json
REQUIRES root,bpf
EXPECT "workload": "fib"
EXPECT "case": "fwd-off"
EXPECT "case": "no-route"
EXPECT "case": "no-neigh"
EXPECT "case": "neigh"
EXPECT_NONE "failed": true
EXPECT_NONE return values that the case does not allow

NAME without the neighbour's lookup a route without neighbour is a success
SHELL xdpcost fib --quick --link macvlan --pop 8 --case no-neigh --flags skip-neigh,direct --seed 3 | xdpcost report --csv
REQUIRES root,bpf
EXPECT_REGEX ,fib-v4,no-neigh,inet,1000,direct\+skip-neigh,
EXPECT_NONE does not allow

NAME each case is measured once, and the A/A row is of one of them
REQUIRES root,bpf
RUN xdpcost fib --dry-run --case neigh,neigh --routes 10,10
EXPECT_REGEX ^fib-v4 neigh 10 .* effect$
EXPECT_REGEX ^fib-v4 neigh 10 .* aa$
EXPECT_REGEX ^cells 4,
