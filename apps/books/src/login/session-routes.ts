import { AuthenticatedGuard } from "@framework/auth";
import type { Secret } from "@framework/config";
import { Blueprint, Response } from "@framework/core";
import { sessionOf } from "@framework/sessions";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import { checkPassword, Login, Refused } from "./password.ts";

const User = z.object({ user: z.string().nullable() });

/** Routes of sessions, for browsers. Unsafe requests need the CSRF token of the cookie `_csrf`, which changes with the session. */
export const sessionRoutes = (app: BooksApp, password: Secret): Blueprint<string, BooksApp> => {
  const routes: Blueprint<string, BooksApp> = new Blueprint("", { tags: ["login"] });

  routes.get("/session", { summary: "Get the session", responses: { 200: User } }, (request) => ({
    user: sessionOf(request).user,
  }));

  routes.post(
    "/session",
    {
      summary: "Log in",
      description: "The session gets a new id and a new CSRF token.",
      body: Login,
      responses: { 200: User, 401: Refused },
    },
    async (request) => {
      const { user, password: attempt } = request.input.body;
      checkPassword(attempt, password);
      await sessionOf(request).login(user);
      return { user };
    },
  );

  routes.delete("/session", { summary: "Log out on this device" }, (request) => {
    sessionOf(request).destroy();
    return Response.noContent();
  });

  routes.delete(
    "/sessions",
    { summary: "Log out everywhere", guards: [new AuthenticatedGuard()] },
    async (request) => {
      const session = sessionOf(request);
      if (session.user !== null) await app.sessions.destroyAll(session.user);
      session.destroy();
      return Response.noContent();
    },
  );

  return routes;
};
