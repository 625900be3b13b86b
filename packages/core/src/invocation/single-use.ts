import { type Key, key } from "./key.ts";

/**
 * Whether the reply to a request contains a value for one client only, such as a CSRF token or a CSP nonce. Set by the feature that issues the
 * value. Core then makes the reply `private`, and a reply cache does not store it. The key is in core, so that neither feature depends on the other.
 */
export const SingleUse: Key<boolean> = key("single_use", false);
