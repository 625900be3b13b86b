import type { Awaitable, DependenciesOf, Guard, Injections, Invocation } from "@framework/core";
import type { GrpcCall } from "./grpc-call.ts";
import type { MethodShape, MethodShapes } from "../service/grpc-service.ts";

/** First argument of a handler: the request message, or an iterable of them. */
type InputOf<Shape extends MethodShape> = Shape["requestStream"] extends true
  ? AsyncIterable<Shape["request"]>
  : Shape["request"];

/** Result of a handler: the response message, or an iterable of them. */
type OutputOf<Shape extends MethodShape> = Shape["responseStream"] extends true
  ? AsyncIterable<Shape["response"]> | Iterable<Shape["response"]>
  : Awaitable<Shape["response"]>;

/**
 * Handles the calls of one method; its dependencies, if any, are the last argument. Streamed responses are pulled no faster than the client reads.
 */
export type MethodHandler<
  Shape extends MethodShape = MethodShape,
  Inject extends Injections | undefined = undefined,
> = [NonNullable<Inject>] extends [never] // two function types: with an optional parameter, `db = Depends(Db)` would not get the type of its default
  ? (request: InputOf<Shape>, call: GrpcCall) => OutputOf<Shape>
  : (request: InputOf<Shape>, call: GrpcCall, dependencies: DependenciesOf<Inject>) => OutputOf<Shape>;

/** Options of a method, or of every method of a service. */
export interface CallRules {
  /** Guards of the calls; they run after the guards of `GrpcConfig`. @default [] */
  readonly guards?: readonly Guard<Invocation>[];
  /** Whether calls need no authentication and skip the guards of the app and of `GrpcConfig`. @default false */
  readonly open?: boolean;
  /** Maximum duration of a call in seconds, 0 for no limit. @default `maxCallSecs` of `GrpcConfig` */
  readonly timeoutSecs?: number;
}

/** Options of a service. */
export interface ServiceOptions<Inject extends Injections | undefined = undefined> extends CallRules {
  /** Dependencies, passed to the handlers as their last argument; dependencies of scope `invocation` live as long as the call. @default none */
  readonly inject?: Inject;
}

/** A handler with its options. */
export interface MethodImplementation<
  Shape extends MethodShape = MethodShape,
  Inject extends Injections | undefined = undefined,
> extends CallRules {
  /** Handles the calls. */
  readonly handle: MethodHandler<Shape, Inject>;
}

/** The handlers of a service. Calls of a method without a handler fail with UNIMPLEMENTED. */
export type ServiceImplementation<
  Methods extends MethodShapes,
  Inject extends Injections | undefined = undefined,
> = {
  readonly [Name in keyof Methods]?:
    | MethodHandler<Methods[Name], Inject>
    | MethodImplementation<Methods[Name], Inject>;
};

/** An implementation without the types of its methods. */
export type AnyImplementation = Readonly<
  Record<string, AnyHandler | (CallRules & { readonly handle: AnyHandler })>
>;

/** A handler without its types; the codecs of its method guarantee them. */
export type AnyHandler = (request: never, call: GrpcCall, dependencies: never) => unknown;
