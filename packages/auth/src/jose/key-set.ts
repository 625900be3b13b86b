import { createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import type { Logger } from "@framework/core";
import { unavailable } from "../errors.ts";
import { fits, isWeak, type JwtAlgorithm } from "./algorithms.ts";
import { readKeySet } from "./read-key-set.ts";

/** Source and refresh policy of a key set. */
export interface KeySetOptions {
  readonly url: string;
  readonly algorithm: JwtAlgorithm;
  readonly maxAgeSecs: number;
  readonly cooldownSecs: number;
  readonly fetch: typeof globalThis.fetch;
  /** Monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  readonly log: () => Pick<Logger, "warn">;
}

/** Keys of a set that match the algorithm. */
interface Keys {
  readonly byId: ReadonlyMap<string, KeyObject>;
  /** The key for tokens without `kid`, if the set has exactly one. */
  readonly only: KeyObject | null;
  readonly loadedAt: number;
}

/**
 * A remote set of public keys (RFC 7517 5), fetched on first use, when stale, and when a token names an unknown key. Concurrent callers share one
 * fetch, and a cool-down separates two fetches. The last good set stays in use until a newer one is loaded.
 */
export class KeySet {
  /** Increases with every loaded set: tokens verified with an earlier one may no longer verify. */
  generation = 0;
  private readonly options: KeySetOptions;
  private keys: Keys | undefined;
  private triedAt = -Infinity;
  private loading: Promise<void> | undefined;

  constructor(options: KeySetOptions) {
    this.options = options;
  }

  /** Returns the key that a token names, `null` for an unknown one. @throws HttpError 503 AUTH_KEYS_UNAVAILABLE before the first successful fetch */
  async keyFor(kid: string | undefined): Promise<KeyObject | null> {
    await this.refresh();
    if (this.keys !== undefined && find(this.keys, kid) === null) await this.load();
    if (this.keys === undefined) throw unavailable("AUTH_KEYS_UNAVAILABLE");
    return find(this.keys, kid);
  }

  /** Fetches the set when it is missing or stale. Never throws. */
  async refresh(): Promise<void> {
    const { elapsed, maxAgeSecs } = this.options;
    if (this.keys === undefined || elapsed() - this.keys.loadedAt >= maxAgeSecs * 1000) await this.load();
  }

  private load(): Promise<void> {
    if (this.loading !== undefined) return this.loading;
    const { elapsed, cooldownSecs } = this.options;
    if (elapsed() - this.triedAt < cooldownSecs * 1000) return Promise.resolve();
    this.triedAt = elapsed();
    this.loading = this.fetchKeys().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async fetchKeys(): Promise<void> {
    const { url, algorithm, fetch, elapsed, log } = this.options;
    try {
      const keys = await readKeySet(url, fetch);
      this.keys = { ...usableKeys(keys, algorithm), loadedAt: elapsed() };
      this.generation++;
    } catch (error) {
      log().warn("the key set of JwtAuth could not be fetched", {
        url,
        error,
        kept: this.keys !== undefined,
      });
    }
  }
}

const find = ({ byId, only }: Keys, kid: string | undefined): KeyObject | null =>
  kid === undefined ? only : (byId.get(kid) ?? null);

const usableKeys = (list: readonly unknown[], algorithm: JwtAlgorithm): Omit<Keys, "loadedAt"> => {
  const byId = new Map<string, KeyObject>();
  const usable: KeyObject[] = [];
  for (const jwk of list) {
    const key = usableKey(jwk, algorithm);
    if (key === null) continue;
    usable.push(key);
    const { kid } = jwk as { kid?: unknown };
    if (typeof kid === "string" && !byId.has(kid)) byId.set(kid, key);
  }
  const [only = null, ...more] = usable;
  return { byId, only: more.length === 0 ? only : null };
};

/** Imports a key if it verifies the algorithm; sets contain others too (RFC 7517 4.2 to 4.4). */
const usableKey = (jwk: unknown, algorithm: JwtAlgorithm): KeyObject | null => {
  if (typeof jwk !== "object" || jwk === null) return null;
  const { use = "sig", alg = algorithm, key_ops: uses = ["verify"] } = jwk as webcrypto.JsonWebKey;
  if (use !== "sig" || alg !== algorithm || !Array.isArray(uses) || !uses.includes("verify")) return null;
  try {
    const key = createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: "jwk" });
    return fits(key, algorithm) && !isWeak(key) ? key : null;
  } catch {
    return null; // an unsupported kind of key
  }
};
