import { hash } from "node:crypto";
import type { Limit } from "./limit.ts";

/** Most clients that are kept; the one seen least recently is dropped. */
const MAX_CLIENTS = 100;

/** A client of a limit, as a developer sees it. */
export interface SeenClient {
  readonly limit: Limit;
  /** An address, or a digest of the name that the program gives: names may be credentials. */
  readonly client: string;
  readonly keyClass: "address" | "name";
  /** Requests that are left; `null` when the store did not answer. */
  readonly left: number | null;
  /** Refused requests since it was first seen. */
  readonly refused: number;
}

/** The clients whose requests arrived while a tool listened. Without a tool nothing is recorded. */
export class SeenClients {
  private readonly clients: Map<string, SeenClient> = new Map();

  see(limit: Limit, key: string, { left, isAdmitted }: { left: number | null; isAdmitted: boolean }): void {
    const refused = (this.clients.get(key)?.refused ?? 0) + (isAdmitted ? 0 : 1);
    this.clients.delete(key); // the order is that of the last requests
    this.clients.set(key, { limit, ...clientOf(limit.clientOf(key)), left, refused });
    const [oldest] = this.clients.keys();
    if (this.clients.size > MAX_CLIENTS && oldest !== undefined) this.clients.delete(oldest);
  }

  /** The clients of a limit, the latest first. */
  of(limit: Limit): readonly SeenClient[] {
    return [...this.clients.values()].filter((seen) => seen.limit === limit).toReversed();
  }

  /** Forgets the clients of a limit. */
  forget(limit: Limit): void {
    for (const [key, seen] of this.clients) if (seen.limit === limit) this.clients.delete(key);
  }
}

const clientOf = (client: string): Pick<SeenClient, "client" | "keyClass"> =>
  client.startsWith("a:")
    ? { client: client.slice(2), keyClass: "address" }
    : { client: `name ${hash("sha256", client).slice(0, 8)}`, keyClass: "name" };
