import { createHmac } from "node:crypto";
import type { Call } from "../client/call.ts";
import { AUDIENCE, ISSUER, SECRET } from "../servers/jwt/rules.ts";

/** Every token names a subject of this length. */
export const SUBJECT = "user-1000";

const COUNT = 2000;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token in compact form, HS256. */
const signed = (claims: object, secret = SECRET): string => {
  const input = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`;
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
  signed(claimsOf(`user-${1000 + at}`)),
);

/** A few of them, which come again and again. */
export const repeatedTokens: readonly string[] = tokens.slice(0, 8);

/** Tokens that no server may accept: expired, signed with another secret, of another issuer, for another audience. */
export const refusedTokens: readonly string[] = [
  signed({ ...claimsOf(SUBJECT), exp: now - 3600 }),
  signed(claimsOf(SUBJECT), `${SECRET} of somebody else`),
  signed({ ...claimsOf(SUBJECT), iss: "https://other.example" }),
  signed({ ...claimsOf(SUBJECT), aud: "https://other.example" }),
];

/** A request with a token. */
export const bearer = (token: string): Call => ({
  path: "/me",
  fields: { Authorization: `Bearer ${token}` },
});
