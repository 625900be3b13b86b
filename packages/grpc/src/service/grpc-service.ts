import type { Problem, StandardSchema } from "@framework/core";
import type { FileDescriptor } from "../descriptors/descriptor-messages.ts";

/** Types of one method; it has no value at run time. */
export interface MethodShape {
  /** Whether the client sends a stream. */
  readonly requestStream: boolean;
  /** Whether the server sends a stream. */
  readonly responseStream: boolean;
  /** Request as the handler gets it. */
  readonly request: unknown;
  /** Response as the handler returns it. */
  readonly response: unknown;
  /** Request as the client sends it. */
  readonly sent: unknown;
  /** Response as the client gets it. */
  readonly received: unknown;
}

/** The types of a service's methods by their names. */
export type MethodShapes = Readonly<Record<string, MethodShape>>;

/** Converts messages of one type to bytes and back. */
export interface MessageCodec {
  /** @throws FrameworkError GRPC_BAD_MESSAGE, which names the field */
  encode(value: unknown): Buffer;
  /** @throws an error for bytes that are not a message of the type */
  decode(bytes: Uint8Array): unknown;
}

/** One method with its codecs. */
export interface GrpcMethod {
  /** Name in the service, such as `GetBook`. */
  readonly name: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly request: MessageCodec;
  readonly response: MessageCodec;
  /** Validates requests; messages of a `.proto` need none. */
  readonly schema?: StandardSchema;
}

/** A service with its codecs and descriptors. */
export interface ResolvedService {
  readonly methods: readonly GrpcMethod[];
  /** Descriptors of the service and its messages, a file for each package. */
  readonly files: readonly FileDescriptor[];
}

/** Options of `GrpcService.resolve`. */
export interface ResolveOptions {
  /** Whether field numbers must be recorded in a `.proto`. */
  readonly recorded: boolean;
}

/** The definition of a service, which servers implement and clients call. */
export interface GrpcService<Methods extends MethodShapes = MethodShapes> {
  /** Full name, such as `books.v1.Catalog`. */
  readonly name: string;
  /** Loads `.proto` files, builds codecs and descriptors. @throws ConfigurationError for a service with mistakes */
  resolve(options: ResolveOptions): ResolvedService;
  /** Holds the types of the methods; never set at run time. */
  readonly shapes?: Methods;
}

/** Whether text is valid as the full name of a service: an optional package and a name, such as `books.v1.Catalog`. */
export const isServiceName = (name: string): boolean =>
  name.length <= 200 && /^(?:[A-Za-z][A-Za-z0-9_]*\.)*[A-Za-z][A-Za-z0-9_]*$/.test(name);

/** Returns the problem of a name for which `isServiceName` is false. */
export const badServiceName = (name: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `${JSON.stringify(name)} is not a valid service name; use one like books.v1.Catalog`,
});

/** Whether text is valid as the name of a method or message. */
export const isIdentifier = (name: string): boolean =>
  name.length <= 100 && /^[A-Za-z][A-Za-z0-9_]*$/.test(name);
