# Windows, with MinGW and the libraries that script/libraries built. Programs are linked with the C runtime of Windows 10
# (UCRT): ucrt.specs says so to compilers that would take msvcrt.dll.
get_filename_component(sysroot "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/windows" ABSOLUTE)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-win32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_C_FLAGS_INIT "-D_UCRT -specs=${CMAKE_CURRENT_LIST_DIR}/ucrt.specs")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
# the same bytes each time
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--no-insert-timestamp")
string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -Wl,--no-insert-timestamp")
include("${CMAKE_CURRENT_LIST_DIR}/libraries.cmake")
