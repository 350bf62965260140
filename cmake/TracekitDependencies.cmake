# The libraries that Tracekit runs with. Installed beside the package file, for those who link it statically.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(TK_PKGCONFIG liblz4 libzstd zlib sqlite3 libcjson)
foreach(module IN LISTS TK_PKGCONFIG)
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET ${module})
  list(APPEND TK_EXTERNAL PkgConfig::${module})
endforeach()

# Everything that a static libtracekit needs beside itself.
list(APPEND TK_EXTERNAL Threads::Threads)
if(UNIX)
  list(APPEND TK_EXTERNAL m)
endif()
