import { type App, type HttpRequest, mapAwaitable, type Middleware, type Response } from "@framework/core";
import { allowedOrigin, etagOf, isFresh, logAccess, requestIdOf } from "./five.ts";

type HttpMiddleware = Middleware<HttpRequest, Response>;

const logging: HttpMiddleware = (request, next) => {
  const since = performance.now();
  const requestId = requestIdOf(request.headers.get("x-request-id"));
  return mapAwaitable(next(request), (reply) => {
    reply.setHeader("x-request-id", requestId);
    logAccess({ method: request.method, path: request.path, status: reply.status, requestId, since });
    return reply;
  });
};

const security: HttpMiddleware = (request, next) =>
  mapAwaitable(next(request), (reply) => reply.setHeader("x-content-type-options", "nosniff"));

const cors: HttpMiddleware = (request, next) =>
  mapAwaitable(next(request), (reply) => {
    if (request.headers.get("origin") === allowedOrigin) {
      reply.setHeader("access-control-allow-origin", allowedOrigin);
    }
    return reply.setHeader("vary", "Origin");
  });

const etag: HttpMiddleware = (request, next) =>
  mapAwaitable(next(request), (reply) => {
    if (typeof reply.payload !== "string") return reply;
    const tag = etagOf(reply.payload);
    reply.setHeader("etag", tag);
    if (request.method === "GET" && isFresh(request.headers.get("if-none-match"), tag)) {
      reply.status = 304;
      reply.payload = null;
    }
    return reply;
  });

/** Turns the five middlewares on, the outermost first. */
export const enableFive = (app: App): App => app.use(logging).use(security).use(cors).use(etag);
