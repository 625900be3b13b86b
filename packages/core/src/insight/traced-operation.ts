/** Value of an attribute: a number, a flag, or text; never a secret, a parameter of a statement, or a body. */
export type AttributeValue = string | number | boolean | readonly string[];

/** What is known of an operation, under the names of OpenTelemetry's semantic conventions where these have one: `http.route`. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Which side of an exchange an operation stands on: OpenTelemetry's span kinds. */
export type OperationRole = "server" | "client" | "producer" | "consumer" | "internal";

/**
 * One operation of an app: a request, a message, a statement, an outgoing call.
 *
 * Listeners and channels get the same plain object at start, error and end, so it can be the key of a `WeakMap`.
 */
export interface TracedOperation {
  /** What kind of work it is, in words that operations of all roles share: `http`, `message`, `db`. */
  readonly kind: string;
  readonly role: OperationRole;
  /** Low in cardinality, fit for a label and for the name of a span: `GET /books/{id}`. */
  readonly name: string;
  /** Grows until the end; `error.type` is added by an error. */
  readonly attributes: Attributes;
  /** What is worked on: an `HttpRequest`, a message; that of `parent` where the operation has none of its own. */
  readonly subject: object | null;
  /** The app that it belongs to; `null` for work outside of an app. */
  readonly app: object | null;
  /** The operation during which it began, found by the asynchronous context. */
  readonly parent: TracedOperation | null;
  /** When it began, in milliseconds of `performance.now()`. */
  readonly startedMs: number;
  /** How long it took, `null` before its end. */
  readonly durationMs: number | null;
  /** What was thrown last, `null` while nothing was. */
  readonly error: Error | null;
}

/** What a feature says of one operation that begins. */
export interface OperationStart {
  /** Low in cardinality: a pattern, a keyword, a queue; never an id, a path or a text of clients. */
  readonly name: string;
  readonly attributes?: Attributes;
  /** @default the parent's */
  readonly subject?: object;
}

/** One kind of operations, as the feature defines it that performs them. */
export interface OperationDefinition<In, Out = unknown> {
  /** The domain alone, since the role tells the side: `http`, `db`. One to four lower-case words with dots between. */
  readonly kind: string;
  readonly role: OperationRole;
  /** Describes an operation that begins; called only while somebody listens. */
  readonly describe: (input: In) => OperationStart;
  /** Attributes that the output adds at the end. @default none */
  readonly outcome?: (output: Out) => Attributes;
}

/** What is wrong with a definition; `null` when nothing is. */
export const operationProblem = <In, Out>({ kind }: OperationDefinition<In, Out>): string | null =>
  /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,3}$/.test(kind) && kind.length <= 60
    ? null
    : `the kind of operations "${kind}" must be one to four words of lower case with dots between, in 60 characters at most`;
