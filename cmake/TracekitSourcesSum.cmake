# Writes OUT, which has tk_kept_build: a checksum of the sources of the library below ROOT. What an index keeps is used
# by the same sources only. Run as a script when one of them has changed.
file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/*.c" "${ROOT}/*.h" "${ROOT}/*.inc")
list(SORT sources)
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" sum)
  string(APPEND all "${source} ${sum}\n")
endforeach()
string(SHA256 sum "${all}")
file(WRITE "${OUT}" "extern const char tk_kept_build[];\nconst char tk_kept_build[] = \"${sum}\";\n")
