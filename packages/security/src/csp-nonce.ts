import { randomBytes } from "node:crypto";
import { type HttpRequest, type Key, key } from "@framework/core";
import { SingleUse } from "@framework/core/feature";

/** The nonce of a reply, created on first use. */
export const CspNonce: Key<string | null> = key<string | null>("csp_nonce", null);

/**
 * Returns the nonce of the reply to a request, for `<script nonce="…">`: 128 random bits, new for every request, the same on every call.
 *
 * The policy must contain `'nonce'`, and the reply must not be cached.
 */
export const cspNonce = (request: HttpRequest): string => {
  const { context } = request;
  const known = context.get(CspNonce);
  if (known !== null) return known;
  const nonce = randomBytes(16).toString("base64");
  context.set(CspNonce, nonce).set(SingleUse, true);
  return nonce;
};
