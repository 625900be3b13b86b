import { createRequire } from "node:module";
import type { Cluster, Redis } from "ioredis";

/** The type of `app.redis`: ioredis' client of one server, or of a cluster. Both have every command of Redis. */
export type IoredisClient = Redis | Cluster;

let loaded: typeof import("ioredis") | undefined;

/** Loads ioredis on first use, so that apps that never use Redis do not load it. */
export const ioredis = (): typeof import("ioredis") => {
  loaded ??= createRequire(import.meta.url)("ioredis") as typeof import("ioredis");
  return loaded;
};
