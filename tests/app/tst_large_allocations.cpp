#include <fstream>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <vector>

#include <QTest>

namespace {

/// What the system notes of the memory around an address, "rd wr mr mw me ac hg"; empty if it says
/// nothing.
std::string flagsOf(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2)
      inside = begin <= wanted && wanted < end;
    else if (inside && line.rfind("VmFlags:", 0) == 0)
      return line.substr(8) + " ";
  }
  return {};
}

bool asksForHugePages(const void* address) {
  return flagsOf(address).find(" hg ") != std::string::npos;
}

}  // namespace

class TestLargeAllocations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aLongVectorAsksForHugePages();
  void aShortOneDoesNot();
};

void TestLargeAllocations::initTestCase() {
#ifdef RIDGELINE_SANITIZED
  QSKIP("sanitizers bring their own allocator");
#endif
  std::vector<char> probe(16u << 20);
  if (flagsOf(probe.data()).empty()) QSKIP("this system does not list the flags of memory");
  void* memory =
      ::mmap(nullptr, 4u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool known = ::madvise(memory, 4u << 20, MADV_HUGEPAGE) == 0;
  ::munmap(memory, 4u << 20);
  if (!known) QSKIP("this system has no huge pages");
}

void TestLargeAllocations::aLongVectorAsksForHugePages() {
  const std::vector<int> one(10'000'000);
  QVERIFY(asksForHugePages(one.data() + 5'000'000));
  const auto array = std::make_unique<char[]>(50'000'000);
  QVERIFY(asksForHugePages(array.get() + 25'000'000));
}

void TestLargeAllocations::aShortOneDoesNot() {
  const std::vector<int> one(100'000);
  QVERIFY(!asksForHugePages(one.data() + 50'000));
}

QTEST_GUILESS_MAIN(TestLargeAllocations)
#include "tst_large_allocations.moc"
