#pragma once

// Exit codes of the process, as in sysexits.h where it has a number.
namespace callboard::exit_code {

inline constexpr int ok = 0;
inline constexpr int differences = 1;  // verify found rows that the journal does not explain
inline constexpr int not_found = 1;    // inspect found no such entity
inline constexpr int usage = 64;       // unknown option, bad value
inline constexpr int store_unreachable = 69;
inline constexpr int internal = 70;
inline constexpr int store_in_use = 73;  // another process holds the database file
inline constexpr int port_taken = 75;
inline constexpr int refused = 78;  // configuration refused, or schema newer than the binary

}  // namespace callboard::exit_code
