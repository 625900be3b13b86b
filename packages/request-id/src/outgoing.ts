import type { HttpRequest } from "@framework/core";

/**
 * Returns the options of an outgoing `fetch` with the request's id added, so that the called service logs the same id; unchanged without an id.
 *
 * @param headerName field that the called service reads. @default "X-Request-ID"
 * @example
 * await fetch("https://stock.example/items", withRequestId(request, { method: "POST" }));
 */
export const withRequestId = (
  request: Pick<HttpRequest, "requestId">,
  init: RequestInit = {},
  headerName: string = "X-Request-ID",
): RequestInit => {
  const { requestId } = request;
  if (requestId === null) return init;
  const headers = new Headers(init.headers);
  headers.set(headerName, requestId);
  return { ...init, headers };
};
