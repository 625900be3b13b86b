import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns a text as a bulk string of the protocol. */
export const bulkString = (value: string): string => `$${value.length}\r\n${value}\r\n`;

/** A listening server. */
export interface ScriptedServer extends Disposable {
  readonly url: string;
}

/** A server that answers each command with the scripted reply for its name, or not at all if that reply is empty. It is the only node of its cluster. */
export const startScriptedServer = async (
  replies: Readonly<Record<string, string>>,
): Promise<ScriptedServer> => {
  const server = createServer((socket) => {
    const { port } = server.address() as AddressInfo;
    const setup: Readonly<Record<string, string>> = {
      INFO: bulkString("loading:0"),
      CLUSTER: `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulkString("127.0.0.1")}:${port}\r\n`,
    };
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      // Every command is an array of bulk strings; the first one is its name.
      for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        if (name.toUpperCase() === "QUIT") return socket.end("+OK\r\n");
        socket.write(replies[name.toUpperCase()] ?? setup[name.toUpperCase()] ?? "+OK\r\n");
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};
