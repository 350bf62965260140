# Style and script of pages: the files of libtrace/report/page/ joined in the order that is listed, as a string of the
# library, with its hash for the policy of the page. No other tool is needed: modules import and export names in lines
# of their own, which are left out where the modules stand behind each other.

set(TK_BASE64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# tk_base64(VARIABLE HEX): 32 bytes given as hexadecimal digits in base64.
function(tk_base64 variable hex)
  set(coded "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}0000" ${at} 6 six)
    math(EXPR value "0x${six}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${value} >> ${shift}) & 63")
      string(SUBSTRING "${TK_BASE64}" ${digit} 1 digit)
      string(APPEND coded "${digit}")
    endforeach()
  endforeach()
  string(SUBSTRING "${coded}" 0 43 coded)
  set(${variable} "${coded}=" PARENT_SCOPE)
endfunction()

# tk_add_page(FOLDER NAME FILE...): NAME is the files as a string, NAME_hash its SHA-256 in base64.
function(tk_add_page folder name)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(REAL_PATH "${PROJECT_SOURCE_DIR}/libtrace/${folder}/page/${file}" path)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(APPEND all "${text}")
  endforeach()
  if(name MATCHES "script$")
    set(all "(() => {\n'use strict';\n${all}})();\n")
  endif()
  string(SHA256 hash "${all}")
  tk_base64(hash "${hash}")
  string(HEX "${all}" all)
  string(HEX "${hash}" hash)
  tk_add_literal(${folder} "${all}" ${name})
  tk_add_literal(${folder} "${hash}" ${name}_hash)
endfunction()
