import type { JwtAuth } from "@framework/auth";
import type { Secret } from "@framework/config";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import { checkPassword, Login, Refused } from "./password.ts";

const Token = z.object({ token: z.string() });

/** `POST /token`: a bearer token for a program. */
export const tokenRoute = (app: BooksApp, jwt: JwtAuth, password: Secret): void => {
  app.post(
    "/token",
    { summary: "Get a token", body: Login, responses: { 200: Token, 401: Refused } },
    async ({ input: { body } }) => {
      checkPassword(body.password, password);
      return { token: await jwt.createToken({ sub: body.user }) };
    },
  );
};
