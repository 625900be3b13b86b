import { addVary } from "@framework/core/feature";
import { type HttpRequest, Response } from "@framework/core";
import type { UsedField } from "./auth-fields.ts";
import type { CorsConfig } from "./cors-config.ts";

/** Sets the reply fields of one configuration; their values are computed once. */
export interface CorsFields {
  /** Creates the reply to a preflight. */
  preflight(origin: string): Response;
  /** Adds the CORS fields for `origin` to any other reply. */
  allow(origin: string | null, reply: Response): Response;
  /** Whether the configuration lists this origin. */
  lists(origin: string): boolean;
}

const preflightVary = ["Access-Control-Request-Method", "Access-Control-Request-Headers"];

/** Computes the reply fields. @param used header fields of features, allowed and exposed in addition to those of the configuration */
export const corsFields = (config: CorsConfig, used: readonly UsedField[]): CorsFields => {
  const { maxAge, credentials } = config;
  const allowsAll = config.origins.includes("*");
  const origins = new Set(config.origins);
  let lastAllowed: string | null = null; // most requests come from one origin, which then needs no Set lookup
  const allowedOrigin = (origin: string): string | null => {
    if (origin === lastAllowed) return lastAllowed;
    if (!origins.has(origin)) return null;
    lastAllowed = origin;
    return origin;
  };
  const methods = config.methods.join(", ");
  const headers = withUsed(
    config.headers,
    used.filter((each) => each.in === "request"),
  );
  const exposed = withUsed(
    config.exposeHeaders,
    used.filter((each) => each.in !== "request"),
  );

  /** Sets the allowed origin and `Vary`; returns whether `origin` is allowed. */
  const setOrigin = (origin: string | null, reply: Response): boolean => {
    if (allowsAll) {
      reply.setHeader("access-control-allow-origin", "*");
      return true;
    }
    addVary(reply.headers, "Origin");
    const allowed = origin === null ? null : allowedOrigin(origin);
    if (allowed !== null) {
      reply.setHeader("access-control-allow-origin", allowed);
      if (credentials) reply.setHeader("access-control-allow-credentials", "true");
    } else reply.headers.delete("access-control-allow-origin");
    // Fields set by the handler would bypass the configuration.
    if (allowed === null || !credentials) reply.headers.delete("access-control-allow-credentials");
    return allowed !== null;
  };

  return {
    lists: (origin) => origins.has(origin),
    preflight(origin) {
      const reply = Response.noContent();
      if (setOrigin(origin, reply)) {
        if (methods !== "") reply.setHeader("access-control-allow-methods", methods);
        if (headers !== "") reply.setHeader("access-control-allow-headers", headers);
        reply.setHeader("access-control-max-age", String(maxAge));
      }
      addVary(reply.headers, ...preflightVary);
      return reply;
    },
    allow(origin, reply) {
      if (setOrigin(origin, reply) && exposed !== "")
        reply.appendHeader("access-control-expose-headers", exposed); // the handler may expose others
      return reply;
    },
  };
};

/** Joins the configured and the used names; sorts the used ones, so that the order of features does not change replies. */
const withUsed = (configured: readonly string[], used: readonly UsedField[]): string => {
  const names = new Map(configured.map((name) => [name.toLowerCase(), name]));
  const isCovered = (name: string): boolean => names.has("*") && name.toLowerCase() !== NON_WILDCARD_NAME;
  for (const name of used.map((field) => field.name).toSorted())
    if (!isCovered(name)) names.set(name.toLowerCase(), name);
  return [...names.values()].join(", ");
};

/** The field that `*` does not allow (Fetch standard, "CORS non-wildcard request-header name"). */
const NON_WILDCARD_NAME = "authorization";

/** Whether the request is a preflight (Fetch standard, "CORS-preflight request"); a plain OPTIONS request reaches the app. */
export const isPreflight = (request: HttpRequest, origin: string | null): origin is string =>
  request.method === "OPTIONS" &&
  origin !== null &&
  request.getHeader("access-control-request-method") !== null;
