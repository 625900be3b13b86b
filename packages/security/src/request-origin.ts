import type { HttpRequest } from "@framework/core";

/**
 * Whether the request comes from a page of this origin or of a trusted origin. A trusted `Origin` passes; otherwise the first that is present of
 * `Sec-Fetch-Site`, `Origin` and `Referer` decides. A client that sends none of them passes, and only its token is checked.
 */
export const isFromTrustedOrigin = (request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  const site = request.getHeader("sec-fetch-site");
  const origin = request.getHeader("origin");
  if (origin !== null && trusted.has(origin)) return true;
  // Subdomains are another origin: `same-site` is rejected. `none` is a user action, such as a reload.
  if (site !== null) return site === "same-origin" || site === "none";
  const page = origin ?? request.getHeader("referer");
  return page === null || isSameOrTrusted(page, request, trusted);
};

/** Rejects the origin `null` of sandboxed pages and some redirects. */
const isSameOrTrusted = (page: string, request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  if (!/^https?:\/\//i.test(page) || !URL.canParse(page)) return false;
  const { origin, host, protocol } = new URL(page);
  if (trusted.has(origin)) return true;
  const own = `${protocol}//${request.host}`;
  if (!URL.canParse(own) || new URL(own).host !== host) return false;
  // A proxy that is not trusted hides TLS, so an https page passes; an http page of a service over TLS does not.
  return protocol === "https:" || !request.isSecure;
};
