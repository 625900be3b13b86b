import { hash } from "node:crypto";
import type { IoredisClient } from "./ioredis.ts";

/** What a script is given. */
export type ScriptArg = string | number | Buffer;

/** A script that Redis runs as one step: sent by its digest, and whole where the server does not know it (after a restart or a failover). */
export class Script {
  readonly #lua: string;
  #sha: string | undefined;

  constructor(lua: string) {
    this.#lua = lua;
  }

  async run(client: IoredisClient, keys: readonly string[], args: readonly ScriptArg[]): Promise<unknown> {
    try {
      return await client.evalsha(this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return client.eval(this.#lua, keys.length, ...keys, ...args);
    }
  }

  /** The same with texts of the answer as bytes. */
  async bytes(client: IoredisClient, keys: readonly string[], args: readonly ScriptArg[]): Promise<unknown> {
    try {
      return await client.callBuffer("evalsha", this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return client.callBuffer("eval", this.#lua, keys.length, ...keys, ...args);
    }
  }

  get #digest(): string {
    this.#sha ??= hash("sha1", this.#lua, "hex");
    return this.#sha;
  }
}

/** A script that is not known was not run, so it may be sent again. */
const isUnknown = (error: unknown): boolean => error instanceof Error && error.message.startsWith("NOSCRIPT");
