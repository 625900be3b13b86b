import { type DataSource, openPostgresBooks, openSqliteBooks } from "./book-tables.ts";

/** A service that every server can run as. Its servers are started together. */
export interface Scene {
  readonly name: SceneName;
  /** For the progress on the terminal. */
  readonly title: string;
  /** Folder of its programs in `servers/`, which serve it alone. @default the programs of all other scenes, in `servers/` itself */
  readonly folder?: string;
  readonly args: readonly string[];
  /** Its servers by name; all without it. */
  readonly servers?: readonly string[];
  /** Plugins and libraries of its servers, whose versions the report gives. */
  readonly packages?: readonly string[];
  /** What its servers need while they run. */
  readonly open?: () => Promise<DataSource>;
}

/** Names of the scenes. */
export type SceneName =
  | "routes"
  | "five"
  | "jwt"
  | "cached"
  | "limited"
  | "sqlite"
  | "postgres"
  | "websocket";

/** Raw, the framework, and the frameworks that have a plugin of their own for most scenes. */
const served = ["raw", "fast", "fastify", "hono", "nest", "express", "koa"];

/** All scenes, in the order in which they are measured. */
export const scenes: readonly Scene[] = [
  { name: "routes", title: "servers", args: [] },
  { name: "five", title: "servers with five middlewares", args: ["--five"] },
  {
    name: "jwt",
    title: "servers that verify tokens",
    folder: "jwt",
    args: [],
    servers: [...served, "elysia"],
    packages: ["jose", "@fastify/jwt", "@elysiajs/jwt", "@nestjs/jwt"],
  },
  {
    name: "cached",
    title: "servers with a cache of replies",
    folder: "cached",
    args: [],
    servers: ["raw", "fast", "nest", "express", "koa"],
    packages: ["@nestjs/cache-manager", "apicache", "koa-cash"],
  },
  {
    name: "limited",
    title: "servers of four workers with a limit",
    folder: "limited",
    args: [],
    servers: served,
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
    servers: served,
    open: openSqliteBooks,
  },
  {
    name: "postgres",
    title: "servers with PostgreSQL",
    folder: "row",
    args: ["--database=postgres"],
    servers: served,
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
