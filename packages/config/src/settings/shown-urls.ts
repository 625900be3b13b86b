/** URLs in a text, each up to white space or the next URL of a list. */
const URLS = /[a-z][a-z0-9+.-]{0,40}:\/\/(?:(?![,;|]\s{0,9}[a-z][a-z0-9+.-]{0,40}:\/\/)\S)*/gi;

/** Redacts every URL in a text, such as a list of brokers. */
export const shownUrls = (text: string): string => text.replace(URLS, shownUrl);

/**
 * Returns an address without user, password and query. Passwords and queries may contain "?", "#" and "@": if "?" or "#" comes
 * before the last "@", the host is ambiguous and only the scheme is shown.
 */
export const shownUrl = (text: string): string => {
  const scheme = text.slice(0, text.indexOf("://") + 3);
  const rest = text.slice(scheme.length);
  const at = rest.lastIndexOf("@");
  if (/[?#]/.test(rest.slice(0, at + 1))) return `${scheme}…`;
  const hostPart = rest.slice(at + 1).replace(/[?#].*$/s, "?…");
  return `${scheme}${at === -1 ? "" : "…@"}${hostPart}`;
};
