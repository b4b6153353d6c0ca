/* SPDX-License-Identifier: GPL-2.0-only */
/* Dependent steps whose cost in core cycles is known. A step is a 64-bit multiply and an exclusive
 * or, register by register: 3 + 1 cycles on x86-64 since Nehalem and Zen. (An add of a constant
 * would not do: some cores fold it into the renamer.)
 */
#ifndef XDPCOST_CHAIN_H
#define XDPCOST_CHAIN_H

#define CHAIN_STEP "%[x] *= %[odd]; %[x] ^= %[mask];"
#define CHAIN_4 CHAIN_STEP CHAIN_STEP CHAIN_STEP CHAIN_STEP
#define CHAIN_16 CHAIN_4 CHAIN_4 CHAIN_4 CHAIN_4
#define CHAIN_32 CHAIN_16 CHAIN_16
#define CHAIN_64 CHAIN_32 CHAIN_32
#define CHAIN_128 CHAIN_64 CHAIN_64
#define CHAIN_256 CHAIN_128 CHAIN_128

/* Runs `x` through the steps of one of the strings above. */
#define RUN_CHAIN(steps, x)                                                                        \
	asm volatile(steps : [x] "+r"(x) : [odd] "r"(0x9e3779b97f4a7c15), [mask] "r"(0x5bd1e995))

#endif
