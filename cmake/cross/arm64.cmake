# Not x86: characters without sign, another order of memory.
set(architecture arm64)
set(triple aarch64-linux-gnu)
set(multiarch aarch64-linux-gnu)
set(emulator qemu-aarch64-static)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
