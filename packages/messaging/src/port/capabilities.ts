/** Features of a broker. Messaging emulates a missing feature or rejects its use; it never ignores it. */
export interface Capabilities {
  /**
   * How deliveries are settled: `each` individually, or `cumulative`, as in a log, where settling one also settles all earlier ones of its partition. With
   * `cumulative` every delivery has a `partition` and an `offset`.
   */
  readonly settlement: "each" | "cumulative";
  /**
   * Supported orders. `key`: messages of one key are delivered in the order of sending, to one consumer of the group until they are settled. `partition`: the
   * same for all messages of a partition.
   */
  readonly orders: readonly ("key" | "partition")[];
  /** Whether each of several groups receives every message of a topic. */
  readonly groups: boolean;
  /** Longest `delayMs` of a sent message; 0 for none. */
  readonly maxDelayMs: number;
  /** Longest `delayMs` of a settlement with `retry`; 0 if the broker can only deliver again at once, or not at all. */
  readonly maxRetryDelayMs: number;
  /** Whether a message that waits for its retry at the broker blocks later ones of its key (or partition). */
  readonly retryKeepsOrder: boolean;
  /** Whether messaging uses retry topics: `<topic>.<group>.retry.<tier>`, one for each delay of a retry policy. */
  readonly retryTopics: boolean;
  /** Largest body in bytes. */
  readonly maxBodyBytes: number;
  /** Largest headers in bytes: names and values. */
  readonly maxHeaderBytes: number;
  /**
   * Location of CloudEvents attributes: `binary` in headers with a prefix, such as `ce_`, or `structured` in the body, as JSON.
   */
  readonly envelope: { readonly mode: "binary"; readonly prefix: string } | { readonly mode: "structured" };
  /** Whether a consumer can subscribe to all topics that match a regular expression, including later ones. */
  readonly patterns: boolean;
  /** Whether a process can have a private topic, which is removed when it ends. Needed for replies. */
  readonly privateTopics: boolean;
  /** Whether messages are kept after they were handled, so that a new group can begin at the earliest or the latest one. */
  readonly replay: boolean;
  /** Whether messages stay in one process; then several workers are rejected. */
  readonly isInProcess: boolean;
}
