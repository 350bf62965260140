# Windows 10 and later on arm64.
set(system windows-arm64)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR ARM64)
set(CMAKE_RC_COMPILER llvm-windres)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
