import type { HttpRequest } from "@framework/core";

/**
 * Whether the page that sent a request may: of this origin or of a trusted one, as far as the browser tells (Fetch Metadata, `Origin`, `Referer`, in this
 * order). A client that tells nothing passes; its token alone decides.
 */
export const comesFromHere = (request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  const site = request.getHeader("sec-fetch-site");
  const origin = request.getHeader("origin");
  if (origin !== null && trusted.has(origin)) return true;
  // Subdomains are another origin: `same-site` is refused. `none` is the user's own doing, as a reload is.
  if (site !== null) return site === "same-origin" || site === "none";
  const page = origin ?? request.getHeader("referer");
  return page === null || isSameOrigin(page, request, trusted);
};

/** `null`, the origin of sandboxed pages and some redirects, is nobody's. */
const isSameOrigin = (page: string, request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  if (!/^https?:\/\//i.test(page) || !URL.canParse(page)) return false;
  const { origin, host, protocol } = new URL(page);
  if (trusted.has(origin)) return true;
  const own = `${protocol}//${request.host}`;
  if (!URL.canParse(own) || new URL(own).host !== host) return false;
  // Behind a proxy that nobody called trusted, TLS looks like none: only the step down is a sign of another page.
  return protocol === "https:" || !request.isSecure;
};
