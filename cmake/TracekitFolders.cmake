# Each folder of libtrace/ that holds files is an object library: tk_ and its path, with _ for /. A folder without
# sources has no target. libtrace/layers.txt names the folders, and for each those that it may use.
set(TK_LAYERS_FILE "${PROJECT_SOURCE_DIR}/libtrace/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TK_LAYERS_FILE}")

file(STRINGS "${TK_LAYERS_FILE}" lines REGEX "^[a-z_/]+:")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_/]+): *(.*)$" line "${line}")
  set(folder "${CMAKE_MATCH_1}")
  list(APPEND TK_FOLDERS "${folder}")
  string(REPLACE " " ";" "TK_NAMES_${folder}" "${CMAKE_MATCH_2}")
endforeach()

include(TracekitWings) # takes the folders out that are not built

# tk_folder_target(VARIABLE FOLDER): the name of the target of a folder.
function(tk_folder_target variable folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${variable} "tk_${name}" PARENT_SCOPE)
endfunction()

# Folders of os/ that are for systems other than the one that is built for.
if(WIN32)
  set(TK_OTHER_SYSTEMS "^os/posix")
else()
  set(TK_OTHER_SYSTEMS "^os/windows")
endif()

# A name in a line stands for the folder and all below it, with /. for the folder alone.
foreach(folder IN LISTS TK_FOLDERS)
  set("TK_USES_${folder}" "")
  foreach(name IN LISTS "TK_NAMES_${folder}")
    foreach(other IN LISTS TK_FOLDERS)
      string(FIND "${other}/" "${name}/" at)
      if(at EQUAL 0 OR "${other}/." STREQUAL "${name}")
        list(APPEND "TK_USES_${folder}" "${other}")
      endif()
    endforeach()
  endforeach()
endforeach()

# What a folder needs to be linked: what it may use, what that may use, and so on.
foreach(folder IN LISTS TK_FOLDERS)
  set(reached "${folder}")
  set(todo "${folder}")
  while(todo)
    list(POP_FRONT todo next)
    foreach(other IN LISTS "TK_USES_${next}")
      if(NOT other IN_LIST reached)
        list(APPEND reached "${other}")
        list(APPEND todo "${other}")
      endif()
    endforeach()
  endwhile()
  set("TK_LINKS_${folder}" "${reached}")
endforeach()

# tk_add_folder(FOLDER DIRECTORY): the object library of a folder.
function(tk_add_folder folder directory)
  if(folder MATCHES "${TK_OTHER_SYSTEMS}")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${directory}/*.c")
  if(NOT sources)
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.h")
  tk_folder_target(target "${folder}")
  add_library(${target} OBJECT ${sources} ${headers})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/libtrace")
  target_link_libraries(${target} PUBLIC ${TK_EXTERNAL} PRIVATE tk_flags)
endfunction()

# tk_link_folder(TARGET FOLDER): links a folder and what it stands on, and no other: what reaches further does not link.
# Where that requests what a wing of the build gives, the wing is linked, too.
function(tk_link_folder target folder)
  set(links "${TK_LINKS_${folder}}")
  foreach(wing IN LISTS TK_SEAMS)
    if(TK_SEAM_FOLDER_${wing} IN_LIST links)
      target_link_libraries(${target} PRIVATE tk_seam_${wing})
      list(APPEND links ${TK_LINKS_${TK_SEAM_LINKS_${wing}}})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES links)
  foreach(other IN LISTS links)
    tk_folder_target(library "${other}")
    if(TARGET ${library})
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()
