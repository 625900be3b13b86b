import type { DocumentNode } from "graphql";

/** Bounds: documents, and tokens and characters of all of them. A token takes about 400 bytes, so all take 40 MB at most. */
const MAX_DOCUMENTS = 1000;
const MAX_TOKENS = 100_000;
const MAX_CHARACTERS = 1_048_576;

/** Parsed and validated documents by their text; the least recently used are dropped first. */
export class DocumentCache {
  private readonly documents = new Map<string, DocumentNode>();
  private characters = 0;
  private tokens = 0;

  get(text: string): DocumentNode | undefined {
    const document = this.documents.get(text);
    if (document === undefined) return undefined;
    this.documents.delete(text);
    this.documents.set(text, document);
    return document;
  }

  set(text: string, document: DocumentNode): void {
    if (text.length > MAX_CHARACTERS || tokensOf(document) > MAX_TOKENS || this.documents.has(text)) return;
    this.documents.set(text, document);
    this.characters += text.length;
    this.tokens += tokensOf(document);
    for (const [oldest, dropped] of this.documents) {
      if (this.fits()) return;
      this.documents.delete(oldest);
      this.characters -= oldest.length;
      this.tokens -= tokensOf(dropped);
    }
  }

  private fits(): boolean {
    return (
      this.documents.size <= MAX_DOCUMENTS && this.characters <= MAX_CHARACTERS && this.tokens <= MAX_TOKENS
    );
  }
}

/** Counted by the parser. */
const tokensOf = ({ tokenCount = 0 }: DocumentNode): number => tokenCount;
