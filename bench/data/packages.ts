/** What is measured here, from its source, and the libraries below it, as these packages have them. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";
import type { EventEmitter } from "node:events";
import type { Server } from "node:http";

export { database, type DatabaseMethods } from "../../packages/database/src/index.ts";
export { websocket } from "../../packages/websocket/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";

const beside = (name: string): NodeJS.Require =>
  createRequire(new URL(`../../packages/${name}/package.json`, import.meta.url));

/** The part of a `pg` pool that is used here. */
export interface BarePool {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: readonly unknown[];
  }): Promise<{ readonly rows: readonly unknown[] }>;
  on(event: "error", listener: () => void): unknown;
  end(): Promise<void>;
}

/** `pg`, as `@framework/database` has it. */
export const loadPg = (): {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => BarePool;
} => beside("database")("pg") as ReturnType<typeof loadPg>;

/** The part of a connection of `ws` that is used here. */
export interface BareSocket extends EventEmitter {
  send(data: Buffer, options: { readonly binary: boolean }): void;
}

/** `ws`, as `@framework/websocket` has it. */
export const loadWs = (): {
  readonly WebSocketServer: new (options: { readonly server: Server }) => EventEmitter;
} => beside("websocket")("ws") as ReturnType<typeof loadWs>;
