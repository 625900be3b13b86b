import type { Claims } from "@framework/core/feature";
import { authError } from "../errors.ts";
import { maxTokenLength } from "../jose/compact-token.ts";
import { parseJsonObject } from "../jose/json-object.ts";
import type { JwtConfig } from "./jwt-config.ts";
import { familyClaim, refreshType } from "./token-verifier.ts";
import type { TokenTools } from "./token-tools.ts";

/** Claims of a new token; times and id are added. */
export interface NewClaims {
  /** Subject of the token. */
  readonly sub: string;
  readonly iat?: never;
  readonly exp?: never;
  readonly jti?: never;
  readonly [claim: string]: unknown;
}

/** A short-lived token for requests, and a refresh token for the next pair. */
export interface TokenPair {
  readonly token: string;
  readonly refreshToken: string;
  /** Lifetime of `token`, in seconds. */
  readonly expiresIn: number;
}

/** Claims that only `JwtAuth` sets. */
const reserved = ["iat", "exp", "jti", familyClaim];

/** Signs tokens of one configuration. */
export class TokenIssuer {
  private readonly config: JwtConfig;
  private readonly now: () => number;

  constructor(config: JwtConfig, now: () => number) {
    this.config = config;
    this.now = now;
  }

  /** Creates a token for requests. @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN */
  access(tools: TokenTools, claims: NewClaims, family?: string): Promise<string> {
    return this.sign(tools, claims, { typ: "JWT", lifeSecs: this.config.expiration, family });
  }

  /** Creates a pair of one family. @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN */
  async pair(tools: TokenTools, claims: NewClaims, family: string): Promise<TokenPair> {
    const { expiration, refreshExpiration } = this.config;
    const token = await this.access(tools, claims, family);
    const refreshToken = await this.sign(tools, claims, {
      typ: refreshType,
      lifeSecs: refreshExpiration,
      family,
    });
    return { token, refreshToken, expiresIn: expiration };
  }

  private async sign(
    { signatures, signingKey }: TokenTools,
    claims: NewClaims,
    {
      typ,
      lifeSecs,
      family,
    }: { readonly typ: string; readonly lifeSecs: number; readonly family: string | undefined },
  ): Promise<string> {
    if (signingKey === undefined)
      throw authError("AUTH_CANNOT_SIGN", "creating tokens needs JwtConfig.secret or JwtConfig.privateKey");
    const { issuer: iss, audience: aud, keyId: kid } = this.config;
    const iat = Math.floor(this.now() / 1000);
    const all = {
      iss,
      aud,
      ...checked(claims),
      iat,
      exp: iat + lifeSecs,
      jti: crypto.randomUUID(),
      [familyClaim]: family,
    };
    const header = kid === undefined ? { typ } : { typ, kid };
    const token = await signatures.sign(toJson(all), header, signingKey);
    if (token.length <= maxTokenLength) return token;
    throw authError(
      "AUTH_BAD_CLAIMS",
      `the claims make a token of ${token.length} characters; at most ${maxTokenLength} are accepted`,
    );
  }
}

/** Returns the claims of a token without its times and ids. */
export const carriedClaims = (claims: Claims): NewClaims => {
  const own = Object.entries(claims).filter(([name]) => !reserved.includes(name) && name !== "nbf");
  return { ...Object.fromEntries(own), sub: claims.sub };
};

const checked = (claims: NewClaims): NewClaims => {
  const taken = reserved.filter((name) => claims[name] !== undefined);
  if (taken.length > 0) throw authError("AUTH_BAD_CLAIMS", `${taken.join(", ")} are set by JwtAuth itself`);
  if (typeof claims.sub === "string" && claims.sub !== "") return claims;
  throw authError("AUTH_BAD_CLAIMS", "a token needs sub, the name of its subject");
};

const toJson = (claims: Readonly<Record<string, unknown>>): string => {
  let text: string;
  try {
    text = JSON.stringify(claims);
  } catch (cause) {
    throw authError("AUTH_BAD_CLAIMS", "the claims cannot be serialised as JSON", cause);
  }
  if (parseJsonObject(new TextEncoder().encode(text)) !== null) return text;
  throw authError("AUTH_BAD_CLAIMS", "the claims are nested too deeply");
};
