/** The bytes that a connection sends repeatedly, and the rule for the end of each reply. */
export interface Shot {
  /** One request, or several in one piece. */
  readonly bytes: Buffer;
  /** Alternatives, sent in turn over all connections: the same number of requests each, with replies of the same length. */
  readonly variants?: readonly Buffer[];
  /** Requests in `bytes`: 1, unless they are pipelined. */
  readonly depth: number;
  readonly end: ReplyEnd;
  /** Status of each reply. @default 200 */
  readonly status?: number;
  /** Sent once on each new connection before anything else, and answered with this status: the handshake of a WebSocket. */
  readonly opening?: { readonly bytes: Buffer; readonly status: number };
}

/** Rule for the end of a reply without parsing it. */
export type ReplyEnd =
  /** Its constant length; `bare` without a status: a message of a WebSocket. */
  | { readonly kind: "length"; readonly bytes: number; readonly bare?: boolean }
  /** A head of any length, and a body of a constant one. */
  | { readonly kind: "body"; readonly bytes: number }
  /** Chunked: after at least as many bytes as the body has. */
  | { readonly kind: "last chunk"; readonly atLeast: number };
