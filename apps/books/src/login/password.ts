import { isSameSecret } from "@framework/auth";
import type { Secret } from "@framework/config";
import { UnauthorizedError } from "@framework/core";
import { z } from "zod";
import { text } from "../fields.ts";

/** Body of a login. */
export const Login = z.object({ user: text(100).min(1), password: z.string().max(200) });

/** The reply to a wrong password. */
export const Refused = z.object({ error: z.string(), detail: z.string(), status: z.literal(401) });

/** Checks a password, in constant time. @throws UnauthorizedError when it is wrong */
export const checkPassword = (password: string, expected: Secret): void => {
  if (!isSameSecret(password, expected.reveal())) throw new UnauthorizedError("Invalid credentials");
};
