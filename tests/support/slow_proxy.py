"""A TCP proxy on loopback that makes a network of it: slow_proxy.py PORT_FILE TARGET_PORT [LATENCY_MS] [MBIT_PER_S]

Each byte arrives half of LATENCY_MS (50) later, in both directions; all connections together bring at most MBIT_PER_S (1000)
per direction; the first byte of a connection waits for one more round trip, as its handshake would."""
import collections
import os
import selectors
import socket
import sys
import time

PIECE = 1 << 18


class Direction:
    """Bytes from one socket to another: when each piece may be sent."""

    def __init__(self, name, source, target, first_wait):
        self.name, self.source, self.target = name, source, target
        self.pieces = collections.deque()  # (time, bytes)
        self.held = 0
        self.first_wait = first_wait
        self.ended = False


def main():
    port_file, target_port = sys.argv[1], int(sys.argv[2])
    delay = float(sys.argv[3] if len(sys.argv) > 3 else 50) / 2000
    rate = float(sys.argv[4] if len(sys.argv) > 4 else 1000) * 125000
    free_at = {"up": 0.0, "down": 0.0}
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    listener.setblocking(False)
    with open(port_file + ".new", "w") as f:
        f.write("%d\n" % listener.getsockname()[1])
    os.replace(port_file + ".new", port_file)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ, None)
    pairs = {}  # socket: (the direction it is read for, the one it is written for)

    def close(sock):
        read, written = pairs.pop(sock, (None, None))
        if not read:
            return
        other = read.target
        pairs.pop(other, None)
        for s in (sock, other):
            try:
                selector.unregister(s)
            except KeyError:
                pass
            s.close()

    def accept():
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", target_port))
        for s in (client, server):
            s.setblocking(False)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        up, down = Direction("up", client, server, 2 * delay), Direction("down", server, client, 0)
        pairs[client], pairs[server] = (up, down), (down, up)
        for s in (client, server):
            selector.register(s, selectors.EVENT_READ, s)

    def receive(sock):
        way = pairs[sock][0]
        try:
            data = sock.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            return close(sock)
        now = time.monotonic()
        free_at[way.name] = max(free_at[way.name], now) + len(data) / rate
        way.pieces.append((free_at[way.name] + delay + way.first_wait, data))
        way.first_wait = 0
        way.held += len(data)
        if not data:
            way.ended = True
        if way.ended or way.held > 64 * PIECE:
            selector.unregister(sock)

    while True:
        now = time.monotonic()
        next_at = now + 1
        for sock in list(pairs):
            if sock not in pairs:
                continue
            way = pairs[sock][0]
            while way.pieces and way.pieces[0][0] <= now:
                at, data = way.pieces.popleft()
                try:
                    n = way.target.send(data) if data else way.target.shutdown(socket.SHUT_WR)
                except BlockingIOError:
                    n = 0
                except OSError:
                    close(sock)
                    break
                if data:
                    way.held -= n
                    if n < len(data):
                        way.pieces.appendleft((now + 0.001, data[n:]))
                        break
                    if not way.ended and way.held <= 64 * PIECE and sock not in selector.get_map():
                        selector.register(sock, selectors.EVENT_READ, sock)
            if sock in pairs and way.pieces:
                next_at = min(next_at, way.pieces[0][0])
        for key, _ in selector.select(max(0, next_at - time.monotonic())):
            if key.data is None:
                accept()
            elif key.data in pairs:
                receive(key.data)


if __name__ == "__main__":
    main()
