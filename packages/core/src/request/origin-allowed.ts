import { type Key, key } from "../invocation/key.ts";

/**
 * Whether the app allows the page's origin to send requests that browsers send with cookies and without a preflight: an upgrade, or a GET from another site.
 * Set by a feature that checks origins, such as CORS, and read by one that accepts them, such as WebSocket, so that neither depends on the other.
 */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);
