import type { RedisConfig } from "../redis-config.ts";

/** Address and credentials of a server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly tls: boolean;
}

/** Returns the servers of a configuration; several only for a cluster. */
export const addressesOf = ({ url, password, database, tls }: RedisConfig): readonly RedisAddress[] =>
  url.split(",").map((each) => {
    const { protocol, hostname, port, username, password: secret, pathname } = new URL(each.trim());
    return {
      host: hostname === "" ? "localhost" : hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? 6379 : Number(port),
      username: username === "" ? undefined : decodeURIComponent(username),
      password: password ?? (secret === "" ? undefined : decodeURIComponent(secret)),
      database: pathname.length > 1 ? Number(pathname.slice(1)) : database,
      tls: tls || protocol === "rediss:",
    };
  });
