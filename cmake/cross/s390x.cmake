# The most significant byte first.
set(architecture s390x)
set(triple s390x-linux-gnu)
set(multiarch s390x-linux-gnu)
set(emulator qemu-s390x-static)
set(CMAKE_SYSTEM_PROCESSOR s390x)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
