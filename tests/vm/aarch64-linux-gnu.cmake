# SPDX-License-Identifier: GPL-2.0-only
# Cross compiler of Debian for arm64: cmake --toolchain tests/vm/aarch64-linux-gnu.cmake
# -DXDPCOST_SYSROOT=FOLDER, a folder with the packages of sysroot.txt unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)

# Known to the checks of compilers too, which run in projects of their own.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES XDPCOST_SYSROOT)
if(NOT IS_DIRECTORY "${XDPCOST_SYSROOT}/usr")
  message(FATAL_ERROR "XDPCOST_SYSROOT names no folder with arm64 packages")
endif()

# No CMAKE_SYSROOT: the compiler keeps the C library that it came with.
set(CMAKE_FIND_ROOT_PATH ${XDPCOST_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
# Libraries that are headers only are the machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR}
  ${XDPCOST_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${XDPCOST_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${XDPCOST_SYSROOT})

# What a library needs itself is looked for here when a program is linked.
set(link_path "-Wl,-rpath-link,${XDPCOST_SYSROOT}/usr/lib/aarch64-linux-gnu")
string(APPEND link_path ",-rpath-link,${XDPCOST_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT ${link_path})

# A note, for each use of Boost, that GCC before 10.1 passed parameters differently.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)

# Test programs cannot run here to be asked for their tests.
set(CMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)
