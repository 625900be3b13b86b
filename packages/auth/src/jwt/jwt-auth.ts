// More than 250 lines, because one class has every method of the interface; other files contain the implementation.
import {
  type AppSettings,
  ConfigurationError,
  type Invocation,
  type Logger,
  type Problem,
  UnauthorizedError,
} from "@framework/core";
import {
  type Claims,
  type Clock,
  type ConfigInput,
  markHandled,
  type Host,
  recordIdentitySource,
  type ImpliedReply,
  JwtClaims,
} from "@framework/core/feature";
import type { SecuritySchemes } from "../auth-description.ts";
import { Authentication } from "../authentication.ts";
import { authError, missingCredentials, unavailableReply } from "../errors.ts";
import { carriedClaims, type NewClaims, TokenIssuer, type TokenPair } from "../tokens/new-token.ts";
import { failClosed } from "../token-store/fail-closed.ts";
import { JoinedStores } from "../token-store/joined-stores.ts";
import { revocationsInMemory, warnOfMemory } from "../token-store/memory-warning.ts";
import type { TokenStore } from "../token-store/token-store.ts";
import { loadTokenTools, type TokenTools } from "../tokens/token-tools.ts";
import {
  FAMILY_CLAIM,
  familyId,
  idsOfTokenId,
  type Lineage,
  lineageOf,
  tokenId,
  type TokenKind,
  TokenVerifier,
} from "../tokens/token-verifier.ts";
import { JwtConfig, MAX_EXPIRATION, partProblems } from "../tokens/jwt-config.ts";
import { jwtSchemes } from "./jwt-schemes.ts";
import { jwtAuthOptions, type JwtAuthOptions } from "./jwt-auth-options.ts";
import { KeySet } from "../jose/key-set.ts";
import { type OwnKeys, readOwnKeys } from "../tokens/own-keys.ts";
import { checkRevocable, isTokenId } from "./revocable.ts";
import { sentToken } from "./sent-token.ts";
import { callUpdate, type UpdateClaims } from "./update-claims.ts";

/**
 * Authenticates callers by a JSON Web Token (RFC 7519), and sets its claims in the context under `JwtClaims`. Also creates, renews and revokes tokens.
 *
 * @example
 * const auth = new JwtAuth({ secret: process.env.JWT_SECRET }).skipPath("/login");
 * app.use(auth);
 * app.post("/login", async () => ({ token: await auth.createToken({ sub: "ann" }) }));
 * @throws at start: CORE_BAD_CONFIG, AUTH_NO_KEY, AUTH_BAD_KEY, AUTH_WEAK_KEY, AUTH_SECRET_IS_KEY, AUTH_BAD_KEY_SET_URL
 */
export class JwtAuth extends Authentication {
  private readonly config: JwtConfig;
  private readonly keys: OwnKeys;
  private readonly problems: readonly Problem[];
  private readonly clock: Clock;
  private readonly keySet: KeySet | undefined;
  private readonly verifier: TokenVerifier;
  private readonly issuer: TokenIssuer;
  private tools: Promise<TokenTools> | undefined;
  /** The default stores of the apps; unused with `JwtConfig.store`. */
  private readonly stores: JoinedStores = new JoinedStores();
  private store: TokenStore | undefined;
  private log: Logger = console;

  constructor(input: ConfigInput<JwtConfig>, options: JwtAuthOptions = {}) {
    super();
    const { value: config, problems } = JwtConfig.read(input);
    const { value: replacements, problems: wrongOptions } = jwtAuthOptions.read(options);
    const { clock, fetch = globalThis.fetch } = replacements;
    this.config = config;
    this.keys = readOwnKeys(config);
    this.problems = [
      ...[...problems, ...wrongOptions].map((message) => ({ code: "CORE_BAD_CONFIG", message })),
      ...partProblems(input),
      ...this.keys.problems,
    ];
    this.clock = clock;
    this.keySet = config.jwksUrl === undefined ? undefined : this.createKeySet(config.jwksUrl, fetch);
    const log = (): Logger => this.log;
    const { store, storeTimeoutMs: timeoutMs } = config;
    this.store = store === undefined ? undefined : failClosed(store, { log, clock, timeoutMs });
    this.verifier = new TokenVerifier(config, clock);
    this.issuer = new TokenIssuer(config, clock);
  }

  /**
   * Creates a token that is valid for `expiration` seconds: the claims, with `iat`, `exp` and `jti`, and the configured issuer and audience.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  createToken(claims: NewClaims): Promise<string> {
    return markHandled(this.tokenOf(claims));
  }

  /**
   * Creates the reply to a login: a token, and a refresh token that is valid for `refreshExpiration` seconds.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  createTokens(claims: NewClaims): Promise<TokenPair> {
    return markHandled(this.firstPair(claims));
  }

  /**
   * Exchanges a refresh token for the next pair. Each is valid once: a reused one, or its successor, was stolen, so all tokens of that login are
   * revoked (RFC 9700 4.14.2).
   *
   * @param update returns the claims of the new pair, for example `{ ...claims, roles }`; it gets the old claims, except claims that only `JwtAuth` sets, and
   * throws to refuse. @default the old claims
   * @throws UnauthorizedError 401, HttpError 503 when the store fails, AUTH_BAD_CLAIMS for claims of `update`, AUTH_NOT_STARTED
   */
  refreshToken(token: string, update?: UpdateClaims): Promise<TokenPair> {
    return markHandled(this.refresh(token, update));
  }

  private async refresh(token: string, update?: UpdateClaims): Promise<TokenPair> {
    const tools = await this.ready();
    // A body may lack the token.
    const claims = await this.verifiedClaims(typeof token === "string" ? token : "", "refresh");
    const lineage = lineageOf(claims);
    if (lineage === null) throw this.invalid();
    const { family, generation } = lineage;
    // Signed before the old token is consumed, so that the old one stays usable if `update` returns invalid claims.
    const carried = carriedClaims(claims);
    const updated = update === undefined ? carried : await callUpdate(update, carried);
    const pair = await this.issuer.pair(tools, updated, { family, generation: generation + 1 });
    await this.consume(claims, lineage);
    return pair;
  }

  /**
   * Revokes a token by its `jti`, or, given claims, all tokens of the same login; claims of a token from `createToken`, which has no login, revoke that token.
   * Once the call resolves, every worker refuses these tokens.
   *
   * @throws AUTH_NOT_STARTED; AUTH_BAD_CLAIMS for a whole token, or for claims without `jti` or `exp`; HttpError 503 when the store fails or is full
   */
  revokeToken(token: string | Claims): Promise<void> {
    return markHandled(this.revoke(token));
  }

  private async revoke(token: string | Claims): Promise<void> {
    const store = this.startedStore();
    checkRevocable(token);
    if (typeof token === "string") return store.revoke(tokenId(token), this.lastExpiryOfAll());
    const { jti, exp, [FAMILY_CLAIM]: family } = token;
    const expiresAt = Math.ceil(exp) + this.config.leewaySecs;
    if (typeof family === "string")
      await store.revoke(familyId(family), Math.max(expiresAt, this.lastExpiry()));
    else if (jti !== undefined) await store.revoke(tokenId(jti), expiresAt);
  }

  /** Whether the token with this `jti`, or its login, was revoked. @throws AUTH_NOT_STARTED; AUTH_BAD_CLAIMS for a whole token; HttpError 503 when the store fails */
  isRevoked(jti: string): Promise<boolean> {
    return markHandled(this.checkRevoked(jti));
  }

  private async checkRevoked(jti: string): Promise<boolean> {
    const store = this.startedStore();
    if (!isTokenId(jti)) throw authError("AUTH_BAD_CLAIMS", "isRevoked takes the jti of a token");
    for (const id of idsOfTokenId(jti)) if (await store.isRevoked(id)) return true;
    return false;
  }

  private async tokenOf(claims: NewClaims): Promise<string> {
    return this.issuer.access(await this.ready(), claims);
  }

  private async firstPair(claims: NewClaims): Promise<TokenPair> {
    return this.issuer.pair(await this.ready(), claims, { family: crypto.randomUUID(), generation: 0 });
  }

  override async identify(invocation: Invocation): Promise<void> {
    const token = sentToken(invocation, this.config);
    if (token === null) throw missingCredentials(this.challenge());
    invocation.context.set(JwtClaims, await this.verifiedClaims(token, "access"));
    recordIdentitySource(this, invocation);
  }

  override credentialFields(): readonly string[] {
    const { headerName, cookieName } = this.config;
    return cookieName === undefined ? [headerName] : [headerName, "Cookie"];
  }

  /** Returns the challenge of its 401. */
  challenges(): readonly string[] {
    return [this.challenge()];
  }

  protected override schemes(): SecuritySchemes {
    return jwtSchemes(this.config);
  }

  protected override replies(): readonly ImpliedReply[] {
    return [unavailableReply];
  }

  protected override prepare(host: Host): void {
    for (const problem of this.problems) host.problem(problem);
    for (const warning of this.keys.warnings) host.warn(warning);
    host.advise(({ sharedPorts }) => {
      const isPersistent = this.config.store !== undefined || sharedPorts.includes("values");
      const issues = this.keys.secret !== undefined || this.keys.privateKey !== undefined;
      return isPersistent || !issues ? [] : [revocationsInMemory];
    });
    let leave = (): void => {};
    const start = async (settings: AppSettings): Promise<void> => {
      this.log = settings.log;
      const { signingKey } = await this.ready();
      await this.keySet?.load();
      if (this.config.store !== undefined) return;
      const { values } = settings.shared;
      const { clock, config } = this;
      leave = await this.stores.join(values, { clock, maxLogins: config.maxLogins });
      this.store ??= failClosed(this.stores, { log: () => this.log, clock });
      if (signingKey !== undefined) await warnOfMemory(settings);
    };
    host.life.onStart({ name: "JwtAuth", run: start });
    host.life.onStop({ name: "JwtAuth", run: () => leave() });
  }

  private async verifiedClaims(token: string, kind: TokenKind): Promise<Claims> {
    const claims = await this.verifier.verify(token, kind, await this.ready(), this.startedStore());
    if (claims === null) throw this.invalid();
    return claims;
  }

  private ready(): Promise<TokenTools> {
    if (this.problems.length > 0) throw new ConfigurationError(this.problems);
    return (this.tools ??= loadTokenTools(this.config, this.keys, this.keySet));
  }

  private startedStore(): TokenStore {
    if (this.store !== undefined) return this.store;
    throw authError(
      "AUTH_NOT_STARTED",
      "add the JwtAuth with app.use and start the app before checking or revoking tokens",
    );
  }

  /** Consumes a refresh token. If it has been used, also by a concurrent call, its login is revoked. @throws UnauthorizedError for a used or revoked token */
  private async consume({ sub, jti, exp }: Claims, { family, generation }: Lineage): Promise<void> {
    const store = this.startedStore();
    const expiresAt = Math.ceil(exp) + this.config.leewaySecs;
    const isFirst = await store.consume(familyId(family), generation, expiresAt);
    if (!isFirst && !(await store.isRevoked(familyId(family)))) {
      this.log.warn("a refresh token was reused; all tokens of its login are revoked", { sub });
      await store.revoke(familyId(family), this.lastExpiry());
    }
    // The token itself may have been revoked during `update`.
    if (!isFirst || (jti !== undefined && (await store.isRevoked(tokenId(jti))))) throw this.invalid();
  }

  /** Returns the latest possible expiry of the tokens that this service has created until now, with leeway, in Unix seconds. */
  private lastExpiry(): number {
    const { expiration, refreshExpiration, leewaySecs } = this.config;
    return Math.ceil(this.clock.date() / 1000) + Math.max(expiration, refreshExpiration) + leewaySecs;
  }

  /** Like `lastExpiry`, but includes tokens of other issuers, which are assumed to expire within ten years. */
  private lastExpiryOfAll(): number {
    if (!this.keys.acceptsOthers) return this.lastExpiry();
    return Math.ceil(this.clock.date() / 1000) + MAX_EXPIRATION + this.config.leewaySecs;
  }

  private createKeySet(url: string, fetch: typeof globalThis.fetch): KeySet {
    const { algorithm, jwksMaxAgeSecs: maxAgeSecs, jwksCooldownSecs: cooldownSecs } = this.config;
    const { clock } = this;
    return new KeySet({ url, algorithm, maxAgeSecs, cooldownSecs, fetch, clock, log: () => this.log });
  }

  private challenge(): string {
    return `${this.config.scheme || "Bearer"} realm="Restricted"`;
  }

  private invalid(): UnauthorizedError {
    return new UnauthorizedError("Invalid or expired token", `${this.challenge()}, error="invalid_token"`);
  }
}
