# A bill of materials (SPDX 2.3): what Tracekit is made of, with the versions of the libraries that it was built with. It
# lies with the documentation of every installation and package. The same sources give the same bytes: it has the time
# of SOURCE_DATE_EPOCH, or of the last commit.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(TK_SBOM_SECONDS "$ENV{SOURCE_DATE_EPOCH}")
else()
  execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" log -1 --format=%ct OUTPUT_VARIABLE TK_SBOM_SECONDS ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed OR NOT TK_SBOM_SECONDS)
    set(TK_SBOM_SECONDS 0)
  endif()
endif()
set(given "$ENV{SOURCE_DATE_EPOCH}")
set(ENV{SOURCE_DATE_EPOCH} "${TK_SBOM_SECONDS}")
string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
if(given STREQUAL "")
  unset(ENV{SOURCE_DATE_EPOCH})
else()
  set(ENV{SOURCE_DATE_EPOCH} "${given}")
endif()

set(licence_liblz4 BSD-2-Clause)
set(licence_libzstd BSD-3-Clause)
set(licence_zlib Zlib)
set(licence_sqlite3 blessing)
set(licence_libcjson MIT)
set(packages)
set(relations)
foreach(module IN LISTS TK_PKGCONFIG)
  string(APPEND packages ",
    {\"SPDXID\": \"SPDXRef-${module}\", \"name\": \"${module}\", \"versionInfo\": \"${${module}_VERSION}\",
     \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"licenseConcluded\": \"${licence_${module}}\",
     \"licenseDeclared\": \"${licence_${module}}\", \"copyrightText\": \"NOASSERTION\"}")
  string(APPEND relations ",
    {\"spdxElementId\": \"SPDXRef-tracekit\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"SPDXRef-${module}\"}")
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tracekit.spdx.json" @ONLY CONTENT [[{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "tracekit-@PROJECT_VERSION@",
  "documentNamespace": "https://spdx.org/spdxdocs/tracekit-@PROJECT_VERSION@-@TK_SBOM_SECONDS@",
  "creationInfo": {"created": "@created@", "creators": ["Tool: tracekit-@PROJECT_VERSION@"]},
  "packages": [
    {"SPDXID": "SPDXRef-tracekit", "name": "tracekit", "versionInfo": "@PROJECT_VERSION@",
     "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "MIT", "licenseDeclared": "MIT",
     "copyrightText": "NOASSERTION"}@packages@
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tracekit"}@relations@
  ]
}
]])
install(FILES "${PROJECT_BINARY_DIR}/tracekit.spdx.json" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
