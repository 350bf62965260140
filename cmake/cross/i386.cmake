# 32 bits. x86-64 runs it.
set(architecture i386)
set(triple i686-linux-gnu)
set(multiarch i386-linux-gnu)
set(loader lib/ld-linux.so.2)
set(CMAKE_SYSTEM_PROCESSOR i686)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
