import { timingSafeEqual, createHash } from "node:crypto";
import { JwtAuth } from "@framework/auth";
import { UnauthorizedError } from "@framework/core";
import { z } from "zod";
import type { BooksApp } from "./books-app.ts";
import type { BooksSettings } from "./settings.ts";

const Login = z.object({ user: z.string().min(1).max(100), password: z.string().max(200) });
const Refused = z.object({ error: z.string(), detail: z.string(), status: z.literal(401) });
const Token = z.object({ token: z.string() });

/**
 * Protection of writes: none, or with `BOOKS_SECRET` a token that `POST /token` issues for the password.
 *
 * One shared password is for demonstration; a real service has users or a token issuer.
 */
export const protect = (app: BooksApp, { secret, password }: BooksSettings): readonly JwtAuth[] => {
  if (secret === undefined || password === undefined) return [];
  const auth = new JwtAuth({ secret: secret.reveal(), expiration: 3600 });
  app.post(
    "/token",
    { summary: "Get a token", body: Login, responses: { 200: Token, 401: Refused } },
    async ({ input }) => {
      if (!isSame(input.body.password, password.reveal())) throw new UnauthorizedError("Invalid credentials");
      return { token: await auth.createToken({ sub: input.body.user }) };
    },
  );
  return [auth];
};

const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
