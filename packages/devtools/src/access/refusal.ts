import type { RequestSource } from "@framework/core/feature";
import { isToken } from "./run-token.ts";

/** Status and reason of a refused request. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Returns the reason to refuse a request to the dev page; `null` if it is allowed.
 *
 * The peer must be on this host, and the authority must be a loopback name with this port: a web page whose name resolves to 127.0.0.1 (DNS
 * rebinding) sends its own name. A browser's request must come from the page itself.
 */
export const refusalOf = (source: RequestSource, port: number): Refusal | null => {
  if (!isLoopback(source.remoteAddress))
    return forbidden("The dev page accepts requests only from this computer");
  if (!ownNames.some((name) => isAuthority(source.authority, name, port)))
    return forbidden("The authority is not the host name and port of the dev page");
  const origin = source.field("origin");
  if (origin !== null && origin !== `http://${source.authority}`)
    return forbidden("Another origin may not call the dev page");
  return isFromOtherSite(source) ? forbidden("Another site may not call the dev page") : null;
};

/** Returns the reason to refuse a request without the token; `null` if it has the token. */
export const tokenRefusalOf = (source: RequestSource, token: string): Refusal | null => {
  const [scheme, given = ""] = (source.field("authorization") ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" && isToken(given, token)
    ? null
    : { status: 401, message: "Open the link that the service printed: it has the token of this run" };
};

const ownNames = ["127.0.0.1", "localhost", "[::1]"] as const;

/** Clients omit the default port of HTTP. */
const isAuthority = (authority: string | null, name: string, port: number): boolean =>
  authority === `${name}:${port}` || (port === 80 && authority === name);

const isLoopback = (address: string | null): boolean =>
  address !== null && (address === "::1" || /^(?:::ffff:)?127\./i.test(address));

/** Whether a browser sends the request from another site. Links to the page are allowed: without the token it shows nothing. */
const isFromOtherSite = (source: RequestSource): boolean => {
  const site = source.field("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return false;
  return !(source.target === "/" && source.field("sec-fetch-dest") === "document");
};

const forbidden = (message: string): Refusal => ({ status: 403, message });
