import { createServer } from "node:net";
import { once } from "node:events";

/** Below the ephemeral ports (from 32,768 on Linux): a free port stays free until the server listens. */
const LOWEST = 12_000;
const COUNT = 10_000;
/** Offset of a cluster node's bus port; no returned port is the bus port of another. */
const BUS = 10_000;
const TRIES = 200;

const given = new Set<number>();

/** Returns a free port of the loopback address whose bus port, 10,000 above, is free too; never the same twice. */
export const freePort = async (random: () => number = Math.random): Promise<number> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = LOWEST + Math.floor(random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
  throw new Error(`no port from ${LOWEST} to ${LOWEST + COUNT - 1} was free in ${TRIES} tries`);
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
