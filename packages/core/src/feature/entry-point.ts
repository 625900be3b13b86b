import type { Guard } from "../guards/guard.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Middleware } from "../middleware/middleware.ts";

/** An entry point other than HTTP routes, such as the port of gRPC. */
export interface EntryPoint {
  /** Kind of its invocations, such as `grpc`. */
  readonly kind: string;
  /** Names of the invocations to protect. */
  readonly names: readonly string[];
  /** Names of streaming invocations, whose duration the client controls. @default none */
  readonly streams?: ReadonlySet<string>;
  /** Returns the remote address of an invocation's connection, without a port; `null` if unknown. */
  remoteAddress(invocation: Invocation): string | null;
  /**
   * Returns the HTTP status closest to an outcome, or to the reason of an invocation's aborted signal: 200 for success, 499 if the client cancelled the call or
   * its own deadline passed.
   */
  statusOf(outcome: unknown): number;
}

/** An entry point, for the features that protect its calls. */
export interface ProtectedEntry extends Omit<EntryPoint, "remoteAddress"> {
  /** Returns the client's address, like `request.clientIp`: the peer of the connection, or the address that trusted proxies state; `null` if unknown. */
  clientIp(invocation: Invocation): string | null;
}

/** Creates the middleware that protects the calls of an entry point. It returns the output of `next` unchanged, and rejects a call by throwing an HttpError. */
export type ProtectEntryPoint = (entry: ProtectedEntry) => Middleware<Invocation, unknown>;

/** Position of the protection: `rate-limit` outside of authentication and guards, `breaker` around the handler alone. */
export type EntryStage = "rate-limit" | "breaker";

/** The protection of an app for an entry point. */
export interface EntryProtection {
  /** Runs outermost, before authentication. */
  readonly limits: readonly Middleware<Invocation, unknown>[];
  /**
   * The app's guards, which run before the guards of the entry point. A guard that needs an HTTP request fails, which rejects the call.
   */
  readonly guards: readonly Guard<Invocation>[];
  /** Runs after guards, around the handler. */
  readonly breakers: readonly Middleware<Invocation, unknown>[];
}
