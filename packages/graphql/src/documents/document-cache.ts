import type { DocumentNode } from "graphql";

/** Bounds: documents, and characters of all of them. */
const MAX_DOCUMENTS = 1000;
const MAX_CHARACTERS = 1_048_576;

/** Parsed and validated documents by their text; the least recently used are dropped first. */
export class DocumentCache {
  private readonly documents = new Map<string, DocumentNode>();
  private characters = 0;

  get(text: string): DocumentNode | undefined {
    const document = this.documents.get(text);
    if (document === undefined) return undefined;
    this.documents.delete(text);
    this.documents.set(text, document);
    return document;
  }

  set(text: string, document: DocumentNode): void {
    if (text.length > MAX_CHARACTERS || this.documents.has(text)) return;
    this.documents.set(text, document);
    this.characters += text.length;
    for (const oldest of this.documents.keys()) {
      if (this.documents.size <= MAX_DOCUMENTS && this.characters <= MAX_CHARACTERS) return;
      this.documents.delete(oldest);
      this.characters -= oldest.length;
    }
  }
}
