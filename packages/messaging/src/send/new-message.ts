/** A message to send: an event of CloudEvents 1.0. */
export interface NewMessage<Data = unknown> {
  /** Type of the event, such as `book.created`; at most 512 characters, like `key`, `id`, `subject` and `source`. */
  readonly type: string;
  /** JSON data. Values that JSON would drop or change, such as `NaN`, a `Set` or bytes, are rejected. `undefined` arrives as `null`. */
  readonly data?: Data;
  /** Key that orders messages. @default none */
  readonly key?: string | undefined;
  /** Unique id. Set it to send the same event again. @default a random UUID */
  readonly id?: string | undefined;
  /** Subject of the event within its source. @default none */
  readonly subject?: string | undefined;
  /** Context of the event: a URI reference. @default `source` of the configuration */
  readonly source?: string | undefined;
  /** Time of the event, in the years 0 to 9999. @default now */
  readonly time?: Date | undefined;
  /** Headers; names of letters, digits and `- . _`, unique ignoring case; `ce_<name>` are extension attributes. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Confirmation of a message that the broker or the transaction has stored. */
export interface Receipt {
  /** Id of the event. */
  readonly id: string;
  /** Partition, for a broker with a log. */
  readonly partition?: string | undefined;
  /** Offset in the partition. */
  readonly offset?: string | undefined;
}
