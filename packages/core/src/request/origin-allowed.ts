import { type Key, key } from "../invocation/key.ts";

/**
 * Whether the app allows the origin of the page that wants to upgrade the connection. Set by a feature that knows origins, such as CORS, and read by
 * one that accepts upgrades, such as WebSocket: neither needs the other.
 */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);
