/** A field of the request that is wrong (google.rpc.BadRequest). */
export interface FieldViolation {
  /** Path of the field, such as `author.name`. */
  readonly field: string;
  /** What is wrong with it. */
  readonly description: string;
}

/** One structured detail of a status; other types travel as bytes under their type URL. */
export type StatusDetail =
  | {
      /** google.rpc.BadRequest: the fields that are wrong. */
      readonly kind: "badRequest";
      /** The fields, at most 100. */
      readonly violations: readonly FieldViolation[];
    }
  | {
      /** google.rpc.RetryInfo: when to try again. */
      readonly kind: "retryInfo";
      /** Milliseconds until the next attempt. */
      readonly delayMs: number;
    }
  | {
      /** google.rpc.ErrorInfo: a reason that programs can compare. */
      readonly kind: "errorInfo";
      /** Upper-case words, such as `STOCK_EMPTY`. */
      readonly reason: string;
      /** Owner of the reason, such as `books.example.com`. */
      readonly domain: string;
      /** Further facts about the reason. */
      readonly metadata?: Readonly<Record<string, string>>;
    }
  | {
      /** A message of any other type. */
      readonly kind: "other";
      /** Such as `type.googleapis.com/google.rpc.Help`. */
      readonly typeUrl: string;
      /** The serialized message. */
      readonly value: Uint8Array;
    };
