import { connect, type Socket } from "node:net";

/** Opens a connection to a service and writes a request whose target is exactly the text given. */
export const openRaw = (
  url: string,
  target: string,
  fields: readonly string[] = [],
  method = "GET",
): Socket => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = [`${method} ${target} HTTP/1.1`, "host: localhost", "connection: close", ...fields, "", ""];
  socket.write(lines.join("\r\n"), "latin1");
  return socket;
};

/** Bytes received until the service closed, one character per byte, and whether the connection was reset. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly isCut: boolean;
}

/** Reads a connection to its end. */
export const readRaw = (socket: Socket): Promise<RawReply> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isCut = false;
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.on("error", () => (isCut = true));
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const head = text.slice(0, Math.max(0, end));
      const body = end === -1 ? "" : text.slice(end + 4);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), head, body, isCut });
    });
  });

/** Sends one request on its own connection. */
export const askRaw = (
  url: string,
  target: string,
  fields: readonly string[] = [],
  method = "GET",
): Promise<RawReply> => readRaw(openRaw(url, target, fields, method));
