# Each folder of libtrace/ is an object library tk_FOLDER, and the files directly in libtrace/ are tk_root. A folder
# without sources has no target. libtrace/layers.txt says which folder may use which.
set(TK_LAYERS_FILE "${PROJECT_SOURCE_DIR}/libtrace/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TK_LAYERS_FILE}")

file(STRINGS "${TK_LAYERS_FILE}" lines REGEX "^[a-z]+:")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z]+): *(.*)$" line "${line}")
  set(folder "${CMAKE_MATCH_1}")
  list(APPEND TK_FOLDERS ${folder})
  string(REPLACE " " ";" TK_USES_${folder} "${CMAKE_MATCH_2}")
endforeach()
set(TK_USES_root ${TK_FOLDERS})

# tk_add_folder(NAME DIRECTORY): the object library of a folder.
function(tk_add_folder name directory)
  file(GLOB sources CONFIGURE_DEPENDS "${directory}/*.c")
  if(NOT sources)
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.h")
  add_library(tk_${name} OBJECT ${sources} ${headers})
  set_target_properties(tk_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(tk_${name} PUBLIC "${PROJECT_SOURCE_DIR}/libtrace")
  target_link_libraries(tk_${name} PUBLIC ${TK_EXTERNAL} PRIVATE tk_flags)
endfunction()

# tk_link_folder(TARGET FOLDER): links a folder and those that it may use, and no other: what reaches further does
# not link.
function(tk_link_folder target folder)
  foreach(name IN ITEMS ${folder} ${TK_USES_${folder}})
    if(TARGET tk_${name})
      target_link_libraries(${target} PRIVATE tk_${name})
    endif()
  endforeach()
endfunction()
