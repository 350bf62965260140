# The libraries that Tracekit runs with. Installed alongside the package file, for those who link it statically.
find_package(PkgConfig REQUIRED)
if(NOT WIN32)
  find_package(Threads REQUIRED)
endif()
set(TK_PKGCONFIG liblz4 libzstd zlib sqlite3 libcjson)
foreach(module IN LISTS TK_PKGCONFIG)
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET ${module})
  list(APPEND TK_EXTERNAL PkgConfig::${module})
endforeach()

# Everything that a static libtracekit needs alongside itself.
if(UNIX)
  list(APPEND TK_EXTERNAL Threads::Threads m)
elseif(WIN32)
  list(APPEND TK_EXTERNAL ws2_32)
endif()
