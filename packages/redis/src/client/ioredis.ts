import { createRequire } from "node:module";
import type { Cluster, Redis } from "ioredis";

/** What `app.redis` is: ioredis' client of one server, or of a cluster. Both take every command of Redis. */
export type IoredisClient = Redis | Cluster;

let loaded: typeof import("ioredis") | undefined;

/** The library, loaded when a client is first made: an app that never uses Redis does not pay for it. */
export const ioredis = (): typeof import("ioredis") => {
  loaded ??= createRequire(import.meta.url)("ioredis") as typeof import("ioredis");
  return loaded;
};
