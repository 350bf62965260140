# For toolchain files: the compiler of Debian for ${triple}, with what script/sysroot laid down for ${architecture},
# and ${emulator} (may be empty) to run what is built.
get_filename_component(sysroots "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot" ABSOLUTE)
set(sysroot "${sysroots}/${architecture}")

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_SYSROOT "${sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(ENV{PKG_CONFIG_SYSROOT_DIR} "${sysroot}")
set(ENV{PKG_CONFIG_LIBDIR} "${sysroot}/usr/lib/${multiarch}/pkgconfig:${sysroot}/usr/share/pkgconfig")

# Without an emulator the programs run here, with the libraries of the sysroot. Those that libtracekit requests are
# looked for where it says, not where the program does.
if(NOT emulator)
  set(paths "-Wl,-rpath,${sysroot}/lib/${multiarch}:${sysroot}/usr/lib/${multiarch}")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${sysroot}/${loader} ${paths}")
  set(CMAKE_SHARED_LINKER_FLAGS_INIT "${paths}")
  return()
endif()

set(TK_EMULATED ON) # tests take longer, and more memory
# With one, each program becomes a script alongside it that calls the emulator, so that everybody who runs it can do so
# by its name, also through links.
get_property(trying GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT trying)
  set(CMAKE_C_LINK_EXECUTABLE
      "<CMAKE_C_COMPILER> <FLAGS> <CMAKE_C_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>"
      "${CMAKE_CURRENT_LIST_DIR}/emulated <TARGET> ${emulator} -L ${sysroot}")
endif()
