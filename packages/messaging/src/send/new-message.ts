/** A message to send: an event of CloudEvents 1.0. */
export interface NewMessage<Data = unknown> {
  /** What happened, such as `book.created`; at most 512 characters, as the other texts. */
  readonly type: string;
  /** A value that JSON can hold. */
  readonly data?: Data;
  /** Messages of one key keep their order. @default none */
  readonly key?: string | undefined;
  /** Unique id. Give one to send the same event again. @default a random UUID */
  readonly id?: string | undefined;
  /** What it is about. @default none */
  readonly subject?: string | undefined;
  /** Where it happened: a URI reference. @default `source` of the configuration */
  readonly source?: string | undefined;
  /** When it happened. @default now */
  readonly time?: Date | undefined;
  /** Text that travels with it; names of letters, digits and `- . _`; `ce_<name>` are extension attributes. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A message that a broker has confirmed, or the transaction holds. */
export interface Receipt {
  /** Id of the event. */
  readonly id: string;
  /** Where a log stored it. */
  readonly partition?: string | undefined;
  /** Its place there. */
  readonly offset?: string | undefined;
}
