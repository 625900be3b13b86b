/** Request methods that the framework knows: RFC 9110, RFC 10008 (QUERY) and RFC 5789 (PATCH). */
export const knownMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "TRACE",
  "CONNECT",
]);
