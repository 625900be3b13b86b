import {
  checked,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  optional,
  secret,
  text,
} from "@framework/core/feature";

/** Address and connection settings of Redis. */
export interface RedisConfig {
  /**
   * `redis://user:password@host:port/database`, `rediss://` for TLS; with `clusterMode` one or more nodes, separated by commas.
   * @default "redis://localhost:6379"
   */
  readonly url: string;
  /**
   * Maximum number of connections per worker: the one that all requests share, and those leased by `withRedis`; 1 to 1,000. Messages of `shared` use one more;
   * on a cluster, the shared one has a connection to each node. @default 10
   */
  readonly poolSize: number;
  /** Whether the server is a Redis Cluster. @default false */
  readonly clusterMode: boolean;
  /** Number of connections that stay open when idle, including the shared one; they are not opened in advance. @default 1 */
  readonly minIdle: number;
  /** Timeout of the wait for a new or leased connection, in seconds. @default 5 */
  readonly connectionTimeoutSecs: number;
  /** Seconds after which an idle connection of `withRedis` is closed. @default 300 */
  readonly idleTimeoutSecs: number;
  /** Expiry of values stored by `SET` without one, in seconds. @default none */
  readonly defaultTtlSecs: number | undefined;
  /** Database number; a path in `url` overrides it. A cluster has only 0. @default 0 */
  readonly database: number;
  /** Password. @default the one in `url` */
  readonly password: string | undefined;
  /** Whether to use TLS, as with `rediss://`. @default false */
  readonly tls: boolean;
  /** Prefix of every key and channel, without braces and white space. @default none */
  readonly keyPrefix: string | undefined;
  /** Timeout of a command in milliseconds, including the wait for a connection. @default 1000 */
  readonly commandTimeoutMs: number;
  /** Maximum number of commands that wait for a connection; further ones are rejected at once. @default 1000 */
  readonly maxQueue: number;
  /** Whether features keep their shared state in Redis, so that several hosts share it. @default false */
  readonly shared: boolean;
}

/** The record of `RedisConfig`, with builders for the two common configurations. */
export interface RedisConfigRecord extends ConfigRecord<RedisConfig> {
  /** A server on this machine, with at most 5 connections. */
  local(): { readonly url: string; readonly poolSize: number };
  /** A cluster, given one or more of its nodes separated by commas, with a `poolSize` of 20. */
  cluster(url: string): { readonly url: string; readonly poolSize: number; readonly clusterMode: true };
}

const isUrls = (value: unknown): boolean => typeof value === "string" && value.split(",").every(isUrl);

/** Whether text is the address of a server: its path is a number, its credentials can be decoded, and it has no query, which would have no effect. */
const isUrl = (text: string): boolean => {
  const url = /^rediss?:\/\/./.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url === null || !/^\/?\d{0,7}$/.test(url.pathname) || url.search + url.hash !== "") return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false; // a % that encodes nothing
  }
};

const record = configRecord<RedisConfig>("RedisConfig", {
  url: secret(
    checked(
      "redis://localhost:6379",
      "redis://host:port/database, or rediss:// for TLS, with a number as the database, user and password percent-encoded, and no query",
      isUrls,
    ),
  ),
  poolSize: integer(10, { min: 1, max: 1000 }),
  clusterMode: flag(false),
  minIdle: integer(1, { min: 1, max: 1000 }),
  connectionTimeoutSecs: decimal(5, { min: 0.01, max: 600 }),
  idleTimeoutSecs: decimal(300, { min: 0.1, max: 604_800 }),
  defaultTtlSecs: optional(integer(1, { min: 1, max: 3_153_600_000 })),
  database: integer(0, { min: 0, max: 1_000_000 }),
  password: optional(secret(text(""))),
  tls: flag(false),
  keyPrefix: optional<string>(
    checked("", "1 to 200 characters without braces and white space", (value) =>
      /^[^{}\s]{1,200}$/.test(String(value)),
    ),
  ),
  commandTimeoutMs: integer(1000, { min: 1, max: 600_000 }),
  maxQueue: integer(1000, { min: 1, max: 1_000_000 }),
  shared: flag(false),
});

export const RedisConfig: RedisConfigRecord = Object.freeze({
  ...record,
  local: () => ({ url: "redis://localhost:6379", poolSize: 5 }),
  cluster: (url: string) => ({ url, poolSize: 20, clusterMode: true }) as const,
});
