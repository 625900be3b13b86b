import type { CallInit } from "./call-init.ts";
import type { CheckedHttpOptions } from "./http-options.ts";

/** Returns the header fields of a call. Fields of the call take precedence over the client's, which are sent only to the base URL's origin. Ids are sent only to trusted hosts. */
export const headersOf = (
  url: URL,
  base: URL,
  { headers, within, idempotencyKey, json }: Pick<CallInit, "headers" | "within" | "idempotencyKey" | "json">,
  options: Pick<CheckedHttpOptions, "headers" | "trustedHosts">,
): Headers => {
  const fields = new Headers(url.origin === base.origin ? options.headers : {});
  for (const [name, value] of new Headers(headers)) fields.set(name, value);
  const addMissing = (name: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined && !fields.has(name)) fields.set(name, value);
  };
  addMissing("accept-encoding", "identity"); // replies are not decompressed
  if (json !== undefined) addMissing("content-type", "application/json");
  if (!options.trustedHosts.includes(url.host)) return fields;
  addMissing("x-request-id", within?.requestId);
  addMissing("idempotency-key", idempotencyKey);
  return fields;
};
