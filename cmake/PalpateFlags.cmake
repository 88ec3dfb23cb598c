# One set of flags for everything of ours. Two rules hold for every build:
#  - no fused multiply-add behind our back (-ffp-contract=off): it breaks symmetry and determinism;
#  - one set of -m flags for the whole build: Eigen's types change layout with them.
# Warnings are errors here and never reach a project that uses the library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(PALPATE_CCACHE ccache)
if(PALPATE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PALPATE_CCACHE}")
endif()

# Much of the time of a build goes into reading the same headers again and again. Release builds do without, so that what a
# file does not include itself is found there, and by clang-tidy, which cannot read what GCC has precompiled.
option(PALPATE_PRECOMPILE "Precompile headers of the standard library, Eigen and fmt" OFF)
if(PALPATE_PRECOMPILE AND PALPATE_CCACHE)
  # What ccache asks for before it caches such builds.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${PALPATE_CCACHE}")
  add_compile_options(-fpch-preprocess)
endif()
function(palpate_precompile target)
  if(PALPATE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <memory> <optional>
      <span> <string> <string_view> <vector> <Eigen/Core> <Eigen/Geometry> <fmt/format.h> ${ARGN})
  endif()
endfunction()

add_library(palpate_flags INTERFACE)
target_compile_options(palpate_flags INTERFACE
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>
  # So that neither binaries nor messages hold this machine's paths.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about std::string's own operator+ (GCC bug 105651).
  target_compile_options(palpate_flags INTERFACE -Wno-restrict)
endif()

if(PALPATE_NATIVE)
  set(PALPATE_ISA native)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(PALPATE_ISA x86-64-v2)
endif()
if(PALPATE_ISA)
  target_compile_options(palpate_flags INTERFACE -march=${PALPATE_ISA})
endif()

if(PALPATE_SANITIZER STREQUAL "address")
  # Checks at every access take nearly as long to build as all else together. Null pointers and sizes of objects the
  # address sanitizer sees as well; alignment and types of objects are given up for that.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
elseif(PALPATE_SANITIZER STREQUAL "thread")
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
  # It knows no fences: Asio's come on top of its locks.
  target_compile_definitions(palpate_flags INTERFACE PALPATE_THREAD_SANITIZER BOOST_ASIO_DISABLE_FENCED_BLOCK)
elseif(PALPATE_SANITIZER)
  message(FATAL_ERROR "PALPATE_SANITIZER is '${PALPATE_SANITIZER}'; it can be empty, address or thread")
endif()
if(PALPATE_SANITIZER)
  target_compile_options(palpate_flags INTERFACE ${sanitize})
  target_link_options(palpate_flags INTERFACE ${sanitize})
  target_compile_definitions(palpate_flags INTERFACE PALPATE_SANITIZED)
  # Kernels give the same bits for any width: two are enough here, and take half as long to build.
  target_compile_definitions(palpate_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_AVX3|HWY_AVX3_DL)")
  # GCC sees uninitialised values and impossible sizes in its own instrumentation of the standard library.
  target_compile_options(palpate_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow)
endif()
