import { once } from "node:events";
import { createServer } from "node:net";

/** A port of 127.0.0.1 that nothing listens on, for a program that takes no port 0 or does not tell which one it has. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
};
