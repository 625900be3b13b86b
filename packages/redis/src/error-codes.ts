import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const redisErrors: ErrorCatalogue = {
  REDIS_UNAVAILABLE: {
    status: 503,
    summary:
      "`RedisUnavailableError`: no connection, no reply in time, a broken connection, or too many commands waiting",
    action: "check the server; clients retry after a second",
  },
  REDIS_NOT_ENABLED: {
    summary: "the client was used before `enableRedis`",
    action: "call `enableRedis` first",
  },
  REDIS_CLOSED: {
    summary: "a connection was requested after the app had stopped, or after `close` of `openRedis`",
    action: "finish all work before the connections are closed",
  },
  REDIS_SHARED_CONNECTION: {
    summary:
      "a command such as `SELECT`, `SUBSCRIBE`, `WATCH` or `QUIT` on `app.redis` would change the connection that all requests share",
    action: "run it in `withRedis`, which leases a connection",
  },
  REDIS_BAD_NAME: {
    summary:
      "the `name` of an adapter is empty, longer than 100 characters, or contains a brace or white space",
    action: "use letters, digits, `-` and `_`",
  },
  REDIS_EVICTS_KEYS: {
    summary:
      "a warning: a server with `maxmemory` and a `maxmemory-policy` other than `noeviction` stores sessions or revoked tokens; if it evicts the marker of an ended session or a revoked token, that session or token is valid again",
    action: "set `maxmemory-policy` to `noeviction`",
  },
  REDIS_CLUSTER_DOWN: {
    summary: "a health check: the cluster does not serve every slot",
    action: "check the cluster",
  },
};
