# What `cpack` makes of an installation:
#
#   cpack -G DEB    tracekit (commands), libtracekit0.2 (shared library), libtracekit-dev (headers, static library,
#                   pkg-config and CMake files, examples), and the same two of the emitter
#   cpack -G TGZ    an archive to unpack anywhere: the commands with the libraries they need
#
# script/package builds for both and calls cpack. What the generators need alongside each other is in package/.

# The commands once more, as they look for their libraries alongside themselves: the component `portable`, which is in
# no installation.
if(TARGET tk_cmd AND UNIX AND NOT APPLE)
  add_executable(portable cmd/main.c)
  target_link_libraries(portable PRIVATE tk_cmd tk_flags)
  set_target_properties(portable PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/portable"
                        INSTALL_RPATH "$ORIGIN/../lib/tracekit" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(portable PRIVATE LINKER:--strip-all)
  install(PROGRAMS $<TARGET_FILE:portable> DESTINATION bin RENAME tracekit COMPONENT portable EXCLUDE_FROM_ALL)
  configure_file(cmake/package/carry.cmake.in carry.cmake @ONLY)
  install(SCRIPT "${PROJECT_BINARY_DIR}/carry.cmake" COMPONENT portable EXCLUDE_FROM_ALL)
endif()

string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" TK_PACKAGE_SYSTEM)
set(CPACK_PACKAGE_NAME tracekit)
# Who makes packages answers for them, as with Debian's own tools. The project has no address, and a package needs one:
# without DEBEMAIL it is one that says itself that there is none (RFC 2606).
set(contact "Tracekit contributors <nobody@tracekit.invalid>")
if(DEFINED ENV{DEBEMAIL})
  set(contact "Tracekit packagers <$ENV{DEBEMAIL}>")
  if(DEFINED ENV{DEBFULLNAME})
    set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  endif()
endif()
set(CPACK_PACKAGE_CONTACT "${contact}" CACHE STRING "Who maintains the packages: Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "reads performance captures of Unreal Engine and Tracy")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)
find_program(TK_DPKG dpkg)
find_program(TK_SHLIBDEPS dpkg-shlibdeps)
if(TK_DPKG AND TK_SHLIBDEPS)
  list(PREPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_COMPONENTS_ALL commands library development emit emit_development)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_BINARY_DIR}/CPackProject.cmake")
configure_file(cmake/package/project.cmake.in CPackProject.cmake @ONLY)

# ---- .deb ----
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/CPackDebian.cmake")
configure_file(cmake/package/debian.cmake.in CPackDebian.cmake @ONLY)

set(CPACK_DEBIAN_COMMANDS_PACKAGE_NAME tracekit)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_COMMANDS_DESCRIPTION
    "The commands answer where the time of a program went, what a capture holds, and
whether a build became slower, on a machine that has neither engine nor viewer:
trace-info, trace-events, trace-stats and trace-query in a terminal, trace-view
and trace-report in a browser, trace-diff, trace-check, trace-baseline,
trace-trend and tracekit-ci in CI, trace-mcp for assistants; trace-export,
trace-edit and trace-cache for files, trace-record and trace-control for
programs that run.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtracekit${TK_INTERFACE})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/package/triggers")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "reads performance captures (shared library)
The library for programs that read captures of Unreal Engine (.utrace) and of
Tracy (.tracy).")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtracekit-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# Those of Requires.private in tracekit.pc, without which pkg-config refuses to answer.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libtracekit${TK_INTERFACE} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), liblz4-dev, libzstd-dev, zlib1g-dev, libsqlite3-dev, libcjson-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS pkgconf)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "reads performance captures (development files)
The header that is the manual, the static library, files for pkg-config and
CMake, and examples.")

set(CPACK_DEBIAN_EMIT_PACKAGE_NAME libtracekit-emit1)
set(CPACK_DEBIAN_EMIT_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_EMIT_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/package/triggers")
set(CPACK_COMPONENT_EMIT_DESCRIPTION
    "writes performance captures (shared library)
The library for programs that write captures (.utrace) of themselves.")

set(CPACK_DEBIAN_EMIT_DEVELOPMENT_PACKAGE_NAME libtracekit-emit-dev)
set(CPACK_DEBIAN_EMIT_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_EMIT_DEVELOPMENT_PACKAGE_DEPENDS "libtracekit-emit1 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_EMIT_DEVELOPMENT_DESCRIPTION
    "writes performance captures (development files)
The header, the static library, files for pkg-config and CMake, bindings for
Python and Rust, and examples.")

include(CPack)
