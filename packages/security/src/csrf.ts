import { randomBytes } from "node:crypto";
import {
  type AppSettings,
  FrameworkError,
  type HttpRequest,
  type Middleware,
  type Response,
  type RouteInfo,
} from "@framework/core";
import {
  type ConfigInput,
  coversPath,
  type Feature,
  type FieldUse,
  type ImpliedReply,
  isPromise,
  mapOutput,
  waitsOnce,
} from "@framework/core/feature";
import { CsrfConfig } from "./csrf-config.ts";
import { CsrfGuard, ActiveGuard, safeMethods } from "./csrf-guard.ts";
import { csrfTokens } from "./csrf-tokens.ts";

/** The methods that the feature adds to an app. */
export interface Csrf {
  /** Rejects cross-site request forgery. @throws CORE_BAD_CONFIG at start, together with all other configuration errors */
  enableCsrf(config?: ConfigInput<CsrfConfig>): this;
}

/**
 * Protection against cross-site request forgery: Fetch metadata and `Origin`, and a signed double-submit token.
 *
 * @example
 * const app = new (App.with(csrf))().enableCsrf({ secret: process.env.CSRF_SECRET, skipPaths: ["/webhooks"] });
 */
export const csrf: Feature<Csrf> = {
  name: "csrf",
  install: (host) => ({
    enableCsrf(input) {
      const config = host.configure(CsrfConfig, input);
      let guard: CsrfGuard | null = null;
      const begin = async (settings: AppSettings): Promise<void> => {
        const secret = config.secret ?? (await sharedSecret(settings));
        guard = new CsrfGuard(config, csrfTokens(secret, config.maxAge), host.insight.reasons);
      };
      const skips = coversPath(config.skipPaths);
      const isProtected = ({ method, path }: Pick<RouteInfo, "method" | "path">): boolean =>
        !safeMethods.has(method) && !skips(path);
      host.http.impliesReplies((route) => (isProtected(route) ? [badToken] : []));
      host.http.usesFields((route) => (isProtected(route) ? [tokenField(config)] : []));
      host.life.onStart({ name: "csrf", run: begin });
      const checking: Middleware<HttpRequest, Response> = (request, next) =>
        guard === null ? next(request) : guardRequest(guard, request, next);
      const confirming: Middleware<HttpRequest, Response> = (request, next) => {
        guard?.confirm(request);
        return next(request);
      };
      host.http.use("csrf", waitsOnce(checking)).use("identity", waitsOnce(confirming));
      return this;
    },
  }),
};

const badToken: ImpliedReply = {
  status: 403,
  description: "The request comes from another origin, or its CSRF token is missing or invalid.",
};

const tokenField = ({ headerName }: CsrfConfig): FieldUse => ({
  name: headerName,
  in: "request",
  description: "CSRF token, from browsers that do not send it in a form.",
  type: "string",
});

/**
 * Returns the token of a request, for a form's `_csrf` field or a `<meta>` element. If the browser has no valid token, the reply sets this one as a cookie.
 *
 * @throws SECURITY_CSRF_NOT_ENABLED without `enableCsrf`, or before the stage `csrf`; SECURITY_CSRF_BAD_SESSION
 */
export const csrfToken = (request: HttpRequest): string => guardOf(request).token(request);

/**
 * Returns a new token with a new seed; the reply sets its cookie. For handlers that log users in or out.
 *
 * @param session session id of the new login, or the string that `CsrfConfig.session` will return for the next request; `null` after a logout
 * @param caller caller that authentication will find in the next request: `sub` of a JWT, or the user name; ignored with `CsrfConfig.session`. @default null
 * @throws SECURITY_CSRF_NOT_ENABLED without `enableCsrf`, or before the stage `csrf`
 */
export const rotateCsrfToken = (
  request: HttpRequest,
  session: string | null,
  caller: string | null = null,
): string => guardOf(request).rotate(request, session, caller);

const guardOf = ({ context }: HttpRequest): CsrfGuard => {
  const guard = context.get(ActiveGuard);
  if (guard !== null) return guard;
  throw new FrameworkError(
    "SECURITY_CSRF_NOT_ENABLED",
    "security: call enableCsrf() before csrfToken or rotateCsrfToken",
  );
};

type Next = Parameters<Middleware<HttpRequest, Response>>[1];

const guardRequest = (guard: CsrfGuard, request: HttpRequest, next: Next): ReturnType<Next> => {
  request.context.set(ActiveGuard, guard);
  const checked = guard.check(request);
  if (isPromise(checked)) return checked.then(() => handleRequest(guard, request, next));
  return handleRequest(guard, request, next);
};

const handleRequest = (guard: CsrfGuard, request: HttpRequest, next: Next): ReturnType<Next> => {
  const session = guard.sessionOf(request);
  return mapOutput(next(request), (response) => guard.finish(request, response, session), null);
};

const SECRET_KEY = "security:csrf-secret";
/** Time to live of the random secret: longer than the lifetime of a service. */
const TEN_YEARS_MS = 315_360_000_000;

/** Returns a random secret shared by all workers. */
const sharedSecret = async ({ shared: { values }, env, log }: AppSettings): Promise<string> => {
  const proposed = randomBytes(32).toString("base64url");
  const isFirst = await values.set(SECRET_KEY, proposed, { ttlMs: TEN_YEARS_MS, ifAbsent: true });
  if (env === "production" && isFirst && !values.isPersistent) {
    const message = "CSRF tokens are valid only on this host until the service stops; set CsrfConfig.secret";
    log.warn(message, { code: "SECURITY_CSRF_SECRET" });
  }
  const stored = await values.get(SECRET_KEY);
  return typeof stored === "string" ? stored : proposed;
};
