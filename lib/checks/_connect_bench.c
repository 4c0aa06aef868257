// The other side of `system_bench.ts`: the loop of `_connect_bench.ts` in C. A line on standard input asks for
// a round; the answer is the time that it took, in nanoseconds.
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void need(int result, const char *what) {
  if (result >= 0) return;
  perror(what);
  exit(1);
}

// A fresh network namespace begins with its loopback down and a short accept queue.
static void prepare_network(void) {
  struct ifreq request = {.ifr_name = "lo"};
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  need(control, "socket");
  need(ioctl(control, SIOCGIFFLAGS, &request), "SIOCGIFFLAGS");
  request.ifr_flags |= IFF_UP;
  need(ioctl(control, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
  close(control);
  int setting = open("/proc/sys/net/core/somaxconn", O_WRONLY);
  need(setting, "somaxconn");
  need(write(setting, "65535", 5), "somaxconn");
  close(setting);
}

int main(int count, char **arguments) {
  int connections = count > 1 ? atoi(arguments[1]) : 0;
  int *sockets = malloc(sizeof(int) * (connections + 1));
  struct sockaddr_in server = {.sin_family = AF_INET}, local;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof server;
  char line[16];
  prepare_network();
  while (fgets(line, sizeof line, stdin)) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    server.sin_port = 0;
    need(bind(listener, (struct sockaddr *)&server, sizeof server), "bind");
    need(listen(listener, 65535), "listen");
    length = sizeof server;
    need(getsockname(listener, (struct sockaddr *)&server, &length), "getsockname");

    struct timespec begin, end;
    int ports = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < connections; i++) {
      sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      need(sockets[i], "socket");
      need(connect(sockets[i], (struct sockaddr *)&server, sizeof server), "connect");
      length = sizeof local;
      need(getsockname(sockets[i], (struct sockaddr *)&local, &length), "getsockname");
      ports += ntohs(local.sin_port) != 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);

    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    for (int i = 0; i < connections; i++) {
      setsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
      close(sockets[i]);
    }
    close(listener);
    if (ports != connections) return 1;
    printf("%lld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec);
    fflush(stdout);
  }
  return 0;
}
