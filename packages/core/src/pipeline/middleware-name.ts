import { type Middleware, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";

/** Returns the name of a middleware function, or of the class of a middleware object; empty without one. */
export const middlewareName = (middleware: Middleware<HttpRequest, Response>): string => {
  const object = middlewareObject(middleware);
  if (object === undefined) return middleware.name;
  const { constructor } = object as { readonly constructor?: { readonly name?: unknown } | null }; // absent without a prototype
  const name = constructor?.name;
  return typeof name === "string" && name !== "Object" ? name : "";
};
