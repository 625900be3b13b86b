import type { Logger } from "@framework/core";
import type { Claims } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import { areAcceptable, areInForce } from "./check-claims.ts";
import { parseCompactToken } from "../jose/compact-token.ts";
import { frozen, parseJsonObject } from "../jose/json-object.ts";
import type { JwtConfig } from "./jwt-config.ts";
import type { SigningKey } from "../jose/signature.ts";
import type { TokenStore } from "../token-store/token-store.ts";
import type { TokenTools } from "./token-tools.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

/** Purpose of a token by its `typ`, so that neither kind can replace the other (RFC 8725 3.11). */
export type TokenKind = "access" | "refresh";

/** `typ` of refresh tokens. */
export const refreshType = "refresh+jwt";

/** Claim that links all tokens of one login. */
export const familyClaim = "refresh_family";

const kinds: Readonly<Record<TokenKind, readonly string[]>> = {
  access: ["", "jwt", "at+jwt"],
  refresh: [refreshType],
};

/** Verifies tokens: signature, claims, times and revocation. */
export class TokenVerifier {
  private readonly config: JwtConfig;
  private readonly now: () => number;
  private readonly verified: VerifiedTokens;

  constructor(config: JwtConfig, now: () => number) {
    this.config = config;
    this.now = now;
    this.verified = new VerifiedTokens(config.cachedTokens);
  }

  /** Returns the claims, `null` for an invalid token. @throws HttpError 503 when it cannot be checked */
  async verify(
    text: string,
    kind: TokenKind,
    tools: TokenTools,
    store: TokenStore,
    log: Logger,
  ): Promise<Claims | null> {
    const claims = await this.signedClaims(text, kind, tools);
    if (claims === null) return null;
    try {
      for (const id of idsOf(claims)) if (await store.isRevoked(id)) return null;
    } catch (error) {
      log.error("the token store failed and the request was refused", { error });
      throw unavailable("AUTH_STORE_UNAVAILABLE", error);
    }
    return claims;
  }

  private async signedClaims(text: string, kind: TokenKind, tools: TokenTools): Promise<Claims | null> {
    const { config, now, verified } = this;
    const known = kind === "access" ? verified.get(text, tools.generation()) : undefined;
    if (known !== undefined) return areInForce(known, config.leewaySecs, now() / 1000) ? known : null;
    const token = parseCompactToken(text, config.algorithm);
    if (token === null || !kinds[kind].includes(token.typ)) return null;
    const key: SigningKey | null = await tools.keyFor(token.kid);
    const payload = key === null ? null : await tools.signatures.verify(token, key);
    const claims = payload === null ? null : parseJsonObject(payload);
    if (claims === null || !areAcceptable(claims, config, now() / 1000)) return null;
    const trusted = frozen(claims as Claims); // `areAcceptable` checked every claim of the type
    if (kind === "access") verified.set(text, trusted, tools.generation());
    return trusted;
  }
}

/** Returns the revocable ids of a token: its own, and that of its login. */
export const idsOf = ({ jti, [familyClaim]: family }: Claims): readonly string[] => [
  ...(jti === undefined ? [] : [tokenId(jti)]),
  ...(typeof family === "string" ? [familyId(family)] : []),
];

export const tokenId = (jti: string): string => `jti:${jti}`;
export const familyId = (family: string): string => `family:${family}`;
