import { createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
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
  readonly clock: Clock;
  readonly log: () => Pick<Logger, "warn">;
}

/** Keys of a set that match the algorithm. */
interface Keys {
  readonly byId: ReadonlyMap<string, KeyObject>;
  /** The key for tokens without `kid`, if the set has exactly one. */
  readonly only: KeyObject | null;
  readonly count: number;
  readonly loadedAt: number;
}

/**
 * A remote set of public keys (RFC 7517 5), fetched at start, when stale, and when a token names an unknown key. At most one fetch is in flight, and
 * a cool-down separates two fetches. The last valid set stays in use until a newer one with a usable key is loaded: a stale one is refreshed in the
 * background, so only tokens with an unknown key wait for the server.
 */
export class KeySet {
  private readonly options: KeySetOptions;
  private loaded = 0;
  private keys: Keys | undefined;
  private triedAt = -Infinity;
  private loading: Promise<void> | undefined;

  constructor(options: KeySetOptions) {
    this.options = options;
  }

  /** Returns the key that a token names, `null` for an unknown key. @throws HttpError 503 AUTH_KEYS_UNAVAILABLE before the first successful fetch */
  async keyFor(kid: string | undefined): Promise<KeyObject | null> {
    const known = this.keys === undefined ? null : find(this.keys, kid);
    if (known !== null) {
      if (this.isStale) void this.load();
      return known;
    }
    await this.load();
    if (this.keys === undefined) throw unavailable("AUTH_KEYS_UNAVAILABLE");
    return find(this.keys, kid);
  }

  /** Increases with every loaded set: tokens verified with an earlier one may no longer verify. Refreshes a stale set in the background. */
  generation(): number {
    if (this.isStale) void this.load();
    return this.loaded;
  }

  private get isStale(): boolean {
    const { clock, maxAgeSecs } = this.options;
    return this.keys !== undefined && clock.now() - this.keys.loadedAt >= maxAgeSecs * 1000;
  }

  /** Fetches the set; does nothing during the cool-down. Never rejects. */
  load(): Promise<void> {
    if (this.loading !== undefined) return this.loading;
    const { clock, cooldownSecs } = this.options;
    if (clock.now() - this.triedAt < cooldownSecs * 1000) return Promise.resolve();
    this.triedAt = clock.now();
    this.loading = this.fetchKeys().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async fetchKeys(): Promise<void> {
    const { url, algorithm, fetch, clock, log } = this.options;
    try {
      const keys = usableKeys(await readKeySet(url, fetch), algorithm);
      // A set without a usable key, such as an unrelated reply of a proxy, must not invalidate all tokens.
      if (keys.count === 0) throw new Error(`the key set has no key that verifies ${algorithm}`);
      this.keys = { ...keys, loadedAt: clock.now() };
      this.loaded++;
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
  return { byId, only: more.length === 0 ? only : null, count: usable.length };
};

/** Imports a key that can verify signatures of the algorithm; `null` for others, which a set may also contain (RFC 7517 4.2 to 4.4). */
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
