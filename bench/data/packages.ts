/** The measured packages, loaded from their sources, and the libraries that they use. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";
import type { EventEmitter } from "node:events";
import type { Server } from "node:http";

export { database, type DatabaseMethods } from "../../packages/database/src/index.ts";
export { websocket } from "../../packages/websocket/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";

const requireFrom = (name: string): NodeJS.Require =>
  createRequire(new URL(`../../packages/${name}/package.json`, import.meta.url));

/** The used part of a `pg` pool. */
export interface BarePool {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: readonly unknown[];
  }): Promise<{ readonly rows: readonly unknown[] }>;
  on(event: "error", listener: () => void): unknown;
  end(): Promise<void>;
}

/** `pg` in the version of `@framework/database`. */
export const loadPg = (): {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => BarePool;
} => requireFrom("database")("pg") as ReturnType<typeof loadPg>;

/** The used part of a `ws` connection. */
export interface BareSocket extends EventEmitter {
  send(data: Buffer, options: { readonly binary: boolean }): void;
}

/** `ws` in the version of `@framework/websocket`. */
export const loadWs = (): {
  readonly WebSocketServer: new (options: { readonly server: Server }) => EventEmitter;
} => requireFrom("websocket")("ws") as ReturnType<typeof loadWs>;
