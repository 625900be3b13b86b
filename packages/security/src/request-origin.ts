import type { HttpRequest } from "@framework/core";

/**
 * Whether the request comes from a page of this origin or a trusted one, by Fetch Metadata, `Origin`, `Referer`, in this order. A client that
 * sends none of them passes; only its token counts.
 */
export const comesFromHere = (request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  const site = request.getHeader("sec-fetch-site");
  const origin = request.getHeader("origin");
  if (origin !== null && trusted.has(origin)) return true;
  // Subdomains are another origin: `same-site` is rejected. `none` is a user action, such as a reload.
  if (site !== null) return site === "same-origin" || site === "none";
  const page = origin ?? request.getHeader("referer");
  return page === null || isSameOrigin(page, request, trusted);
};

/** `null`, the origin of sandboxed pages and some redirects, is never trusted. */
const isSameOrigin = (page: string, request: HttpRequest, trusted: ReadonlySet<string>): boolean => {
  if (!/^https?:\/\//i.test(page) || !URL.canParse(page)) return false;
  const { origin, host, protocol } = new URL(page);
  if (trusted.has(origin)) return true;
  const own = `${protocol}//${request.host}`;
  if (!URL.canParse(own) || new URL(own).host !== host) return false;
  // Behind an untrusted proxy TLS is not visible: only a downgrade indicates another page.
  return protocol === "https:" || !request.isSecure;
};
