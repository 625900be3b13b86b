import { addVary } from "@framework/core/feature";
import { type HttpRequest, Response } from "@framework/core";
import type { CorsConfig } from "./cors-config.ts";

/** The reply fields of one configuration, worked out once. */
export interface CorsFields {
  /** The answer to a preflight, which no other middleware and no route gets to see. */
  preflight(origin: string): Response;
  /** Adds to any other reply what lets a page of `origin` read it. */
  allow(origin: string | null, reply: Response): Response;
  /** Whether the configuration names this very origin. */
  names(origin: string): boolean;
}

const preflightVary = ["Access-Control-Request-Method", "Access-Control-Request-Headers"];

export const corsFields = (config: CorsConfig): CorsFields => {
  const { maxAge, credentials } = config;
  const everyone = config.origins.includes("*");
  const origins = new Set(config.origins);
  let last: string | null = null; // mostly the same page asks, and a look into the set costs more than all fields together
  const allowedOrigin = (origin: string): string | null => {
    if (origin === last) return last;
    if (!origins.has(origin)) return null;
    last = origin;
    return origin;
  };
  const methods = config.methods.join(", ");
  const headers = config.headers.join(", ");
  const exposed = config.exposeHeaders.join(", ");

  /** Says who may read, and that this depends on who asks; tells whether `origin` may. */
  const name = (origin: string | null, reply: Response): boolean => {
    if (everyone) {
      reply.setHeader("access-control-allow-origin", "*");
      return true;
    }
    addVary(reply.headers, "Origin");
    const allowed = origin === null ? null : allowedOrigin(origin);
    if (allowed !== null) {
      reply.setHeader("access-control-allow-origin", allowed);
      if (credentials) reply.setHeader("access-control-allow-credentials", "true");
    } else {
      // A handler's own field would open what the configuration closes.
      reply.headers.delete("access-control-allow-origin");
      reply.headers.delete("access-control-allow-credentials");
    }
    return allowed !== null;
  };

  return {
    names: (origin) => origins.has(origin),
    preflight(origin) {
      const reply = Response.noContent();
      if (name(origin, reply)) {
        if (methods !== "") reply.setHeader("access-control-allow-methods", methods);
        if (headers !== "") reply.setHeader("access-control-allow-headers", headers);
        reply.setHeader("access-control-max-age", String(maxAge));
      }
      addVary(reply.headers, ...preflightVary);
      return reply;
    },
    allow(origin, reply) {
      if (name(origin, reply) && exposed !== "") reply.setHeader("access-control-expose-headers", exposed);
      return reply;
    },
  };
};

/** Whether a browser asks beforehand (Fetch standard, "CORS-preflight request"); a plain OPTIONS is the application's. */
export const isPreflight = (request: HttpRequest, origin: string | null): origin is string =>
  request.method === "OPTIONS" &&
  origin !== null &&
  request.getHeader("access-control-request-method") !== null;
