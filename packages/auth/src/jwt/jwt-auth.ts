import {
  type AppSettings,
  type Awaitable,
  ConfigurationError,
  type Invocation,
  type Logger,
  type Problem,
  UnauthorizedError,
} from "@framework/core";
import { type Claims, type ConfigInput, type Host, JwtClaims } from "@framework/core/feature";
import type { SecuritySchemes } from "../auth-description.ts";
import { Authentication } from "../authentication.ts";
import { authError, missing } from "../errors.ts";
import { carriedClaims, type NewClaims, TokenIssuer, type TokenPair } from "../tokens/new-token.ts";
import { openSharedTokenStore, type SharedTokenStore } from "../token-store/shared-token-store.ts";
import type { TokenStore } from "../token-store/token-store.ts";
import { loadTokenTools, type TokenTools } from "../tokens/token-tools.ts";
import {
  familyClaim,
  familyId,
  idsOf,
  tokenId,
  type TokenKind,
  TokenVerifier,
} from "../tokens/token-verifier.ts";
import { JwtConfig } from "../tokens/jwt-config.ts";
import { jwtSchemes } from "./jwt-schemes.ts";
import { KeySet } from "../jose/key-set.ts";
import { type OwnKeys, readOwnKeys } from "../tokens/own-keys.ts";
import { sentToken } from "./sent-token.ts";

/** Replacements for clock and network, for tests. */
export interface JwtAuthOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Monotonic milliseconds. @default performance.now */
  readonly elapsed?: () => number;
  /** Fetches the key set. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

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
  private readonly now: () => number;
  private readonly keySet: KeySet | undefined;
  private readonly verifier: TokenVerifier;
  private readonly issuer: TokenIssuer;
  private tools: Promise<TokenTools> | undefined;
  private store: TokenStore | undefined;
  private log: Logger = console;

  constructor(input: ConfigInput<JwtConfig>, options: JwtAuthOptions = {}) {
    super();
    const { now = Date.now, elapsed = () => performance.now(), fetch = globalThis.fetch } = options;
    const { value: config, problems } = JwtConfig.read(input);
    this.config = config;
    this.keys = readOwnKeys(config);
    this.problems = [
      ...problems.map((message) => ({ code: "CORE_BAD_CONFIG", message })),
      ...this.keys.problems,
    ];
    this.now = now;
    this.keySet =
      config.jwksUrl === undefined ? undefined : this.createKeySet(config.jwksUrl, fetch, elapsed);
    this.verifier = new TokenVerifier(config, now);
    this.issuer = new TokenIssuer(config, now);
  }

  /**
   * Creates a token that is valid for `expiration` seconds: the claims, with `iat`, `exp` and `jti`, and the configured issuer and audience.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  async createToken(claims: NewClaims): Promise<string> {
    return this.issuer.access(await this.ready(), claims);
  }

  /**
   * Creates the reply to a login: a token, and a refresh token that is valid for `refreshExpiration` seconds.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  async createTokens(claims: NewClaims): Promise<TokenPair> {
    return this.issuer.pair(await this.ready(), claims, crypto.randomUUID());
  }

  /**
   * Exchanges a refresh token for the next pair. Each is valid once: a reused one, or its successor, was stolen, so all tokens of that login are
   * revoked (RFC 9700 4.14.2).
   *
   * @param update returns the claims of the new pair, for example with changed roles; it throws to refuse. @default the old claims
   * @throws UnauthorizedError 401, HttpError 503 when the store fails, AUTH_NOT_STARTED
   */
  async refreshToken(
    token: string,
    update: (claims: Claims) => Awaitable<NewClaims> = carriedClaims,
  ): Promise<TokenPair> {
    const tools = await this.ready();
    const store = this.startedStore();
    const claims = await this.believed(token, "refresh");
    const { sub, jti, exp, [familyClaim]: family } = claims;
    if (jti === undefined || typeof family !== "string") throw this.invalid();
    const next = await update(claims);
    if (!(await store.consume(tokenId(jti), exp + this.config.leewaySecs))) {
      this.log.warn("a refresh token was reused; all tokens of its login are revoked", { sub });
      await store.revoke(familyId(family), this.lastExpiry());
      throw this.invalid();
    }
    return this.issuer.pair(tools, next, family);
  }

  /**
   * Revokes a token by its `jti`, or, given claims, all tokens of the same login. Every worker refuses them once it resolves.
   *
   * @throws AUTH_NOT_STARTED; AUTH_BAD_CLAIMS for a whole token, or for claims without `jti`
   */
  async revokeToken(token: string | Claims): Promise<void> {
    const store = this.startedStore();
    const ids = typeof token === "string" ? [tokenId(token)] : idsOf(token);
    if (ids.length === 0 || (typeof token === "string" && token.split(".").length === 3))
      throw authError("AUTH_BAD_CLAIMS", "revokeToken takes the jti of a token, or claims with a jti");
    for (const id of ids) await store.revoke(id, this.lastExpiry(token));
  }

  /** Whether the token with this `jti` was revoked. @throws AUTH_NOT_STARTED */
  async isRevoked(jti: string): Promise<boolean> {
    return this.startedStore().isRevoked(tokenId(jti));
  }

  override async identify(invocation: Invocation): Promise<void> {
    const token = sentToken(invocation, this.config);
    if (token === null) throw missing(this.challenge());
    invocation.context.set(JwtClaims, await this.believed(token, "access"));
  }

  protected override schemes(): SecuritySchemes {
    return jwtSchemes(this.config);
  }

  protected override prepare(host: Host): void {
    for (const problem of this.problems) host.problem(problem);
    for (const warning of this.keys.warnings) host.warn(warning);
    let opened: SharedTokenStore | undefined;
    const start = async ({ log, shared }: AppSettings): Promise<void> => {
      this.log = log;
      await this.ready();
      await this.keySet?.refresh();
      if (this.config.store === undefined)
        opened = await openSharedTokenStore(shared.values, { now: this.now });
      this.store = this.config.store ?? opened;
    };
    host.life.onStart({ name: "JwtAuth", run: start });
    host.life.onStop({ name: "JwtAuth", run: () => opened?.close() });
  }

  private async believed(token: string, kind: TokenKind): Promise<Claims> {
    const claims = await this.verifier.verify(token, kind, await this.ready(), this.startedStore(), this.log);
    if (claims === null) throw this.invalid();
    return claims;
  }

  private ready(): Promise<TokenTools> {
    if (this.problems.length > 0) throw new ConfigurationError(this.problems);
    return (this.tools ??= loadTokenTools(this.config, this.keys, this.keySet));
  }

  private startedStore(): TokenStore {
    const store = this.store ?? this.config.store;
    if (store !== undefined) return store;
    throw authError(
      "AUTH_NOT_STARTED",
      "add the JwtAuth with app.use and start the app before checking or revoking tokens",
    );
  }

  /** Returns a time by which every token valid now has expired. */
  private lastExpiry(token?: string | Claims): number {
    const { expiration, refreshExpiration, leewaySecs } = this.config;
    const own = Math.ceil(this.now() / 1000) + Math.max(expiration, refreshExpiration);
    const { exp = 0 } = typeof token === "object" ? token : {};
    return Math.max(own, Math.ceil(exp)) + leewaySecs;
  }

  private createKeySet(url: string, fetch: typeof globalThis.fetch, elapsed: () => number): KeySet {
    const { algorithm, jwksMaxAgeSecs: maxAgeSecs, jwksCooldownSecs: cooldownSecs } = this.config;
    return new KeySet({ url, algorithm, maxAgeSecs, cooldownSecs, fetch, elapsed, log: () => this.log });
  }

  private challenge(): string {
    return `${this.config.scheme || "Bearer"} realm="Restricted"`;
  }

  private invalid(): UnauthorizedError {
    return new UnauthorizedError("Invalid or expired token", `${this.challenge()}, error="invalid_token"`);
  }
}
