# Wings: parts that a build may leave out (libtrace/layers.txt). TK_WINGS are their names, TK_LEFT_OUT those that this build
# is without; their folders are taken out of TK_FOLDERS.
file(STRINGS "${TK_LAYERS_FILE}" lines REGEX "^wing [a-z]+:")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^wing ([a-z]+): *([^|]*) *\\| *([^|]*) *\\| *(.*)$" line "${line}")
  set(wing "${CMAKE_MATCH_1}")
  list(APPEND TK_WINGS "${wing}")
  separate_arguments("TK_WING_FOLDERS_${wing}" UNIX_COMMAND "${CMAKE_MATCH_2}")
  separate_arguments("TK_WING_CHAPTERS_${wing}" UNIX_COMMAND "${CMAKE_MATCH_3}")
  separate_arguments("TK_WING_NEEDS_${wing}" UNIX_COMMAND "${CMAKE_MATCH_4}")
  list(APPEND needed ${TK_WING_NEEDS_${wing}})
  string(TOUPPER "TK_WITH_${wing}" "TK_WING_OPTION_${wing}")
endforeach()

# What only serves others has no option: it is built with them.
foreach(wing IN LISTS TK_WINGS)
  if(wing IN_LIST needed AND "${TK_WING_CHAPTERS_${wing}}" STREQUAL "")
    list(APPEND serving "${wing}")
  else()
    option("${TK_WING_OPTION_${wing}}" "Build the part '${wing}' of the library" ON)
  endif()
endforeach()
foreach(wing IN LISTS TK_WINGS)
  foreach(other IN LISTS "TK_WING_NEEDS_${wing}")
    set(option "${TK_WING_OPTION_${wing}}")
    if(${option} AND other IN_LIST serving)
      set("${TK_WING_OPTION_${other}}" ON)
    elseif(${option} AND NOT ${TK_WING_OPTION_${other}})
      message(FATAL_ERROR "${option} needs ${TK_WING_OPTION_${other}}: set -D${TK_WING_OPTION_${other}}=ON or -D${option}=OFF")
    endif()
  endforeach()
endforeach()
foreach(wing IN LISTS TK_WINGS)
  if(NOT ${TK_WING_OPTION_${wing}})
    list(APPEND TK_LEFT_OUT "${wing}")
    foreach(folder IN LISTS "TK_WING_FOLDERS_${wing}")
      list(FILTER TK_FOLDERS EXCLUDE REGEX "^${folder}(/|$)")
    endforeach()
  endif()
endforeach()

# tk_wing_answer(VARIABLE WING PROTOTYPE): a public function of a wing that is left out, which says so.
function(tk_wing_answer variable wing prototype)
  string(REGEX REPLACE "^TK_API +([^(]*[ *])tk_[a-z0-9_]+\\(.*$" "\\1" type "${prototype}")
  string(STRIP "${type}" type)
  string(REGEX REPLACE "^TK_WITH_" "" option "${TK_WING_OPTION_${wing}}")
  set(body "")
  string(REGEX MATCHALL "[a-z] \\*\\*[a-z_]+" outs "${prototype}")
  foreach(out IN LISTS outs)
    string(REGEX REPLACE ".*\\*" "" out "${out}")
    string(APPEND body "    if (${out})\n        *${out} = NULL;\n")
  endforeach()
  if(type STREQUAL "int" AND prototype MATCHES "struct tk_err \\*err\\)")
    string(APPEND body "    return tk_err_left_out(err, \"${option}\");\n")
  elseif(type STREQUAL "const char *const *")
    string(APPEND body "    static const char *const none[] = {NULL};\n    return none;\n")
  elseif(type MATCHES "\\*$")
    string(APPEND body "    return NULL;\n")
  elseif(NOT type STREQUAL "void")
    string(APPEND body "    return 0;\n")
  endif()
  string(REGEX REPLACE "^TK_API +" "" prototype "${prototype}")
  set(${variable} "${prototype}\n{\n${body}}\n" PARENT_SCOPE)
endfunction()

# tk_public_functions(VARIABLE FILE): the prototypes of a chapter of tracekit.h, without their semicolons.
function(tk_public_functions variable file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" text "${text}")
  string(REGEX REPLACE "#define TK_API[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "TK_API [^;{]+" functions "${text}")
  list(TRANSFORM functions REPLACE "[ \n]+" " ")
  set(${variable} "${functions}" PARENT_SCOPE)
endfunction()

# What wings give to the core, in lists of one each that the core declares: a file for each, which says that there is none
# where the wing is left out.
set(TK_SEAMS presets symbols live)
set(TK_SEAM_FOLDER_presets export)
set(TK_SEAM_LINKS_presets presets)
set(TK_SEAM_TEXT_presets "struct tk_export_preset;
extern const struct tk_export_preset *const tk_wing_presets[];
extern const struct tk_export_preset *const *const tk_presets;
const struct tk_export_preset *const *const tk_presets = tk_wing_presets;\n")
set(TK_SEAM_NONE_presets "struct tk_export_preset;
static const struct tk_export_preset *const none[] = {0};
extern const struct tk_export_preset *const *const tk_presets;
const struct tk_export_preset *const *const tk_presets = none;\n")
set(TK_SEAM_FOLDER_symbols api)
set(TK_SEAM_LINKS_symbols symbols)
set(TK_SEAM_TEXT_symbols "struct tk_symbols_wing;
extern const struct tk_symbols_wing tk_wing_symbols;
extern const struct tk_symbols_wing *const tk_symbols_wing;
const struct tk_symbols_wing *const tk_symbols_wing = &tk_wing_symbols;\n")
set(TK_SEAM_NONE_symbols "struct tk_symbols_wing;
extern const struct tk_symbols_wing *const tk_symbols_wing;
const struct tk_symbols_wing *const tk_symbols_wing = 0;\n")

set(TK_SEAM_FOLDER_live api)
set(TK_SEAM_LINKS_live live/tracy)
set(TK_SEAM_TEXT_live "struct tk_live_wing;
extern const struct tk_live_wing tk_wing_live;
extern const struct tk_live_wing *const tk_live_wing;
const struct tk_live_wing *const tk_live_wing = &tk_wing_live;\n")
set(TK_SEAM_NONE_live "struct tk_live_wing;
extern const struct tk_live_wing *const tk_live_wing;
const struct tk_live_wing *const tk_live_wing = 0;\n")

# tk_add_wings(): the targets tk_seam_WING, and tk_left_out with the functions of wings that are not built.
function(tk_add_wings)
  foreach(wing IN LISTS TK_SEAMS)
    set(text "${TK_SEAM_TEXT_${wing}}")
    if(wing IN_LIST TK_LEFT_OUT)
      set(text "${TK_SEAM_NONE_${wing}}")
    endif()
    file(CONFIGURE OUTPUT "tk_seam_${wing}.c" CONTENT "${text}" @ONLY)
    tk_add_made("tk_seam_${wing}" "tk_seam_${wing}.c")
  endforeach()
  set(text "#include \"base/err.h\"\n")
  foreach(wing IN LISTS TK_LEFT_OUT)
    foreach(chapter IN LISTS "TK_WING_CHAPTERS_${wing}")
      string(APPEND text "\n#include \"tracekit/${chapter}\"\n")
      tk_public_functions(functions "${PROJECT_SOURCE_DIR}/libtrace/tracekit/${chapter}")
      foreach(function IN LISTS functions)
        tk_wing_answer(answer "${wing}" "${function}")
        string(APPEND text "\n${answer}")
      endforeach()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT tk_left_out.c CONTENT "${text}" @ONLY)
  tk_add_made(tk_left_out tk_left_out.c)
  if(NOT MSVC)
    target_compile_options(tk_left_out PRIVATE -Wno-unused-parameter)
  endif()
  set(TK_MADE "${TK_MADE}" PARENT_SCOPE)
endfunction()

# tk_add_made(TARGET SOURCE): an object library of a source that the build made.
macro(tk_add_made target source)
  add_library(${target} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${source}")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/libtrace")
  target_link_libraries(${target} PUBLIC ${TK_EXTERNAL} PRIVATE tk_flags)
  list(APPEND TK_MADE ${target})
endmacro()
