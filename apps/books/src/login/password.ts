import { sameSecret } from "@framework/auth";
import type { Secret } from "@framework/config";
import { UnauthorizedError } from "@framework/core";
import { z } from "zod";
import { text } from "../fields.ts";

/** What a login sends. */
export const Login = z.object({ user: text(100).min(1), password: z.string().max(200) });

/** The reply to a wrong password. */
export const Refused = z.object({ error: z.string(), detail: z.string(), status: z.literal(401) });

/** Compares a password in constant time. @throws UnauthorizedError for another one */
export const checkPassword = (given: string, wanted: Secret): void => {
  if (!sameSecret(given, wanted.reveal())) throw new UnauthorizedError("Invalid credentials");
};
