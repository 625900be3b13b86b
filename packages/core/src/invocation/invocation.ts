import { FrameworkError } from "../errors/framework-error.ts";
import { Context } from "./context.ts";
import { type Metadata, type MetadataInput, toMetadata } from "./metadata.ts";

/** The way an invocation came in. `http` means an HttpRequest and nothing else; features may add kinds of their own. */
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
 * One piece of work that the app does on request: an HTTP request, a message, a command, a step of a saga, a call.
 *
 * Dependencies of the scope `invocation` live as long as it, and guards decide on it. An HttpRequest is an invocation.
 */
export interface Invocation {
  readonly kind: InvocationKind;
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

/** The parts of an invocation that differ from the defaults: no headers, no parameters, an empty context, a signal that never aborts. */
export interface InvocationParts {
  /** Any but `http`. */
  readonly kind: InvocationKind;
  readonly name: string;
  readonly headers?: Metadata | MetadataInput;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly context?: Context;
  readonly signal?: AbortSignal;
}

/**
 * Makes an invocation of a kind other than `http`, for features that let work in through a door of their own.
 *
 * @example
 * const invocation = createInvocation({ kind: "message", name: message.type, headers: message.headers, signal });
 * @throws CORE_BAD_INVOCATION for the kind `http`, which only an HttpRequest has
 */
export const createInvocation = (parts: InvocationParts): Invocation => {
  if (parts.kind !== "http") return new PlainInvocation(parts);
  throw new FrameworkError("CORE_BAD_INVOCATION", 'the kind "http" is kept for an HttpRequest; name another');
};

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const NO_HEADERS: Metadata = toMetadata({});

/** An invocation whose context and signal are made when first touched: most work needs neither. */
class PlainInvocation implements Invocation {
  readonly kind: InvocationKind;
  readonly name: string;
  readonly headers: Metadata;
  readonly params: Readonly<Record<string, unknown>>;
  private ownContext: Context | undefined;
  private ownSignal: AbortSignal | undefined;

  constructor({ kind, name, headers = NO_HEADERS, params = NO_PARAMS, context, signal }: InvocationParts) {
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

  /** One for each invocation: listeners on a shared signal would pile up. */
  get signal(): AbortSignal {
    return (this.ownSignal ??= new AbortController().signal);
  }
}

const isMetadata = (headers: Metadata | MetadataInput): headers is Metadata =>
  typeof headers.get === "function";
