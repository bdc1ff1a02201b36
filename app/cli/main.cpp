#include <iostream>

int main() {
  std::cout << "ridgeline-cli " RIDGELINE_VERSION "\n";
  return 2;
}
