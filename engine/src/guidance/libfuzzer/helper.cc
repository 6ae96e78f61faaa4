// libFuzzer as a process of its own. Through its output it gives byte strings, and through its input it learns which probes they
// fired, and how often. SLOTS is the number of probes and one more.
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

// libFuzzer looks at these as if its own probes had counted there, and clears them before each test.
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[SLOTS];

#define PLAIN __attribute__((no_sanitize("coverage")))

PLAIN static void transfer(bool reads, void *at, size_t length) {
    char *next = static_cast<char *>(at);
    while (length > 0) {
        ssize_t done = reads ? read(0, next, length) : write(1, next, length);
        // Whoever tests has ended, so this ends as well.
        if (done <= 0) _exit(0);
        next += done;
        length -= done;
    }
}

PLAIN static void test(const uint8_t *data, size_t size) {
    uint32_t length = size;
    transfer(false, &length, sizeof length);
    transfer(false, const_cast<uint8_t *>(data), size);
    uint32_t fired[2];
    // A probe and its count; probe 0, which no test fires, is the last.
    do {
        transfer(true, fired, sizeof fired);
        if (fired[0] < SLOTS) counters[fired[0]] = fired[1];
    } while (fired[0] != 0);
}

// libFuzzer ends at once if nothing has probes of its own, so this function has one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test(data, size);
    return 0;
}
