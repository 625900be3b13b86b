import type { HttpRequest, Middleware, Response } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";

/** Removes `X-Cache-TTL` and `X-Cache-Tags`, which only the cache reads, from every reply. */
export const stripInternalFields: Middleware<HttpRequest, Response> = (request, next) =>
  mapAwaitable(next(request), strip);

const strip = (response: Response): Response => {
  const fields = response.fields();
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at];
    if (name === "x-cache-ttl" || name === "x-cache-tags") {
      response.headers.delete("x-cache-ttl");
      response.headers.delete("x-cache-tags");
      return response;
    }
  }
  return response;
};
