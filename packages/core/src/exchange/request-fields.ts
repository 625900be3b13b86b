/** A request as log lines describe it. */
export interface DescribedRequest {
  /** Method, as received. */
  readonly method: string;
  /** Canonical path: without the query, which may contain secrets. */
  readonly path: string;
  /** Id of the request, `null` without one. */
  readonly requestId: string | null;
  /** Address of the client, `null` while unknown. */
  readonly clientIp: string | null;
}

/** Returns the fields of a log line that concerns a request. */
export const requestFields = ({
  method,
  path,
  requestId,
  clientIp,
}: DescribedRequest): Readonly<Record<string, unknown>> => ({
  method,
  path,
  ...(requestId !== null && { requestId }),
  ...(clientIp !== null && { clientIp }),
});

/** Returns the fields for an exchange that may have no request yet. */
export const exchangeFields = ({
  method,
  target,
  described,
}: {
  readonly method: string;
  readonly target: string;
  readonly described?: DescribedRequest | null;
}): Readonly<Record<string, unknown>> =>
  described ? requestFields(described) : { method, path: target.replace(/[?#].*/s, "") };
