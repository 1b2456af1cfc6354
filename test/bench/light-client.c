// A client that takes as little CPU as it can: it sends GETs of some paths in turn on 64 connections, and discards what comes
// back unread. All responses to one path have the same length, which the first one shows.
// Use: light-client PORT FILE-OF-PATHS KEY SECONDS; prints one line of JSON.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 64, EVENTS = 64, FIRST_BYTES = 1 << 20, MOST_PATHS = 4096 };

struct request {
  char *text;
  size_t length;
  long response_length;
};
static struct request requests[MOST_PATHS];
static int paths;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *why) {
  fprintf(stderr, "light-client: %s\n", why);
  exit(1);
}

static int open_connection(int port) {
  int one = 1, socket_ = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, (struct sockaddr *)&address, sizeof address) != 0) fail("cannot connect");
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket_;
}

static void send_request(int socket_, const struct request *request) {
  if (send(socket_, request->text, request->length, MSG_NOSIGNAL) != (ssize_t)request->length) fail("cannot send");
}

static void read_paths(const char *file, const char *key) {
  char path[2048];
  FILE *lines = fopen(file, "r");
  if (!lines) fail("cannot read the paths");
  while (paths < MOST_PATHS && fscanf(lines, "%2047s", path) == 1) {
    struct request *request = &requests[paths++];
    request->length = asprintf(
        &request->text, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, key);
  }
  if (paths == 0) fail("there are no paths");
}

// The length of the response to the request; its status must be 200.
static long response_length(int socket_, const struct request *request) {
  static char text[FIRST_BYTES];
  long length = 0, expected = -1;
  send_request(socket_, request);
  while (expected < 0 || length < expected) {
    long got = recv(socket_, text + length, sizeof text - 1 - length, 0);
    if (got <= 0) fail("the connection ended");
    length += got;
    text[length] = 0;
    char *body = strstr(text, "\r\n\r\n"), *field = strcasestr(text, "\r\ncontent-length:");
    if (body && field && field < body) expected = body + 4 - text + atol(field + 17);
  }
  if (strncmp(text, "HTTP/1.1 200 ", 13) != 0 || length != expected) fail("the response is not the expected one");
  return length;
}

int main(int count, char **arguments) {
  if (count != 5) fail("use: light-client PORT PATH KEY SECONDS");
  int port = atoi(arguments[1]), poll_ = epoll_create1(0);
  read_paths(arguments[2], arguments[3]);
  int first = open_connection(port);
  for (int at = 0; at < paths; at++) requests[at].response_length = response_length(first, &requests[at]);
  close(first);
  long done = 0, received[CONNECTIONS] = {0};
  const struct request *sent[CONNECTIONS];
  int next = 0;
  int sockets[CONNECTIONS];
  for (int at = 0; at < CONNECTIONS; at++) {
    sockets[at] = open_connection(port);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = at};
    epoll_ctl(poll_, EPOLL_CTL_ADD, sockets[at], &event);
  }
  double begin = now(), end = begin + atof(arguments[4]), cpu_begin = cpu();
  for (int at = 0; at < CONNECTIONS; at++) send_request(sockets[at], sent[at] = &requests[next++ % paths]);
  struct epoll_event events[EVENTS];
  while (now() < end) {
    int ready = epoll_wait(poll_, events, EVENTS, 100);
    for (int one = 0; one < ready; one++) {
      unsigned at = events[one].data.u32;
      long got = recv(sockets[at], NULL, sent[at]->response_length - received[at], MSG_TRUNC | MSG_DONTWAIT);
      if (got <= 0) fail("a connection ended");
      received[at] += got;
      if (received[at] < sent[at]->response_length) continue;
      received[at] = 0;
      done++;
      send_request(sockets[at], sent[at] = &requests[next++ % paths]);
    }
  }
  printf("{\"requests\":%ld,\"seconds\":%.3f,\"cpu\":%.3f}\n", done, now() - begin, cpu() - cpu_begin);
  return 0;
}
