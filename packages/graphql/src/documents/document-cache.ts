import type { DocumentNode } from "graphql";

/** Limits of the whole cache. A token takes about 400 bytes, so the cache takes at most about 40 MB. */
const MAX_DOCUMENTS = 1000;
const MAX_TOKENS = 100_000;
const MAX_CHARACTERS = 1_048_576;

/** A cache hit moves its entry to the end only after this many changes, so most hits write nothing while misses are rare. */
const STALE_AFTER = 250;

interface Entry {
  readonly document: DocumentNode;
  /** Value of `changes` when the entry was last moved to the end. */
  placedAt: number;
}

/** Parsed and validated documents by text; the least recently used are dropped first, with an accuracy of `STALE_AFTER` changes. */
export class DocumentCache {
  private readonly entries = new Map<string, Entry>();
  private changes = 0;
  private characters = 0;
  private tokens = 0;

  get(text: string): DocumentNode | undefined {
    const entry = this.entries.get(text);
    if (entry === undefined) return undefined;
    if (this.changes - entry.placedAt > STALE_AFTER) {
      this.entries.delete(text);
      this.place(text, entry);
    }
    return entry.document;
  }

  set(text: string, document: DocumentNode): void {
    if (text.length > MAX_CHARACTERS || tokensOf(document) > MAX_TOKENS || this.entries.has(text)) return;
    this.place(text, { document, placedAt: 0 });
    this.characters += text.length;
    this.tokens += tokensOf(document);
    for (const [oldest, dropped] of this.entries) {
      if (this.fits()) return;
      this.entries.delete(oldest);
      this.characters -= oldest.length;
      this.tokens -= tokensOf(dropped.document);
    }
  }

  private place(text: string, entry: Entry): void {
    entry.placedAt = ++this.changes;
    this.entries.set(text, entry);
  }

  private fits(): boolean {
    return (
      this.entries.size <= MAX_DOCUMENTS && this.characters <= MAX_CHARACTERS && this.tokens <= MAX_TOKENS
    );
  }
}

/** Returns the number of tokens that the parser counted. */
const tokensOf = ({ tokenCount = 0 }: DocumentNode): number => tokenCount;
