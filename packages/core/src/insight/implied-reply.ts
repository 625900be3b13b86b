/** A reply that a route can give although its `responses` do not list it, such as a rejection by a feature. */
export interface ImpliedReply {
  /** Status of the reply. */
  readonly status: number;
  /** Its cause, as a sentence for the API document. */
  readonly description: string;
  /** Its header fields, by name. */
  readonly headers?: Readonly<Record<string, ImpliedField>>;
  /** Whether the handler gives it, so a schema of the route replaces the framework's error body. @default false */
  readonly byHandler?: boolean;
}

/** A header field, for the API document. */
export interface ImpliedField {
  /** Text for the API document. */
  readonly description: string;
  /** Type of its value. */
  readonly type: "string" | "integer";
}
