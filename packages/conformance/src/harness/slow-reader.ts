import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

/** A client that reads from its socket only when `read` is called. */
export interface SlowReader {
  /** Number of bytes that `read` has received, including TLS overhead. */
  readonly bytesRead: number;
  write(text: string): void;
  /** Half-closes. */
  end(): void;
  destroy(): void;
  /** Reads until at least `bytes` more bytes have arrived or the connection is closed. */
  read(): Promise<void>;
}

/** Connects a client that reads `bytes` bytes at a time; over TLS when a certificate is given. */
export const connectSlowReader = async (
  port: number,
  bytes: number,
  ca: string | undefined,
): Promise<SlowReader> => {
  let bytesRead = 0;
  let left = Infinity; // remaining bytes of the current read; unlimited for the TLS handshake
  let notify: (() => void) | null = null; // resolves the pending read
  let pass = (_bytes: Uint8Array): void => {};
  const buffer = Buffer.alloc(Math.min(bytes, 65_536));
  const callback = (count: number): boolean => {
    pass(buffer.subarray(0, count));
    bytesRead += count;
    left -= count;
    if (left > 0) return true;
    notify?.();
    return false; // stops reading
  };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback } });
  socket.on("error", () => {}); // a reset is expected
  socket.on("close", () => notify?.());
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const client = ca === undefined ? socket : await withTls(socket, ca, (to) => (pass = to));
  bytesRead = 0;
  socket.pause();
  return {
    get bytesRead() {
      return bytesRead;
    },
    write: (text) => void client.write(text),
    end: () => void client.end(),
    destroy: () => void socket.destroy(),
    read: () =>
      new Promise((resolve) => {
        notify = resolve;
        left = bytes;
        if (socket.destroyed) resolve();
        else socket.resume();
      }),
  };
};

/** Adds TLS to the socket; `onBytes` receives the function to call with the socket's bytes. */
const withTls = async (
  socket: Socket,
  ca: string,
  onBytes: (take: (bytes: Uint8Array) => void) => void,
): Promise<Duplex> => {
  const carrier = new Duplex({
    read: () => {},
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
  });
  onBytes((bytes) => void carrier.push(Uint8Array.from(bytes))); // the next read overwrites them
  const client = connectTls({ socket: carrier, ca, servername: "localhost" });
  client.on("error", () => {});
  client.resume();
  await new Promise<void>((resolve) => client.once("secureConnect", resolve));
  return client;
};
