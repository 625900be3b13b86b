import { Redis } from "ioredis";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import { needProgram } from "./programs.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";

export interface RedisOptions {
  /** Whether every write is synced to disk, so that data survives `kill` and `shutdown`. @default false */
  readonly durable?: boolean;
  /** Additional settings, as in `redis.conf`: `{ "cluster-enabled": "yes" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a separate, empty Redis server on loopback. */
export const startRedis = async ({
  durable = false,
  settings = {},
}: RedisOptions = {}): Promise<FragileServer> => {
  const program = needProgram("redis-server");
  const folder = new ServerFolder("redis");
  const port = await freePort();
  const all = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder.path,
    save: "",
    appendonly: durable ? "yes" : "no",
    appendfsync: "always",
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  return await startFragileServer({
    name: "Redis",
    url: `redis://127.0.0.1:${port}`,
    folder,
    process: new ServerProcess({ program, args, folder }),
    check: () => checkRedis(`redis://127.0.0.1:${port}`),
  });
};

/** Sends `PING` over a new connection. */
export const checkRedis = async (url: string): Promise<void> => {
  await withRedis(url, async (client) => {
    await client.ping();
  });
};

/** Runs `use` with a new connection that does not reconnect. */
export const withRedis = async <T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> => {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2000,
    commandTimeout: 5000,
    maxRetriesPerRequest: 0,
  });
  client.on("error", () => {}); // the failed call has the error
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
};
