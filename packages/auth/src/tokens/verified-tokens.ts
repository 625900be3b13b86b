import type { Claims } from "@framework/core/feature";

interface Entry {
  readonly claims: Claims;
  readonly generation: number;
}

/** LRU cache of tokens with a verified signature; bounded in number, and so in bytes, since a token has at most 8 KiB. */
export class VerifiedTokens {
  private readonly entries: Map<string, Entry> = new Map();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** Returns the claims of a token that was verified with the keys of this generation, else `undefined`. */
  get(text: string, generation: number): Claims | undefined {
    const entry = this.entries.get(text);
    if (entry === undefined) return undefined;
    this.entries.delete(text);
    if (entry.generation !== generation) return undefined;
    this.entries.set(text, entry);
    return entry.claims;
  }

  set(text: string, claims: Claims, generation: number): void {
    if (this.max === 0) return;
    const [oldest] = this.entries.size >= this.max ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(text, { claims, generation });
  }
}
