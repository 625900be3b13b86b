import { type Claims, type Clock, givenFields, type JsonReport, jsonWriter } from "@framework/core/feature";
import { authError } from "../errors.ts";
import { MAX_TOKEN_LENGTH } from "../jose/compact-token.ts";
import { parseJsonObject } from "../jose/json-object.ts";
import { type RawClaims, invalidClaim } from "./check-claims.ts";
import type { JwtConfig } from "./jwt-config.ts";
import { FAMILY_CLAIM, GENERATION_CLAIM, type Lineage, newTokenId, REFRESH_TYPE } from "./token-verifier.ts";
import type { TokenTools } from "./token-tools.ts";

/** Claims of a new token; times and id are added. */
export interface NewClaims {
  /** Subject of the token. */
  readonly sub: string;
  /** Set by the issuer. */
  readonly iat?: never;
  /** Set by the issuer. */
  readonly exp?: never;
  /** Set by the issuer. */
  readonly jti?: never;
  readonly [claim: string]: unknown;
}

/** A short-lived token for requests, and a refresh token for the next pair. */
export interface TokenPair {
  /** The access token. */
  readonly token: string;
  /** Token for `refreshToken`, valid once. */
  readonly refreshToken: string;
  /** Lifetime of `token`, in seconds. */
  readonly expiresIn: number;
}

/** Claims that only `JwtAuth` sets. */
const reserved = ["iat", "exp", "jti", FAMILY_CLAIM, GENERATION_CLAIM];

/** Type, lifetime and lineage of a new token. */
interface TokenShape {
  readonly typ: string;
  readonly lifetimeSecs: number;
  readonly lineage?: Partial<Lineage>;
}

/** Signs tokens of one configuration. */
export class TokenIssuer {
  private readonly config: JwtConfig;
  private readonly clock: Clock;

  constructor(config: JwtConfig, clock: Clock) {
    this.config = config;
    this.clock = clock;
  }

  /** Creates a token for requests. @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN */
  access(tools: TokenTools, claims: NewClaims, lineage: Partial<Lineage> = {}): Promise<string> {
    return this.sign(tools, claims, { typ: "JWT", lifetimeSecs: this.config.expiration, lineage });
  }

  /** Creates a pair of one login. @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN */
  async pair(tools: TokenTools, claims: NewClaims, lineage: Lineage): Promise<TokenPair> {
    const { expiration, refreshExpiration } = this.config;
    const token = await this.access(tools, claims, { family: lineage.family });
    const shape = { typ: REFRESH_TYPE, lifetimeSecs: refreshExpiration, lineage };
    const refreshToken = await this.sign(tools, claims, shape);
    return { token, refreshToken, expiresIn: expiration };
  }

  private async sign(
    { signatures, signingKey }: TokenTools,
    claims: NewClaims,
    { typ, lifetimeSecs, lineage = {} }: TokenShape,
  ): Promise<string> {
    if (signingKey === undefined)
      throw authError(
        "AUTH_CANNOT_SIGN",
        "creating tokens requires JwtConfig.secret or JwtConfig.privateKey",
      );
    const { issuer: iss, audience: aud, keyId: kid } = this.config;
    const iat = Math.floor(this.clock.date() / 1000);
    const all = {
      iss,
      aud,
      ...givenClaims(claims),
      iat,
      exp: iat + lifetimeSecs,
      jti: newTokenId(lineage.family),
      [FAMILY_CLAIM]: lineage.family,
      [GENERATION_CLAIM]: lineage.generation,
    };
    const header = kid === undefined ? { typ } : { typ, kid };
    const token = await signatures.sign(toJson(all, this.config), header, signingKey);
    if (token.length <= MAX_TOKEN_LENGTH) return token;
    throw authError(
      "AUTH_BAD_CLAIMS",
      `the claims make a token of ${token.length} characters; at most ${MAX_TOKEN_LENGTH} are accepted`,
    );
  }
}

/** Returns the claims of a token, except claims that only `JwtAuth` sets. */
export const carriedClaims = (claims: Claims): NewClaims => {
  const own = Object.entries(claims).filter(([name]) => !reserved.includes(name));
  return { ...Object.fromEntries(own), sub: claims.sub };
};

const checkClaims = (claims: NewClaims): NewClaims => {
  if (typeof claims !== "object" || claims === null)
    throw authError("AUTH_BAD_CLAIMS", 'the claims of a new token must be an object, such as { sub: "ann" }');
  const taken = reserved.filter((name) => claims[name] !== undefined);
  if (taken.length > 0) throw authError("AUTH_BAD_CLAIMS", `${taken.join(", ")} are set by JwtAuth itself`);
  if (typeof claims.sub === "string" && claims.sub !== "") return claims;
  throw authError("AUTH_BAD_CLAIMS", "a token needs sub, the name of its subject");
};

/** Returns the claims that have a value: `undefined` must not replace the configured issuer or audience. */
const givenClaims = (claims: NewClaims): RawClaims => givenFields(checkClaims(claims));

/** Reports values that JSON loses as errors: a `Set` of roles would become {} in the token, NaN null. */
const failOnLoss: JsonReport = {
  debug: true,
  exact: true,
  log: { warn() {} },
  code: "AUTH_BAD_CLAIMS",
};

/** Returns claims as JSON. Throws for claims that the same configuration would always refuse: the login would return a useless token. */
const toJson = (claims: RawClaims, config: JwtConfig): string => {
  const text = jsonWriter("auth: the claims of a new token", failOnLoss)(claims);
  const received = parseJsonObject(new TextEncoder().encode(text));
  if (received === null) throw authError("AUTH_BAD_CLAIMS", "the claims are nested too deeply");
  const invalid = invalidClaim(received, config) ?? (isNeverInForce(received, config) ? "nbf" : null);
  if (invalid === null) return text;
  throw authError(
    "AUTH_BAD_CLAIMS",
    `this JwtAuth would refuse the token because of the claim ${invalid}: ${needs[invalid] ?? "JwtConfig.requiredClaims lists it"}`,
  );
};

const isNeverInForce = ({ exp, nbf }: RawClaims, { leewaySecs }: JwtConfig): boolean =>
  typeof exp === "number" && typeof nbf === "number" && nbf - leewaySecs >= exp + leewaySecs;

/** Requirements of the claims of a new token, for messages. */
const needs: Readonly<Record<string, string>> = {
  iss: "it must be JwtConfig.issuer, the default if it is omitted",
  aud: "it must name one of JwtConfig.audience, the default if it is omitted",
  nbf: "it must be a time in Unix seconds, before the token expires",
};
