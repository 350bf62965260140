# What `cmake --install` puts where (the command itself: cmd/CMakeLists.txt). The components are the packages of
# TracekitPackage.cmake: commands (whatever names no other), library, development, emit, emit_development (emit/).
include(CMakePackageConfigHelpers)
include(TracekitSbom)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/tracekit")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(PROGRAMS ci/tracekit-ci ci/tracekit-bisect DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES docs/ci.md docs/bindings.md docs/fleet.md action.yml DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES docs/agents/SKILL.md DESTINATION "${CMAKE_INSTALL_DOCDIR}/agents")
# What other programs read: schemas of JSON files, and the Python package, which needs no more than PYTHONPATH.
install(DIRECTORY schemas DESTINATION "${CMAKE_INSTALL_DATADIR}/tracekit")
install(DIRECTORY python/tracekit DESTINATION "${CMAKE_INSTALL_DATADIR}/tracekit/python" FILES_MATCHING PATTERN "*.py"
        PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ci/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}/ci")
install(FILES libtrace/tracekit.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(DIRECTORY libtrace/tracekit DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development PATTERN emit EXCLUDE)
install(TARGETS tracekit_shared EXPORT tracekit-shared
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT library
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(TARGETS tracekit_static EXPORT tracekit-static
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(EXPORT tracekit-shared NAMESPACE tracekit:: DESTINATION "${package}" COMPONENT development)
install(EXPORT tracekit-static NAMESPACE tracekit:: DESTINATION "${package}" COMPONENT development)

configure_package_config_file(cmake/tracekitConfig.cmake.in "${PROJECT_BINARY_DIR}/tracekitConfig.cmake"
                              INSTALL_DESTINATION "${package}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tracekitConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tracekitConfig.cmake" "${PROJECT_BINARY_DIR}/tracekitConfigVersion.cmake"
              cmake/TracekitDependencies.cmake
        DESTINATION "${package}" COMPONENT development)

# The pkg-config file finds its prefix from where it lies, so an installed tree can be moved.
set(pkgconfig "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  message(FATAL_ERROR "CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_INCLUDEDIR must be relative to the prefix")
endif()
file(RELATIVE_PATH TK_PC_PREFIX "/prefix/${pkgconfig}" "/prefix")
string(REGEX REPLACE "/$" "" TK_PC_PREFIX "${TK_PC_PREFIX}")
string(REPLACE ";" ", " TK_PC_PRIVATE "${TK_PKGCONFIG}")
configure_file(cmake/tracekit.pc.in tracekit.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tracekit.pc" DESTINATION "${pkgconfig}" COMPONENT development)

# Takes away what `cmake --install` put in place last.
if(PROJECT_IS_TOP_LEVEL AND NOT TARGET uninstall)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt" -P
                                      "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake" VERBATIM)
endif()
