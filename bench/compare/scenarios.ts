import type { ScenarioName } from "../workloads/workloads.ts";
import { type DataSource, openPostgresBooks, openSqliteBooks } from "./book-tables.ts";

/** A service that several servers implement. Its servers are started together. */
export interface Scenario {
  readonly name: ScenarioName;
  /** For the progress on the terminal. */
  readonly title: string;
  /** Folder of its programs in `servers/`. @default the programs in `servers/` itself */
  readonly folder?: string;
  readonly args: readonly string[];
  /** Names of its servers. @default all */
  readonly servers?: readonly string[];
  /** Plugins and libraries of its servers, whose versions are reported. */
  readonly packages?: readonly string[];
  /** Opens the database of its servers. */
  readonly open?: () => Promise<DataSource>;
}

/** Raw, the framework, and the frameworks with plugins for most scenarios. */
const commonServers = ["raw", "fast", "fastify", "hono", "nest", "express", "koa"];

/** All scenarios, in the order of measurement. */
export const scenarios: readonly Scenario[] = [
  { name: "routes", title: "servers", args: [] },
  { name: "five", title: "servers with five middlewares", args: ["--five"] },
  {
    name: "jwt",
    title: "servers that verify tokens",
    folder: "jwt",
    args: [],
    servers: [...commonServers, "elysia"],
    packages: ["jose", "@fastify/jwt", "@elysiajs/jwt", "@nestjs/jwt"],
  },
  {
    name: "cached",
    title: "servers with a reply cache",
    folder: "cached",
    args: [],
    servers: ["raw", "fast", "nest", "express", "koa"],
    packages: ["@nestjs/cache-manager", "apicache", "koa-cash"],
  },
  {
    name: "limited",
    title: "servers with four workers and a rate limit",
    folder: "limited",
    args: [],
    servers: commonServers,
    packages: [
      "@fastify/rate-limit",
      "hono-rate-limiter",
      "@nestjs/throttler",
      "express-rate-limit",
      "@express-rate-limit/cluster-memory-store",
      "koa-ratelimit",
    ],
  },
  {
    name: "sqlite",
    title: "servers with SQLite",
    folder: "row",
    args: ["--database=sqlite"],
    servers: commonServers,
    open: openSqliteBooks,
  },
  {
    name: "postgres",
    title: "servers with PostgreSQL",
    folder: "row",
    args: ["--database=postgres"],
    servers: commonServers,
    open: openPostgresBooks,
    packages: ["pg"],
  },
  {
    name: "websocket",
    title: "servers with WebSockets",
    folder: "websocket",
    args: [],
    servers: ["raw", "fast", "fastify", "hono"],
    packages: ["ws", "@fastify/websocket"],
  },
];
