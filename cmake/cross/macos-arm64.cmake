# macOS 11 and later on processors of Apple.
set(system macos-arm64)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
