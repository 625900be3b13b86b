import { createHmac } from "node:crypto";
import type { Call } from "../client/call.ts";
import { AUDIENCE, ISSUER, SECRET } from "../servers/jwt/rules.ts";

/** Subject of the first token; all subjects have the same length. */
export const SUBJECT = "user-1000";

const COUNT = 2000;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs a token in compact form with HS256. */
const sign = (claims: object, secret = SECRET): string => {
  const input = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
};

const now = Math.floor(Date.now() / 1000);
const claimsOf = (sub: string) => ({
  sub,
  iss: ISSUER,
  aud: AUDIENCE,
  iat: now - 60,
  exp: now + 86_400,
  roles: ["reader", "editor"],
});

/** Valid tokens of different subjects. */
export const tokens: readonly string[] = Array.from({ length: COUNT }, (_, at) =>
  sign(claimsOf(`user-${1000 + at}`)),
);

/** The tokens that are sent repeatedly. */
export const repeatedTokens: readonly string[] = tokens.slice(0, 8);

/** Tokens that every server must reject: expired, or with another secret, issuer or audience. */
export const rejectedTokens: readonly string[] = [
  sign({ ...claimsOf(SUBJECT), exp: now - 3600 }),
  sign(claimsOf(SUBJECT), `${SECRET} of another issuer`),
  sign({ ...claimsOf(SUBJECT), iss: "https://other.example" }),
  sign({ ...claimsOf(SUBJECT), aud: "https://other.example" }),
];

/** Creates a request with a token. */
export const bearer = (token: string): Call => ({
  path: "/me",
  fields: { Authorization: `Bearer ${token}` },
});
