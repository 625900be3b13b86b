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

/** What stands in for the world, in tests. */
export interface JwtAuthOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Monotonic milliseconds. @default performance.now */
  readonly elapsed?: () => number;
  /** Fetches the key set. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Accepts callers with a valid JSON Web Token (RFC 7519), and sets its claims in the context under `JwtClaims`. Also makes, renews and revokes tokens.
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
   * Makes a token that lives `expiration` seconds: the claims, with `iat`, `exp` and `jti`, and the configured issuer and audience.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  async createToken(claims: NewClaims): Promise<string> {
    return this.issuer.access(await this.ready(), claims);
  }

  /**
   * Makes a token and a refresh token that lives `refreshExpiration` seconds: what a login answers with.
   *
   * @throws AUTH_BAD_CLAIMS, AUTH_CANNOT_SIGN, ConfigurationError
   */
  async createTokens(claims: NewClaims): Promise<TokenPair> {
    return this.issuer.pair(await this.ready(), claims, crypto.randomUUID());
  }

  /**
   * Takes a refresh token and gives the next pair. Each is good once: one that comes a second time was stolen, or its successor was, so everything
   * that came from that login is revoked (RFC 9700 4.14.2).
   *
   * @param update gives the claims of the new pair, such as roles that may have changed; what it throws refuses. @default the old claims
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
      this.log.warn("a refresh token came twice; all that came from its login is revoked", { sub });
      await store.revoke(familyId(family), this.lastExpiry());
      throw this.invalid();
    }
    return this.issuer.pair(tools, next, family);
  }

  /**
   * Revokes a token by its `jti`, or by its claims together with all that came from the same login: in every worker when it resolves.
   *
   * @throws AUTH_NOT_STARTED; AUTH_BAD_CLAIMS for a whole token, or for claims without `jti`
   */
  async revokeToken(token: string | Claims): Promise<void> {
    const store = this.startedStore();
    const ids = typeof token === "string" ? [tokenId(token)] : idsOf(token);
    if (ids.length === 0 || (typeof token === "string" && token.split(".").length === 3))
      throw authError("AUTH_BAD_CLAIMS", "revokeToken takes the jti of a token, or claims that have one");
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
      "add the JwtAuth with app.use and start the app before tokens are checked or revoked",
    );
  }

  /** When the last token that is alive now will have expired, at the latest. */
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
