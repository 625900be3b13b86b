import { hash } from "node:crypto";
import type { IoredisClient } from "./ioredis.ts";

/** An argument of a script. */
export type ScriptArg = string | number | Buffer;

/** An atomic Lua script. Sent by its digest, and in full if the server does not have it (after a restart or a failover). */
export class Script {
  private readonly lua: string;
  private sha: string | undefined;

  constructor(lua: string) {
    this.lua = lua;
  }

  async run(client: IoredisClient, keys: readonly string[], args: readonly ScriptArg[]): Promise<unknown> {
    try {
      return await client.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return client.eval(this.lua, keys.length, ...keys, ...args);
    }
  }

  /** Runs the script and returns the strings of its result as bytes. */
  async runForBytes(
    client: IoredisClient,
    keys: readonly string[],
    args: readonly ScriptArg[],
  ): Promise<unknown> {
    try {
      return await client.callBuffer("evalsha", this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      return client.callBuffer("eval", this.lua, keys.length, ...keys, ...args);
    }
  }

  private get digest(): string {
    this.sha ??= hash("sha1", this.lua, "hex");
    return this.sha;
  }
}

/** Whether the server does not have the script: it did not run, so it can be sent again. */
const isUnknown = (error: unknown): boolean => error instanceof Error && error.message.startsWith("NOSCRIPT");
