import {
  type Awaitable,
  type GuardOptions,
  type HttpRequest,
  type Guard,
  type Invocation,
  verifyGuards,
} from "@framework/core";
import { type EntryPoint, type EntryProtection, reauthenticate, mapAwaitable } from "@framework/core/feature";

/** Operations over WebSocket as an entry point: limits and guards get the upgrade request. */
export const socketEntry: EntryPoint = {
  kind: "graphql",
  names: [], // circuit breakers do not apply
  remoteAddress: (request) => (request as HttpRequest).clientIp,
  statusOf: () => 200,
};

/** Checks whether the caller of a connection may start an operation; synchronous if all its checks are. @throws HttpError 401, 403, 429 or 503 */
export type Admit = (request: HttpRequest) => unknown;

/** Dependencies of `admission`. */
export interface AdmissionParts {
  /** The limits and guards of the app. */
  readonly protection: Pick<EntryProtection, "limits" | "guards">;
  /** The guards of the endpoint. */
  readonly guards: readonly Guard<HttpRequest>[];
  readonly guardOptions: GuardOptions;
}

/**
 * Creates the check of operations, in the order of an HTTP request: rate limit, authentication, guards. A connection outlives its upgrade, so each operation
 * is checked like a new request with the header fields of the upgrade.
 */
export const admission = ({ protection, guards, guardOptions }: AdmissionParts): Admit => {
  const allGuards: readonly Guard<HttpRequest>[] = [...protection.guards, ...guards];
  const identifyAndVerify = (invocation: Invocation): Awaitable<void> =>
    mapAwaitable(
      reauthenticate(invocation),
      () => verifyGuards(allGuards, invocation as HttpRequest, guardOptions), // limits forward the request that they get
    );
  return protection.limits.reduceRight<(invocation: Invocation) => unknown>(
    (next, limit) => (invocation) => limit(invocation, next),
    identifyAndVerify,
  );
};
