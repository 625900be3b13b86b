import type { Response } from "@framework/core";
import { parseCacheControl } from "@framework/core/http";

/**
 * Adds freshness for clients to a reply without explicit freshness: `no-cache`, or a `max-age` that counts from now. A client subtracts the age from
 * `max-age` (RFC 9111 4.2), so the age is added here.
 */
export const addClientFreshness = ({ headers }: Response, clientTtlSecs: number, ageSecs: number): void => {
  const own = headers.get("cache-control");
  if (own !== null && parseCacheControl(own).has("no-cache")) return;
  const added = clientTtlSecs === 0 ? "no-cache" : `max-age=${Math.floor(clientTtlSecs) + ageSecs}`;
  headers.set("cache-control", own === null ? added : `${own}, ${added}`);
};
