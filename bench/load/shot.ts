/** The bytes that a connection sends repeatedly, and the rule for the end of each reply. */
export interface Shot {
  /** One request, or several pipelined ones. */
  readonly bytes: Buffer;
  /** Alternatives, sent in a cycle over all connections; each has the same number of requests, and replies of the same length. */
  readonly variants?: readonly Buffer[];
  /** Requests in `bytes`: 1, unless they are pipelined. */
  readonly depth: number;
  readonly end: ReplyEnd;
  /** Status of each reply. @default 200 */
  readonly status?: number;
  /** WebSocket handshake: sent first on each new connection, with the expected status of its reply. */
  readonly opening?: { readonly bytes: Buffer; readonly status: number };
}

/** Rule for the end of a reply without parsing it. */
export type ReplyEnd =
  /** Constant length; `bare`: without a status, for WebSocket messages. */
  | { readonly kind: "length"; readonly bytes: number; readonly bare?: boolean }
  /** A head of any length, and a body of a constant one. */
  | { readonly kind: "body"; readonly bytes: number }
  /** Chunked: the last chunk, after at least the bytes of the body. */
  | { readonly kind: "last chunk"; readonly atLeast: number };
