/* Adds a number of seconds to the clock of a process. The file that CLOCK_OFFSET names holds the number, as a 64-bit integer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int64_t offset(void) {
  static volatile int64_t *shared;
  if (!shared) {
    const char *path = getenv("CLOCK_OFFSET");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    void *mapped = mmap(0, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return 0;
    shared = mapped;
  }
  return *shared;
}

int clock_gettime(clockid_t id, struct timespec *time) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = NEXT(clock_gettime);
  int result = next(id, time);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static int (*next)(struct timeval *restrict, void *restrict);
  if (!next) next = NEXT(gettimeofday);
  int result = next(time, zone);
  if (result == 0) time->tv_sec += offset();
  return result;
}
