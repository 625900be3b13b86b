import type { HttpRequest } from "@framework/core";

/**
 * Adds the request's id to the options of an outgoing `fetch`, so that the called service can log the same id; returns `init` if the request has none.
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
