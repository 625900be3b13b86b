import { FrameworkError } from "@framework/core";
import type { IoredisClient } from "./client/ioredis.ts";

/** Where an adapter finds its client: an app with `enableRedis`, what `openRedis` gives, or `{ redis: client }` with a client of your own. */
export interface RedisSource {
  readonly redis: IoredisClient;
}

/** Checks the name under which an adapter keeps things: a brace in it would move keys of one step to different nodes. @throws REDIS_BAD_NAME */
export const checkName = (name: string): void => {
  if (/^[^{}\s]{1,100}$/.test(name)) return;
  throw new FrameworkError(
    "REDIS_BAD_NAME",
    `redis: a name has 1 to 100 characters without braces and blanks, not "${name}"`,
  );
};
