import { createServer } from "node:net";
import { once } from "node:events";

const HIGHEST = 55_535 - 1; // a cluster node's bus listens 10,000 above its port
const TRIES = 200;

/** A port on the loopback address that nothing listens on, and whose neighbour 10,000 above exists. */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    server.close();
    await once(server, "close");
    if (address !== null && typeof address === "object" && address.port <= HIGHEST) return address.port;
  }
  throw new Error(`the system gave no port up to ${HIGHEST} in ${TRIES} tries`);
};
