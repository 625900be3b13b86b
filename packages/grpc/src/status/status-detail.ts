/** An invalid field of the request (google.rpc.BadRequest). */
export interface FieldViolation {
  /** Path of the field, such as `author.name`. */
  readonly field: string;
  /** The mistake in the field. */
  readonly description: string;
}

/** One structured detail of a status; other types are bytes with their type URL. */
export type StatusDetail =
  | {
      /** google.rpc.BadRequest: the invalid fields. */
      readonly kind: "badRequest";
      /** The fields; a list that does not fit into the trailers is shortened. */
      readonly violations: readonly FieldViolation[];
    }
  | {
      /** google.rpc.RetryInfo: when to retry. */
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
      /** Further data about the reason. */
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
