"""An HTTPS proxy on loopback behind which every host is a local server: google_proxy.py PORT_FILE TARGET_PORT CERTIFICATE KEY

CONNECT is answered whatever the host; the TLS within ends here, with the certificate, and what comes out goes to TARGET_PORT.
So a program that knows Google's servers by name alone talks to tests/support/object_server.py: with https_proxy, and
CURL_CA_BUNDLE=CERTIFICATE."""
import os
import socket
import ssl
import sys
import threading


def pump(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for sock in (source, target):
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client, target_port, context):
    try:
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(4096)
            if not more:
                return
            head += more
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        inner = context.wrap_socket(client, server_side=True)
        server = socket.create_connection(("127.0.0.1", target_port))
    except OSError:
        return
    threading.Thread(target=pump, args=(inner, server), daemon=True).start()
    pump(server, inner)


def main():
    port_file, target_port, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    with open(port_file + ".new", "w") as f:
        f.write("%d\n" % listener.getsockname()[1])
    os.replace(port_file + ".new", port_file)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, int(target_port), context), daemon=True).start()


if __name__ == "__main__":
    main()
