# For toolchain files: the compiler that script/zig laid down for ${system}, with what script/libraries built for it. What
# is built does not run here.
get_filename_component(built "${CMAKE_CURRENT_LIST_DIR}/../../build" ABSOLUTE)
set(sysroot "${built}/sysroot/${system}")
set(CMAKE_C_COMPILER "${built}/zig/bin/${system}-cc")
set(CMAKE_AR "${built}/zig/bin/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${built}/zig/bin/ranlib" CACHE FILEPATH "")
include("${CMAKE_CURRENT_LIST_DIR}/libraries.cmake")
