import { execFileSync } from "node:child_process";
import { Client } from "pg";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import { needProgram } from "./programs.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder, userWhenRoot } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";

export interface PostgresOptions {
  /** Survives a crash of the machine; slower. @default false */
  readonly fsync?: boolean;
  /** @default 200 */
  readonly maxConnections?: number;
}

/** Starts a separate PostgreSQL server on loopback, without passwords, with an empty database `framework`. */
export const startPostgres = async ({
  fsync = false,
  maxConnections = 200,
}: PostgresOptions = {}): Promise<FragileServer> => {
  const [initdb, program] = [needProgram("initdb"), needProgram("postgres")];
  const user = userWhenRoot("postgres"); // it refuses to run as root
  const folder = new ServerFolder("postgres", user);
  const port = await freePort();
  const data = folder.at("data");
  const cluster = ["-D", data, "-U", "framework", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  execFileSync(initdb, cluster, { ...user, cwd: folder.path, stdio: ["ignore", "ignore", "pipe"] });
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder.path,
    fsync: fsync ? "on" : "off",
    max_connections: maxConnections,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const process = new ServerProcess({ program, args: ["-D", data, ...args], folder, user });
  const server = await startFragileServer({
    name: "PostgreSQL",
    url: `postgres://framework@127.0.0.1:${port}/framework`,
    folder,
    process,
    stopSignal: "SIGINT", // "fast": ends sessions instead of waiting for them
    ask: () => askPostgres(`postgres://framework@127.0.0.1:${port}/postgres`),
  });
  await askPostgres(`postgres://framework@127.0.0.1:${port}/postgres`, "CREATE DATABASE framework");
  return server;
};

/** Runs one statement over a new connection. */
export const askPostgres = async (url: string, statement = "SELECT 1"): Promise<void> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 20_000 });
  client.on("error", () => {}); // the failed call has the error
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
};
