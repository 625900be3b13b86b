import { FrameworkError } from "../errors/framework-error.ts";
import { Context } from "./context.ts";
import { type Metadata, type MetadataInput, toMetadata } from "./metadata.ts";

/** The way an operation came in. `http` means an HttpRequest and nothing else; features may add kinds of their own. */
export type OperationKind =
  | "http"
  | "websocket"
  | "message"
  | "command"
  | "query"
  | "saga"
  | "graphql"
  | "grpc"
  | (string & {});

/**
 * One piece of work that the app does on request: an HTTP request, a message, a command, a step of a saga, a call.
 *
 * Dependencies of the scope `operation` live as long as it, and guards decide on it. An HttpRequest is an operation.
 */
export interface Operation {
  readonly kind: OperationKind;
  /** What is asked for, with few distinct values: `GET /books/{id}`, the type of a message, the name of a command. */
  readonly name: string;
  /** Header fields, or what the protocol has in their place. */
  readonly headers: Metadata;
  /** Values that were taken from the address, such as `id` in `GET /books/{id}`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly context: Context;
  /** Aborts when the result is of no use any more: the client has left, or the time is up. */
  readonly signal: AbortSignal;
}

/** The parts of an operation that differ from the defaults: no headers, no parameters, an empty context, a signal that never aborts. */
export interface OperationParts {
  /** Any but `http`. */
  readonly kind: OperationKind;
  readonly name: string;
  readonly headers?: Metadata | MetadataInput;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly context?: Context;
  readonly signal?: AbortSignal;
}

/**
 * Makes an operation of a kind other than `http`, for features that let work in through a door of their own.
 *
 * @example
 * const operation = createOperation({ kind: "message", name: message.type, headers: message.headers, signal });
 * @throws CORE_BAD_OPERATION for the kind `http`, which only an HttpRequest has
 */
export const createOperation = (parts: OperationParts): Operation => {
  if (parts.kind !== "http") return new PlainOperation(parts);
  throw new FrameworkError("CORE_BAD_OPERATION", 'the kind "http" is kept for an HttpRequest; name another');
};

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const NO_HEADERS: Metadata = toMetadata({});

/** An operation whose context and signal are made when first touched: most work needs neither. */
class PlainOperation implements Operation {
  readonly kind: OperationKind;
  readonly name: string;
  readonly headers: Metadata;
  readonly params: Readonly<Record<string, unknown>>;
  private ownContext: Context | undefined;
  private ownSignal: AbortSignal | undefined;

  constructor({ kind, name, headers = NO_HEADERS, params = NO_PARAMS, context, signal }: OperationParts) {
    this.kind = kind;
    this.name = name;
    this.headers = isMetadata(headers) ? headers : toMetadata(headers);
    this.params = params;
    this.ownContext = context;
    this.ownSignal = signal;
  }

  get context(): Context {
    return (this.ownContext ??= new Context());
  }

  /** One for each operation: listeners on a shared signal would pile up. */
  get signal(): AbortSignal {
    return (this.ownSignal ??= new AbortController().signal);
  }
}

const isMetadata = (headers: Metadata | MetadataInput): headers is Metadata =>
  typeof headers.get === "function";
