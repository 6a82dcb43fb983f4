# Tests: one Catch2 program per group of folders, and every executable tests/**/*.test.

find_package(Catch2 2 REQUIRED)
find_package(rapidcheck REQUIRED)

# Stores that fail on purpose are linked into tests only.
sources(faults_sources tests/faults/*.cpp)
layer(callboard_faults SOURCES ${faults_sources} LINKS callboard_persistence)

set(covered_folders faults crash)

# catch_program(<name> FOLDERS <folder>... LINKS <target>...): one ctest entry per program, because a
# process per test case costs more than it tells. Cases tagged [.long] are an entry of their own.
function(catch_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LINKS")
  set(covered_folders ${covered_folders} ${arg_FOLDERS} PARENT_SCOPE)
  list(TRANSFORM arg_FOLDERS REPLACE "(.+)" "tests/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  sources(files ${patterns})
  if(NOT files)
    return()
  endif()
  add_executable(test_${name} ${files})
  target_compile_definitions(test_${name} PRIVATE CALLBOARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE ${arg_LINKS} Catch2::Catch2WithMain)

  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_FOLDERS}" TIMEOUT 900)
  set(entries ${name})
  foreach(file ${files})
    file(STRINGS ${file} tagged REGEX "\\[\\.long\\]" LIMIT_COUNT 1)
    if(tagged)
      add_test(NAME ${name}.long COMMAND test_${name} [long] WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${name}.long PROPERTIES LABELS long TIMEOUT 14400)
      list(APPEND entries ${name}.long)
      break()
    endif()
  endforeach()
  if(TARGET callboard)
    set_tests_properties(${entries} PROPERTIES ENVIRONMENT CALLBOARD_BIN=$<TARGET_FILE:callboard>)
  endif()
endfunction()

catch_program(rules FOLDERS rules properties LINKS callboard_rules callboard_config rapidcheck
                                                   rapidcheck_catch)
# Generic code over every message: minutes to optimise, a second to run.
set_source_files_properties(tests/rules/messages_complete_test.cpp PROPERTIES COMPILE_OPTIONS "-O0;-U_FORTIFY_SOURCE")
catch_program(config FOLDERS config LINKS callboard_config)
catch_program(store FOLDERS store LINKS callboard_faults callboard_persistence rapidcheck)
catch_program(actors FOLDERS simulation sample LINKS callboard_faults callboard_actors rapidcheck)
catch_program(http FOLDERS http LINKS callboard_api)

# A node in a process of its own, for tests that kill it.
sources(process_sources tests/crash/*.cpp tests/sample/*.cpp)
add_executable(outbox_process ${process_sources})
target_link_libraries(outbox_process PRIVATE callboard_actors)

# A folder nobody compiles would look like tests that pass.
sources(all_files tests/*/*.cpp)
foreach(file ${all_files})
  string(REGEX REPLACE "^tests/([^/]+)/.*" "\\1" folder ${file})
  if(NOT folder IN_LIST covered_folders)
    message(WARNING "${file} belongs to no program: name its folder in tests/tests.cmake")
  endif()
endforeach()

# Scripts take the server's path from CALLBOARD_BIN and a PostgreSQL from CALLBOARD_TEST_POSTGRES.
# Those of tests/crash wait for `./test -L crash`, but for *.default.test.
file(GLOB_RECURSE scripts RELATIVE ${PROJECT_SOURCE_DIR}/tests CONFIGURE_DEPENDS tests/*.test)
if(NOT TARGET callboard)
  set(scripts "")
endif()
foreach(script ${scripts})
  string(REGEX REPLACE "\\.test$" "" name ${script})
  get_filename_component(label ${script} DIRECTORY)
  set(timeout 900)
  if(script MATCHES "^crash/.*\\.default\\.test$")
    set(label crash-default)
  elseif(script MATCHES "\\.long\\.test$")
    set(label long)
  endif()
  if(label MATCHES "^(crash|long)$")
    set(timeout 14400)
  endif()
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/${script}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(
    ${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout} ENVIRONMENT
                       "CALLBOARD_BIN=$<TARGET_FILE:callboard>;CALLBOARD_OUTBOX_PROCESS=$<TARGET_FILE:outbox_process>")
endforeach()
