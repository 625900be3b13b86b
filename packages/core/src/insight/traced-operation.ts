/** An attribute's value; never a secret, a statement parameter or a body. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes of an operation, named after OpenTelemetry's semantic conventions where one applies: `http.route`. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The role of an operation in an exchange: OpenTelemetry's span kinds. */
export type OperationRole = "server" | "client" | "producer" | "consumer" | "internal";

/**
 * One operation of an app: a request, a message, a statement, an outgoing call.
 *
 * Listeners and channels get the same plain object at start, error and end, so it can be the key of a `WeakMap`.
 */
export interface TracedOperation {
  /** The kind of work, the same for all roles: `http`, `message`, `db`. */
  readonly kind: string;
  /** Role in a trace. */
  readonly role: OperationRole;
  /** Low-cardinality name, fit for labels and span names: `GET /books/{id}`. */
  readonly name: string;
  /** Grows until the end; an error adds `error.type`. */
  readonly attributes: Attributes;
  /** The object of the work, such as an `HttpRequest` or a message. @default the parent's */
  readonly subject: object | null;
  /** The app; `null` for work outside an app. */
  readonly app: object | null;
  /** The current operation of the asynchronous context at the start. */
  readonly parent: TracedOperation | null;
  /** Start in milliseconds of `performance.now()`. */
  readonly startedMs: number;
  /** Duration in milliseconds; `null` before the end. */
  readonly durationMs: number | null;
  /** The last error; `null` without one. */
  readonly error: Error | null;
}

/** A feature's description of an operation at its start. */
export interface OperationStart {
  /** Low-cardinality name: a pattern, a keyword, a queue; never an id, a path or client input. */
  readonly name: string;
  /** Attributes for traces. */
  readonly attributes?: Attributes;
  /** The object that it is about, such as the request. @default the parent's */
  readonly subject?: object;
}

/** A feature's definition of one kind of operations. */
export interface OperationDefinition<In, Out = unknown> {
  /** The domain without the role: `http`, `db`. One to four lower-case words, separated by dots. */
  readonly kind: string;
  /** Role in a trace. */
  readonly role: OperationRole;
  /** Describes an operation at its start; called only when there are listeners. */
  readonly describe: (input: In) => OperationStart;
  /** Returns attributes of the output, added at the end. @default none */
  readonly outcome?: (output: Out) => Attributes;
}

/** Returns the mistake in a definition; `null` for a valid one. */
export const operationProblem = <In, Out>({ kind }: OperationDefinition<In, Out>): string | null =>
  /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,3}$/.test(kind) && kind.length <= 60
    ? null
    : `the operation kind "${kind}" must be one to four lower-case words, separated by dots, with at most 60 characters`;
