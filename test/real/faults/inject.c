/*
 * Makes calls on files of the database fail. Preloaded into the server by faults.alone.real.ts.
 *
 * The file that FAULT_CONTROL names is shared with the test. Its fields are 32-bit integers:
 *
 *   kind   which calls fail: 0 none, 1 write, 2 sync, 3 read
 *   skip   how many such calls still succeed
 *   left   how many calls fail after that; below 0: all until `kind` is 0 again
 *   error  the errno of a call that fails
 *   hits   how many calls have failed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { NONE, WRITE, SYNC, READ };

struct control {
  int32_t kind, skip, left, error, hits;
};

static struct control idle;
static struct control *control = &idle;

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv("FAULT_CONTROL");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) control = shared;
  close(fd);
}

static int is_database(int fd) {
  char link[64], target[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return 0;
  target[length] = 0;
  const char *name = strrchr(target, '/');
  return name && strncmp(name, "/adoption-store.db", 18) == 0;
}

/* True if this call fails; errno is set then. */
static int fails(int kind, int fd) {
  if (__atomic_load_n(&control->kind, __ATOMIC_SEQ_CST) != kind || !is_database(fd)) return 0;
  if (__atomic_fetch_sub(&control->skip, 1, __ATOMIC_SEQ_CST) > 0) return 0;
  if (control->left >= 0 && __atomic_fetch_sub(&control->left, 1, __ATOMIC_SEQ_CST) <= 0) {
    control->left = 0;
    return 0;
  }
  __atomic_fetch_add(&control->hits, 1, __ATOMIC_SEQ_CST);
  errno = control->error;
  return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return fails(WRITE, fd) ? -1 : NEXT(pwrite64)(fd, bytes, count, offset);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
  return fails(READ, fd) ? -1 : NEXT(pread64)(fd, bytes, count, offset);
}

int fsync(int fd) { return fails(SYNC, fd) ? -1 : NEXT(fsync)(fd); }

int fdatasync(int fd) { return fails(SYNC, fd) ? -1 : NEXT(fdatasync)(fd); }
