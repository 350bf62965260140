# Linux without its C library: static programs with musl, and the libraries that script/libraries built. They run on this
# machine, and on any other of its processor.
get_filename_component(sysroot "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/musl" ABSOLUTE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
include("${CMAKE_CURRENT_LIST_DIR}/libraries.cmake")
