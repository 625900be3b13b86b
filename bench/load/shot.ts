/** What a connection sends again and again, and how the end of each reply is known. */
export interface Shot {
  /** One request, or several in one piece. */
  readonly bytes: Buffer;
  /** What is sent in its place, one after the other over all connections: as many requests each, with replies of the same length. */
  readonly variants?: readonly Buffer[];
  /** Requests in `bytes`: 1, unless they are pipelined. */
  readonly depth: number;
  readonly end: ReplyEnd;
}

/** How the end of a reply is known without parsing it: by its length, which is always the same, or by the last chunk. */
export type ReplyEnd =
  | { readonly kind: "length"; readonly bytes: number }
  /** Chunked: after at least as many bytes as the body has. */
  | { readonly kind: "last chunk"; readonly atLeast: number };
