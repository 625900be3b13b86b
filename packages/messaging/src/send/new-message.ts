/** A message to send: an event of CloudEvents 1.0. */
export interface NewMessage<Data = unknown> {
  /** What happened, such as `book.created`; at most 512 characters, as the other texts. */
  readonly type: string;
  /** A value that JSON keeps whole: what it would leave out or change, such as `NaN`, a `Set` or bytes, is refused. `undefined` arrives as `null`. */
  readonly data?: Data;
  /** Messages of one key keep their order. @default none */
  readonly key?: string | undefined;
  /** Unique id. Give one to send the same event again. @default a random UUID */
  readonly id?: string | undefined;
  /** What it is about. @default none */
  readonly subject?: string | undefined;
  /** Where it happened: a URI reference. @default `source` of the configuration */
  readonly source?: string | undefined;
  /** When it happened, in the years 0 to 9999. @default now */
  readonly time?: Date | undefined;
  /** Text that travels with it; names of letters, digits and `- . _`, no two the same without regard to case; `ce_<name>` are extension attributes. @default none */
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
