import { FrameworkError } from "@framework/core";
import type { IoredisClient } from "./client/ioredis.ts";

/** The client of an adapter: an app with `enableRedis`, the result of `openRedis`, or `{ redis: client }` with your own ioredis client. */
export interface RedisSource {
  /** The client. */
  readonly redis: IoredisClient;
}

/** Checks the name of an adapter: a brace would put the keys of one script into different hash slots. @throws REDIS_BAD_NAME */
export const checkName = (name: string): void => {
  if (/^[^{}\s]{1,100}$/.test(name)) return;
  throw new FrameworkError(
    "REDIS_BAD_NAME",
    `redis: a name must have 1 to 100 characters without braces and white space, but is "${name}"`,
  );
};
