// The word that whoever watches has to know.
#pragma once

#include <string>

namespace palpate {

// 128 random bits, in hexadecimal digits.
std::string random_token();

// The same for all servers of a user, so that a page finds back to one that was started again: it is kept in
// a file that only they can read. A new one where it cannot be kept.
std::string kept_token();

// Takes as long for wrong words as for the right one.
bool same_token(const std::string& a, const std::string& b);

}  // namespace palpate
