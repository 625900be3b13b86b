import { jwtVerify } from "jose";
import { ALGORITHM, AUDIENCE, ISSUER, SECRET } from "./rules.ts";

const key = await crypto.subtle.importKey(
  "raw",
  new TextEncoder().encode(SECRET),
  { name: "HMAC", hash: "SHA-256" },
  false,
  ["verify"],
);

const rules = {
  algorithms: [ALGORITHM],
  issuer: ISSUER,
  audience: AUDIENCE,
  requiredClaims: ["exp", "sub"],
};

/** Verifies the token of an Authorization field with `jose`; returns its subject, or null if it must be rejected. */
export const subjectOf = async (authorization: string | undefined): Promise<string | null> => {
  if (authorization === undefined || !authorization.startsWith("Bearer ")) return null;
  try {
    return (await jwtVerify(authorization.slice(7), key, rules)).payload.sub ?? null;
  } catch {
    return null; // the reason is not sent to clients
  }
};
