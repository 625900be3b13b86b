import { hkdfSync } from "node:crypto";
import { anyOf, JwtAuth } from "@framework/auth";
import type { HttpMiddleware } from "@framework/core";
import { sqlTokenStore } from "@framework/database";
import { databaseSessions } from "@framework/sessions/database";
import type { BooksApp } from "../books-app.ts";
import type { BooksSettings } from "../settings.ts";
import { sessionRoutes } from "./session-routes.ts";
import { tokenRoute } from "./token-route.ts";

/** Protection of writes; both lists are empty without a secret. */
export interface Protection {
  /** Middleware of the routes that write: accepts a token or a session. */
  readonly routes: readonly HttpMiddleware[];
  /** Authentication by token, for GraphQL and gRPC, which have no sessions. */
  readonly tokens: readonly JwtAuth[];
}

/**
 * Protects writes if `BOOKS_SECRET` is set: programs need a token (`POST /token`), browsers a session (`POST /session`).
 *
 * The shared password is only for demonstration; a real service has users or a token issuer.
 */
export const protect = (app: BooksApp, { secret, password }: BooksSettings): Protection => {
  if (secret === undefined || password === undefined) return { routes: [], tokens: [] };
  const jwt = new JwtAuth({ secret: secret.reveal(), expiration: 3600, store: sqlTokenStore(app.db) });
  app
    .enableSessions({ store: databaseSessions(app.db), skipPaths: ["/static", "/health", "/metrics"] })
    // GraphQL reads no cookies, and `/token` needs the password: neither accepts a forged cross-site request.
    .enableCsrf({ secret: keyFrom(secret.reveal(), "csrf"), skipPaths: ["/token", "/graphql"] });
  tokenRoute(app, jwt, password);
  app.registerBlueprint(sessionRoutes(app, password));
  return { routes: [anyOf(app.sessions.auth, jwt)], tokens: [jwt] };
};

/** Derives a key for one purpose, so that a signature made for one purpose is invalid for another. */
const keyFrom = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
