# How everything of the project is compiled: link tk_flags (PRIVATE) to a target to have it compiled so.
get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

if(MSVC) # never tried
  set(TK_WARNINGS /W4 /utf-8 /experimental:c11atomics)
else()
  set(TK_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror=implicit-function-declaration)
endif()

add_library(tk_flags INTERFACE)
target_compile_options(tk_flags INTERFACE ${TK_WARNINGS} $<$<NOT:$<BOOL:${MSVC}>>:-fno-math-errno>)
if(MSVC)
  target_compile_definitions(tk_flags INTERFACE _CRT_SECURE_NO_WARNINGS)
endif()
# Files above 2 GiB and years above 2038 on 32-bit machines; elsewhere it is so anyway.
target_compile_definitions(tk_flags INTERFACE _FILE_OFFSET_BITS=64 _TIME_BITS=64)
# Figures are those of other machines, to the last digit, only without the excess precision of the x87.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$" OR (CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 4))
  target_compile_options(tk_flags INTERFACE -msse2 -mfpmath=sse)
endif()
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  target_compile_options(tk_flags INTERFACE -Wnewline-eof)
endif()
# Formats are checked where printf is that of the C standard. What says NaN is a macro over float in headers of MinGW.
if(MINGW)
  target_compile_options(tk_flags INTERFACE -Wno-format -Wno-float-conversion)
endif()
if(TK_WERROR)
  target_compile_options(tk_flags INTERFACE -Werror)
endif()

# Of the library and the commands: they run on stacks of 64 KB (SECURITY.md). Never an error, and requested of the builds that
# are installed alone: how functions are put together is the compiler's, and sanitizers and fuzzers widen frames.
set(TK_FRAME_BYTES 8192)
function(tk_bound_frames)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT TK_SANITIZE AND NOT TK_COVERAGE AND NOT TK_FUZZ)
    add_compile_options("$<$<CONFIG:Release>:-Wframe-larger-than=${TK_FRAME_BYTES};-Wno-error=frame-larger-than=>")
  endif()
endfunction()

# Sanitizers, coverage and fuzzing concern every object of a build, so they are no property of single targets.
if(TK_SANITIZE)
  add_compile_options(-fsanitize=${TK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TK_SANITIZE})
  # A null pointer that is followed stops under AddressSanitizer by itself; to ask before each costs a fifth of the build.
  if(TK_SANITIZE MATCHES "address.*undefined")
    add_compile_options(-fno-sanitize=null)
  endif()
endif()
if(TK_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(TK_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TK_FUZZ needs clang, not ${CMAKE_C_COMPILER_ID}")
  endif()
  # An edge is one of the source: copies of a function in its callers would be found one by one.
  add_compile_options(-fsanitize=fuzzer-no-link -fno-inline)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
