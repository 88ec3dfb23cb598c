# palpate_web_files(TARGET): builds the page of web/ and makes its files part of the target (report/web_files.h).
#
# npm installs what the lockfile says into the build tree, esbuild bundles, and embed.mjs writes the bundles as C++ texts.
# Nothing is written into the source tree.
function(palpate_web_files target)
  set(data "${PROJECT_BINARY_DIR}/web/web_files_data.cpp")
  if(NOT PALPATE_WEB)
    file(CONFIGURE OUTPUT "${data}" CONTENT [[
#include <palpate/report/web_files.h>

namespace palpate {
std::span<const WebFile> web_files() { return {}; }
}  // namespace palpate
]])
    target_sources(${target} PRIVATE "${data}")
    return()
  endif()
  find_program(PALPATE_NODE NAMES node nodejs REQUIRED)
  find_program(PALPATE_NPM npm REQUIRED)
  set(web "${PROJECT_SOURCE_DIR}/web" )
  set(modules "${PROJECT_BINARY_DIR}/web")
  file(GLOB_RECURSE page CONFIGURE_DEPENDS "${web}/src/*")
  add_custom_command(OUTPUT "${modules}/modules.stamp"
    COMMAND ${CMAKE_COMMAND} -E copy "${web}/package.json" "${web}/package-lock.json" "${web}/.npmrc" "${modules}"
    COMMAND ${PALPATE_NPM} ci --silent --no-progress --prefix "${modules}"
    COMMAND ${CMAKE_COMMAND} -E touch "${modules}/modules.stamp"
    DEPENDS "${web}/package.json" "${web}/package-lock.json" "${web}/.npmrc"
    WORKING_DIRECTORY "${modules}" COMMENT "Installing what the page is built with" VERBATIM)
  add_custom_command(OUTPUT "${data}"
    COMMAND ${PALPATE_NODE} "${web}/build.mjs" "${modules}" "${modules}/files"
    COMMAND ${PALPATE_NODE} "${web}/embed.mjs" "${modules}/files" "${data}"
    DEPENDS "${modules}/modules.stamp" "${web}/build.mjs" "${web}/embed.mjs" ${page}
    COMMENT "Building the page" VERBATIM)
  target_sources(${target} PRIVATE "${data}")
  set_source_files_properties("${data}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_LINTING ON)
endfunction()
