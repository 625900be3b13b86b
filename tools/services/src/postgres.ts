import { Client } from "pg";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import { makeCluster } from "./postgres-cluster.ts";
import { needProgram } from "./programs.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder, type SystemUser, userWhenRoot } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";

export interface PostgresOptions {
  /** Whether commits survive a crash of the machine; slower. @default false */
  readonly fsync?: boolean;
  /** Maximum number of connections. @default 200 */
  readonly maxConnections?: number;
}

/** Paths of the programs of one version. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** Starts a separate PostgreSQL server on loopback, without passwords, with an empty database `framework`. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<FragileServer> =>
  await startPostgresWith(systemPrograms, options);

const systemPrograms = async (): Promise<PostgresPrograms> => ({
  initdb: needProgram("initdb"),
  postgres: needProgram("postgres"),
});

/** Like `startPostgres`, with the programs of another version; `find` may put them into the server's folder. */
export const startPostgresWith = async (
  find: (folder: ServerFolder) => Promise<PostgresPrograms>,
  { fsync = false, maxConnections = 200 }: PostgresOptions,
): Promise<FragileServer> => {
  const user = userWhenRoot("postgres", "nobody"); // PostgreSQL refuses to run as root
  const folder = new ServerFolder("postgres", user);
  const port = await freePort();
  const data = folder.at("data");
  const program = await prepare(find, folder, user);
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
    check: () => queryPostgres(`postgres://framework@127.0.0.1:${port}/postgres`),
  });
  await queryPostgres(`postgres://framework@127.0.0.1:${port}/postgres`, "CREATE DATABASE framework");
  return server;
};

/** Creates an empty cluster in the folder `data`; returns the program that serves it. */
const prepare = async (
  find: (folder: ServerFolder) => Promise<PostgresPrograms>,
  folder: ServerFolder,
  user: SystemUser | null,
): Promise<string> => {
  try {
    const { initdb, postgres } = await find(folder);
    await makeCluster(initdb, folder, user);
    return postgres;
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
};

/** Runs one statement over a new connection. */
export const queryPostgres = async (url: string, statement = "SELECT 1"): Promise<void> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 20_000 });
  client.on("error", () => {}); // the failed call has the error
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
};
