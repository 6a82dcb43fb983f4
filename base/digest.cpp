#include "base/digest.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace callboard::persistence {
namespace {

/// What a thread hashes with, made once: fetching the algorithm costs more than hashing a short text.
struct hasher {
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm{EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  std::string text;
};

hasher& mine() {
  thread_local hasher h;
  return h;
}

}  // namespace

digest::digest() : text_{mine().text} { text_.clear(); }

void digest::put(std::uint64_t x) {
  char buffer[8];
  for (int i = 7; i >= 0; --i, x >>= 8)
    buffer[i] = static_cast<char>(x & 0xFF);
  text_.append(buffer, sizeof buffer);
}

digest& digest::add(std::string_view field) {
  put(field.size());
  text_ += field;
  return *this;
}

digest& digest::add(std::int64_t number) {
  put(8);
  put(static_cast<std::uint64_t>(number));
  return *this;
}

std::string digest::take() {
  auto out = sha256(text_);
  text_.clear();
  return out;
}

std::string sha256(std::string_view text) {
  auto& h = mine();
  std::string out(32, '\0');
  if (EVP_DigestInit_ex2(h.context.get(), h.algorithm.get(), nullptr) != 1 ||
      EVP_DigestUpdate(h.context.get(), text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(h.context.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  return out;
}

}  // namespace callboard::persistence
