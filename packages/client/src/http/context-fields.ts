import type { CallInit } from "./call-init.ts";
import { ClientError } from "./client-error.ts";
import { headerFields, headersProblem } from "./header-fields.ts";
import type { CheckedHttpOptions } from "./http-options.ts";

/**
 * Returns the header fields of a call. Fields of the call take precedence over the client's, which are sent only to the base URL's origin. Ids are sent only to
 * trusted hosts.
 *
 * @throws ClientError CLIENT_BAD_PARAMETER for an invalid name or value
 */
export const headersOf = (
  url: URL,
  base: URL,
  { headers, within, idempotencyKey, json }: Pick<CallInit, "headers" | "within" | "idempotencyKey" | "json">,
  options: Pick<CheckedHttpOptions, "headers" | "trustedHosts">,
): Headers => {
  const fields = headerFields(url.origin === base.origin ? options.headers : {});
  for (const [name, value] of ownFields(headers)) fields.set(name, value);
  const addMissing = (name: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined && !fields.has(name)) setField(fields, name, value);
  };
  addMissing("accept-encoding", "identity"); // replies are not decompressed
  if (json !== undefined) addMissing("content-type", "application/json");
  if (!options.trustedHosts.includes(url.host)) return fields;
  addMissing("x-request-id", within?.requestId);
  addMissing("idempotency-key", idempotencyKey);
  return fields;
};

const ownFields = (headers: CallInit["headers"]): Headers => {
  try {
    return headerFields(headers);
  } catch {
    throw badParameter(`the option headers ${headersProblem(headers)}`);
  }
};

/** The message omits the value, because it may be a secret. */
const setField = (fields: Headers, name: string, value: string): void => {
  try {
    fields.set(name, value);
  } catch {
    throw badParameter(`the value of ${name} has characters that a header field cannot contain`);
  }
};

const badParameter = (message: string): ClientError => new ClientError("CLIENT_BAD_PARAMETER", message);
