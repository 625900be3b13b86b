import { hash } from "node:crypto";
import type { Limit } from "./limit.ts";

/** Maximum number of clients; the least recently seen one is dropped. */
const MAX_CLIENTS = 100;

/** A client of a limit, as shown to developers. */
export interface SeenClient {
  readonly limit: Limit;
  /** An address, or a digest of the name returned by `key`: names may be credentials. */
  readonly client: string;
  readonly keyClass: "address" | "name";
  /** Remaining requests; `null` without a decision of the store. */
  readonly remaining: number | null;
  /** Refused requests since it was first seen. */
  readonly refused: number;
}

/** Clients whose requests arrived while a tool was listening; nothing is recorded otherwise. */
export class SeenClients {
  private readonly clients: Map<string, SeenClient> = new Map();

  record(
    limit: Limit,
    key: string,
    { client, remaining, isAdmitted }: { client: string; remaining: number | null; isAdmitted: boolean },
  ): void {
    const refused = (this.clients.get(key)?.refused ?? 0) + (isAdmitted ? 0 : 1);
    this.clients.delete(key); // keeps the map in order of the last request
    this.clients.set(key, { limit, ...clientOf(client), remaining, refused });
    const [oldest] = this.clients.keys();
    if (this.clients.size > MAX_CLIENTS && oldest !== undefined) this.clients.delete(oldest);
  }

  /** Returns the clients of a limit, latest first. */
  of(limit: Limit): readonly SeenClient[] {
    return [...this.clients.values()].filter((seen) => seen.limit === limit).toReversed();
  }

  /** Removes the clients of a limit. */
  forget(limit: Limit): void {
    for (const [key, seen] of this.clients) if (seen.limit === limit) this.clients.delete(key);
  }
}

const clientOf = (client: string): Pick<SeenClient, "client" | "keyClass"> =>
  client.startsWith("a:")
    ? { client: client.slice(2), keyClass: "address" }
    : { client: `name ${hash("sha256", client).slice(0, 8)}`, keyClass: "name" };
