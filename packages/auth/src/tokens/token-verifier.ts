import type { Claims, Clock } from "@framework/core/feature";
import { areAcceptable, areInForce } from "./check-claims.ts";
import { parseCompactToken } from "../jose/compact-token.ts";
import { deepFreeze, parseJsonObject } from "../jose/json-object.ts";
import type { JwtConfig } from "./jwt-config.ts";
import type { SigningKey } from "../jose/signature.ts";
import type { TokenStore } from "../token-store/token-store.ts";
import type { TokenTools } from "./token-tools.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

/** Purpose of a token by its `typ`, so that neither kind can replace the other (RFC 8725 3.11). */
export type TokenKind = "access" | "refresh";

/** `typ` of refresh tokens. */
export const REFRESH_TYPE = "refresh+jwt";

/** Claim that links all tokens of one login. */
export const FAMILY_CLAIM = "refresh_family";

/** Claim of a refresh token: the number of earlier renewals of its login. */
export const GENERATION_CLAIM = "refresh_generation";

const kinds: Readonly<Record<TokenKind, readonly string[]>> = {
  access: ["", "jwt", "at+jwt"],
  refresh: [REFRESH_TYPE],
};

/** Verifies tokens: signature, claims, times and revocation. */
export class TokenVerifier {
  private readonly config: JwtConfig;
  private readonly clock: Clock;
  private readonly verified: VerifiedTokens;

  constructor(config: JwtConfig, clock: Clock) {
    this.config = config;
    this.clock = clock;
    this.verified = new VerifiedTokens(config.cachedTokens);
  }

  /** Returns the claims of a valid token, `null` for any other. @throws HttpError 503 when the key set or the store is unavailable */
  async verify(text: string, kind: TokenKind, tools: TokenTools, store: TokenStore): Promise<Claims | null> {
    const claims = await this.signedClaims(text, kind, tools);
    if (claims === null) return null;
    for (const id of idsOf(claims)) if (await store.isRevoked(id)) return null;
    return claims;
  }

  private async signedClaims(text: string, kind: TokenKind, tools: TokenTools): Promise<Claims | null> {
    const { config, clock, verified } = this;
    const generation = tools.generation(); // read once: the key may be withdrawn before the token is cached
    const known = kind === "access" ? verified.get(text, generation) : undefined;
    if (known !== undefined) return areInForce(known, config.leewaySecs, clock.date() / 1000) ? known : null;
    const token = parseCompactToken(text, config.algorithm);
    if (token === null || !kinds[kind].includes(token.typ)) return null;
    const key: SigningKey | null = await tools.keyFor(token.kid);
    const payload = key === null ? null : await tools.signatures.verify(token, key);
    const claims = payload === null ? null : parseJsonObject(payload);
    if (claims === null || !areAcceptable(claims, config, clock.date() / 1000)) return null;
    const trusted = deepFreeze(claims as Claims); // `areAcceptable` checked every claim of the type
    if (kind === "access") verified.set(text, trusted, generation);
    return trusted;
  }
}

/** Returns the ids in the token store by which a token can be revoked: its own, and that of its login. */
export const idsOf = ({ jti, [FAMILY_CLAIM]: family }: Claims): readonly string[] => [
  ...(jti === undefined ? [] : [tokenId(jti)]),
  ...(typeof family === "string" ? [familyId(family)] : []),
];

/** The id of the login of a refresh token, and the number of earlier renewals. */
export interface Lineage {
  readonly family: string;
  readonly generation: number;
}

/** Returns the lineage of a refresh token; `null` without one, as for a token of another issuer with the same key. */
export const lineageOf = ({
  [FAMILY_CLAIM]: family,
  [GENERATION_CLAIM]: generation,
}: Claims): Lineage | null =>
  typeof family === "string" && isGeneration(generation) ? { family, generation } : null;

const isGeneration = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < MAX_GENERATIONS;

/** A login that is renewed every second reaches this after 34,000 years. */
const MAX_GENERATIONS = 2 ** 40;

/** Creates a `jti`. It begins with the family, if any, so that the `jti` alone suffices to check whether the login was revoked. */
export const newTokenId = (family: string | undefined): string =>
  `${family === undefined ? "" : `${family}.`}${crypto.randomUUID()}`;

/** Returns the ids of `idsOf` for a `jti` alone: its own, and that of its login if it contains the family. */
export const idsOfTokenId = (jti: string): readonly string[] => {
  const [, family] = /^([\da-f-]{36})\.[\da-f-]{36}$/.exec(jti) ?? [];
  return [tokenId(jti), ...(family === undefined ? [] : [familyId(family)])];
};

export const tokenId = (jti: string): string => `jti:${jti}`;
export const familyId = (family: string): string => `family:${family}`;
