// The other side of `load_bench.ts`: the least that a server and a client have to do, in C. Neither looks into
// what it receives.
//
//   serve                      answers whatever comes with the same small response; tells its port; ends with stdin
//   loop PORT CONNECTIONS MS   sends a request, and the next as soon as something has come; tells the rate
//   open PORT CONNECTIONS N    opens connections, each with a request and its answer, N at once; tells how long it
//                              took, in nanoseconds
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256
static const char REQUEST[] = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
static const char RESPONSE[] = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok";
static char buffer[65536];
static struct epoll_event events[EVENTS];

static int need(int result, const char *what) {
  if (result >= 0) return result;
  perror(what);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void watch(int epoll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  need(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

static void send_now(int descriptor, const char *bytes, size_t length) {
  if (send(descriptor, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) need(-1, "send");
}

static void without_delay(int descriptor) {
  int on = 1;
  need(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

static void serve(void) {
  int listener = need(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  need(bind(listener, (struct sockaddr *)&address, length), "bind");
  need(listen(listener, 511), "listen");
  need(getsockname(listener, (struct sockaddr *)&address, &length), "getsockname");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);

  int epoll = need(epoll_create1(0), "epoll_create1");
  watch(epoll, listener);
  watch(epoll, STDIN_FILENO);
  for (;;) {
    int ready = epoll_wait(epoll, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      int descriptor = events[i].data.fd;
      if (descriptor == STDIN_FILENO) return;
      if (descriptor == listener) {
        int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (accepted < 0) continue;
        without_delay(accepted);
        watch(epoll, accepted);
      } else if (recv(descriptor, buffer, sizeof buffer, 0) <= 0 ||
                 send(descriptor, RESPONSE, sizeof RESPONSE - 1, MSG_NOSIGNAL) < 0) {
        close(descriptor);
      }
    }
  }
}

static void loop(int port, int connections, int milliseconds) {
  struct sockaddr_in address = loopback(port);
  int epoll = need(epoll_create1(0), "epoll_create1");
  int *sockets = malloc(sizeof(int) * connections);
  for (int i = 0; i < connections; i++) {
    sockets[i] = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
    need(connect(sockets[i], (struct sockaddr *)&address, sizeof address), "connect");
    without_delay(sockets[i]);
    watch(epoll, sockets[i]);
  }
  long long begin = now(), end = begin + milliseconds * 1000000LL, time = begin, answered = 0;
  for (int i = 0; i < connections; i++) send_now(sockets[i], REQUEST, sizeof REQUEST - 1);
  while (time < end) {
    int ready = epoll_wait(epoll, events, EVENTS, 100);
    time = now();
    for (int i = 0; i < ready; i++) {
      if (recv(events[i].data.fd, buffer, sizeof buffer, 0) <= 0) need(-1, "recv");
      answered++;
      send_now(events[i].data.fd, REQUEST, sizeof REQUEST - 1);
    }
  }
  printf("%.0f\n", answered * 1e9 / (time - begin));
}

static void open_idle(int port, int connections, int at_once) {
  struct sockaddr_in address = loopback(port);
  int epoll = need(epoll_create1(0), "epoll_create1");
  int *sockets = malloc(sizeof(int) * connections);
  int begun = 0, opened = 0;
  long long begin = now();
  while (opened < connections) {
    for (; begun < connections && begun - opened < at_once; begun++) {
      int descriptor = need(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
      // On loopback the handshake is over when connect() returns, though it says that it is not.
      if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) {
        need(-1, "connect");
      }
      send_now(descriptor, REQUEST, sizeof REQUEST - 1);
      watch(epoll, descriptor);
      sockets[begun] = descriptor;
    }
    int ready = epoll_wait(epoll, events, EVENTS, 1000);
    for (int i = 0; i < ready; i++) {
      if (recv(events[i].data.fd, buffer, sizeof buffer, 0) <= 0) need(-1, "recv");
      opened++;
    }
  }
  printf("%lld\n", now() - begin);
  // Reset, they leave nothing in TIME_WAIT that the next round would walk around.
  struct linger reset = {.l_onoff = 1, .l_linger = 0};
  for (int i = 0; i < connections; i++) setsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

int main(int count, char **words) {
  int numbers[3] = {0};
  for (int i = 2; i < count && i < 5; i++) numbers[i - 2] = atoi(words[i]);
  if (count == 2 && !strcmp(words[1], "serve")) serve();
  else if (count == 5 && !strcmp(words[1], "loop")) loop(numbers[0], numbers[1], numbers[2]);
  else if (count == 5 && !strcmp(words[1], "open")) open_idle(numbers[0], numbers[1], numbers[2]);
  else return 2;
  return 0;
}
