import {
  type Awaitable,
  type GuardOptions,
  type HttpRequest,
  type Guard,
  type Invocation,
  verifyGuards,
} from "@framework/core";
import { type EntryPoint, type EntryProtection, identifyAgain, mapAwaitable } from "@framework/core/feature";

/** Operations of connections as an entry point: each is the request of its upgrade to what protects it. */
export const socketEntry: EntryPoint = {
  kind: "graphql",
  names: [], // circuits are for handlers
  remoteAddress: (request) => (request as HttpRequest).clientIp,
  statusOf: () => 200,
};

/** Decides whether the caller of a connection may begin an operation now, at once where nothing has to be asked. @throws HttpError 401, 403, 429 or 503 */
export type Admit = (request: HttpRequest) => unknown;

/** What decides about operations. */
export interface AdmissionParts {
  /** The limits and guards of the app. */
  readonly protection: Pick<EntryProtection, "limits" | "guards">;
  /** The guards of the endpoint. */
  readonly guards: readonly Guard<HttpRequest>[];
  readonly guardOptions: GuardOptions;
}

/**
 * Creates the decision, in the order of a request over HTTP: the rate limit, the caller, the guards. A connection outlives its upgrade, so each operation
 * is decided on as a request with the header fields of the upgrade would be now.
 */
export const admission = ({ protection, guards, guardOptions }: AdmissionParts): Admit => {
  const all: readonly Guard<HttpRequest>[] = [...protection.guards, ...guards];
  const identified = (invocation: Invocation): Awaitable<void> =>
    mapAwaitable(
      identifyAgain(invocation),
      () => verifyGuards(all, invocation as HttpRequest, guardOptions), // limits pass on the request that they get
    );
  return protection.limits.reduceRight<(invocation: Invocation) => unknown>(
    (next, limit) => (invocation) => limit(invocation, next),
    identified,
  );
};
