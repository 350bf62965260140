# Windows 10 and later on arm64.
set(system windows-arm64)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR ARM64)
set(CMAKE_RC_COMPILER "${CMAKE_CURRENT_LIST_DIR}/../../build/zig/bin/rc")
set(CMAKE_RC_COMPILE_OBJECT "<CMAKE_RC_COMPILER> <DEFINES> <INCLUDES> /fo <OBJECT> <SOURCE>")
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
