import { once } from "node:events";
import type { Shot } from "../load/shot.ts";

/** Verifies that a server echoes a WebSocket message, and returns the handshake and the message for the load generator. */
export const verifyEcho = async (
  name: string,
  port: number,
  path: string,
  message: string,
): Promise<Shot> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  await once(socket, "open");
  for (const text of [message, `${message} again`]) {
    const echo = once(socket, "message");
    socket.send(text);
    const [{ data }] = (await echo) as [MessageEvent];
    if (data !== text) throw new Error(`${name} echoes a different message: ${String(data).slice(0, 80)}`);
  }
  const closed = once(socket, "close");
  socket.close();
  await closed;
  return {
    bytes: maskedText(message),
    depth: 1,
    end: { kind: "length", bytes: 2 + message.length, bare: true },
    opening: { bytes: handshake(path), status: 101 },
  };
};

/** Encodes a frame of at most 125 bytes of ASCII, masked with zeros. */
const maskedText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text, "latin1")]);

const handshake = (path: string): Buffer =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    "latin1",
  );
