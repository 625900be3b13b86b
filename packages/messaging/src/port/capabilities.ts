/**
 * What a broker can do. Messaging reads it at start: what is missing is emulated or refused, never ignored.
 */
export interface Capabilities {
  /**
   * How deliveries are settled: `each` on its own, or `cumulative`, as in a log, where settling one settles all before it in its partition. With
   * `cumulative` every delivery has a `partition` and an `offset`.
   */
  readonly settlement: "each" | "cumulative";
  /**
   * The order that a consumer of a group can ask for. `key`: messages of one key are delivered in the order in which they were sent, and are unsettled at
   * one consumer of the group at a time. `partition`: the same for all messages of a partition.
   */
  readonly orders: readonly ("key" | "partition")[];
  /** Whether several groups each get every message of a topic. */
  readonly groups: boolean;
  /** Longest `delayMs` of a sent message; 0 for none. */
  readonly maxDelayMs: number;
  /** Longest `delayMs` of a settlement with `retry`; 0 when the broker can only deliver again at once, or not at all. */
  readonly maxRetryDelayMs: number;
  /** Whether messages of the same key (or partition) wait while one of them waits for its retry at the broker. */
  readonly retryKeepsOrder: boolean;
  /** Whether messaging may create topics of its own beside the program's for delayed retries: `<topic>.<group>.retry.<tier>`, one for each delay of a retry policy. */
  readonly retryTopics: boolean;
  /** Largest body in bytes. */
  readonly maxBodyBytes: number;
  /** Largest headers in bytes: names and values. */
  readonly maxHeaderBytes: number;
  /**
   * Where the attributes of CloudEvents are: `binary` in headers with a prefix, such as `ce_`, or `structured` in the body, as JSON.
   */
  readonly envelope: { readonly mode: "binary"; readonly prefix: string } | { readonly mode: "structured" };
  /** Whether a consumer may subscribe to all topics that match a regular expression, also later ones. */
  readonly patterns: boolean;
  /** Whether a process can have a topic of its own, which vanishes with it: needed for replies. */
  readonly privateTopics: boolean;
  /** Whether a new group can begin with messages that were sent before it existed. */
  readonly replay: boolean;
  /** Whether only processes on one machine, or only one process, see the messages: then several workers are refused. */
  readonly isInProcess: boolean;
}
