import { FrameworkError } from "../errors/framework-error.ts";
import { Context } from "./context.ts";
import { type Metadata, type MetadataInput, toMetadata } from "./metadata.ts";

/** The entry point of an invocation. `http` is reserved for HttpRequest; features may add kinds. */
export type InvocationKind =
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
 * One unit of work of the app: an HTTP request, a message, a command, a step of a saga, a call.
 *
 * Dependencies of the scope `invocation` live as long as it does, and guards receive it. An HttpRequest is an invocation.
 */
export interface Invocation {
  /** Kind of the work, such as `http`. */
  readonly kind: InvocationKind;
  /** Low-cardinality name: `GET /books/{id}`, the type of a message, the name of a command. */
  readonly name: string;
  /** Header fields, or the protocol's equivalent. */
  readonly headers: Metadata;
  /** Parameters of the address, such as `id` in `GET /books/{id}`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Values of this invocation. */
  readonly context: Context;
  /** Aborts when the result is no longer needed: the client disconnected, or a timeout expired. */
  readonly signal: AbortSignal;
}

/** The parts of an invocation. Defaults: no headers, no parameters, an empty context, a signal that never aborts. */
export interface InvocationParts {
  /** Any but `http`. */
  readonly kind: InvocationKind;
  /** Name of the work, such as a queue or command. */
  readonly name: string;
  /** Header fields or metadata. */
  readonly headers?: Metadata | MetadataInput;
  /** Parameters of the work. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Context to share. @default a new one */
  readonly context?: Context;
  /** Aborts when the result is no longer wanted. @default never */
  readonly signal?: AbortSignal;
}

/**
 * Creates an invocation of a kind other than `http`, for features with their own entry point.
 *
 * @example
 * const invocation = createInvocation({ kind: "message", name: message.type, headers: message.headers, signal });
 * @throws CORE_BAD_INVOCATION for the kind `http`, which is reserved for HttpRequest
 */
export const createInvocation = (parts: InvocationParts): Invocation => {
  if (parts.kind !== "http") return new PlainInvocation(parts);
  throw new FrameworkError("CORE_BAD_INVOCATION", 'the kind "http" is reserved for HttpRequest; use another');
};

const noParams: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const noHeaders: Metadata = toMetadata({});

/** Creates context and signal on first access: most invocations use neither. */
class PlainInvocation implements Invocation {
  readonly kind: InvocationKind;
  readonly name: string;
  readonly headers: Metadata;
  readonly params: Readonly<Record<string, unknown>>;
  private ownContext: Context | undefined;
  private ownSignal: AbortSignal | undefined;

  constructor({ kind, name, headers = noHeaders, params = noParams, context, signal }: InvocationParts) {
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

  /** One per invocation: listeners on a shared signal would accumulate. */
  get signal(): AbortSignal {
    return (this.ownSignal ??= new AbortController().signal);
  }
}

const isMetadata = (headers: Metadata | MetadataInput): headers is Metadata =>
  typeof headers.get === "function";
