# Writes the commit that is built into HEADER; leaves the file alone when nothing changed.
cmake_minimum_required(VERSION 3.22)
find_package(Git QUIET)
set(commit "unknown commit")
if(GIT_FOUND)
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE}" describe --always --dirty
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "commit ${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define PALPATE_COMMIT \"@commit@\"\n" @ONLY)
