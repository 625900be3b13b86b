import { type Key, key } from "../invocation/key.ts";

/**
 * Whether the app allows the page's origin to upgrade the connection. Set by a feature that checks origins, such as CORS, and read by
 * one that accepts upgrades, such as WebSocket, so that neither depends on the other.
 */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);
