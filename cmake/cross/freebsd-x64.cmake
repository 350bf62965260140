# FreeBSD 14.
set(system freebsd-x64)
set(CMAKE_SYSTEM_NAME FreeBSD)
set(CMAKE_SYSTEM_PROCESSOR amd64)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
