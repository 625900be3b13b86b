import { type Key, key } from "../invocation/key.ts";

/**
 * Whether the app allows the page's origin to send requests that browsers send with cookies and without a preflight: an upgrade, or a GET from another site.
 * A feature that checks origins, such as CORS, sets it; a feature such as WebSocket reads it, without a dependency between the two.
 */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);
