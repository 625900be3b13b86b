/** The bytes that a connection sends repeatedly, and the rule for the end of each reply. */
export interface Shot {
  /** One request, or several in one piece. */
  readonly bytes: Buffer;
  /** Alternatives, sent in turn over all connections: the same number of requests each, with replies of the same length. */
  readonly variants?: readonly Buffer[];
  /** Requests in `bytes`: 1, unless they are pipelined. */
  readonly depth: number;
  readonly end: ReplyEnd;
}

/** Rule for the end of a reply without parsing it: its constant length, or the last chunk. */
export type ReplyEnd =
  | { readonly kind: "length"; readonly bytes: number }
  /** Chunked: after at least as many bytes as the body has. */
  | { readonly kind: "last chunk"; readonly atLeast: number };
