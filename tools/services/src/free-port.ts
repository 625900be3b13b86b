import { createServer } from "node:net";
import { once } from "node:events";

/** Lowest returned port. The range is below the ephemeral ports (from 32,768 on Linux), so outgoing connections do not take a free port before the server listens. */
const MIN_PORT = 12_000;
const COUNT = 10_000;
/** Offset of a cluster node's bus port; no returned port is the bus port of another. */
const BUS_OFFSET = 10_000;
const MAX_TRIES = 200;

const returned = new Set<number>();

/** Returns a free port of the loopback address whose bus port, 10,000 above, is also free; never the same port twice in one process. */
export const freePort = async (random: () => number = Math.random): Promise<number> => {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const port = MIN_PORT + Math.floor(random() * COUNT);
    if (returned.has(port)) continue;
    returned.add(port);
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return port;
  }
  throw new Error(`no port from ${MIN_PORT} to ${MIN_PORT + COUNT - 1} was free in ${MAX_TRIES} tries`);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
};
