import type { ConfigInput } from "@framework/core/feature";
import type { JwtConfig } from "../index.ts";
import { ec, ed, forge, validClaims, pem, rsa, secret, signedBy } from "./forge.test-kit.ts";

/** Names of the configurations: algorithms, and `strict` with additional rules. */
export type ConfigName = "HS256" | "RS256" | "ES256" | "EdDSA" | "strict";

export const configs: Readonly<Record<ConfigName, ConfigInput<JwtConfig>>> = {
  HS256: { secret },
  RS256: { algorithm: "RS256", publicKey: pem(rsa.publicKey) },
  ES256: { algorithm: "ES256", publicKey: pem(ec.publicKey) },
  EdDSA: { algorithm: "EdDSA", publicKey: pem(ed.publicKey) },
  strict: {
    secret,
    issuer: "https://id.example",
    audience: ["api", "web"],
    requiredClaims: ["sub", "tenant"],
  },
};

const goodHeaders = {
  HS256: { alg: "HS256" },
  RS256: { alg: "RS256" },
  ES256: { alg: "ES256" },
  EdDSA: { alg: "EdDSA" },
};

/** A valid token for each configuration. */
export const validTokens: Readonly<Record<ConfigName, string>> = {
  HS256: forge(goodHeaders.HS256),
  RS256: forge(goodHeaders.RS256, validClaims, signedBy(rsa.privateKey)),
  ES256: forge(goodHeaders.ES256, validClaims, signedBy(ec.privateKey)),
  EdDSA: forge(goodHeaders.EdDSA, validClaims, signedBy(ed.privateKey, null)),
  strict: forge(goodHeaders.HS256, {
    ...validClaims,
    iss: "https://id.example",
    aud: ["x", "web"],
    tenant: 1,
  }),
};
