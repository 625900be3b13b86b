import { type Awaitable, type Invocation, UnauthorizedError } from "@framework/core";
import { type Host, mapAwaitable, User } from "@framework/core/feature";
import type { SecuritySchemes } from "../auth-description.ts";
import { Authentication } from "../authentication.ts";
import { missing } from "../errors.ts";
import { afterScheme } from "../jwt/sent-token.ts";
import { parseBasicCredentials } from "./basic-credentials.ts";

/** Verifies a user's password: only `true` accepts. An error becomes a 500. */
export type VerifyCredentials = (username: string, password: string) => Awaitable<boolean>;

/** Options of `BasicAuth`. */
export interface BasicAuthOptions {
  /**
   * Whether the name before the colon may be empty, as in `curl -u :TOKEN`. A text is the name of these callers in the context; with `true` it is empty, and guards take
   * them for anonymous. @default false
   */
  readonly allowEmptyName?: boolean | string;
}

/** Announces UTF-8 for names and passwords (RFC 7617 2.1). */
const CHALLENGE = 'Basic realm="Restricted", charset="UTF-8"';

/**
 * Authenticates callers by a name and a password (RFC 7617) that `verify` accepts, and sets the name in the context under `User`.
 *
 * @example
 * app.use(new BasicAuth((name, password) => verifyPassword(password, hashes.get(name))));
 */
export class BasicAuth extends Authentication {
  private readonly verify: VerifyCredentials;

  private readonly allowEmptyName: boolean | string;

  constructor(verify: VerifyCredentials, { allowEmptyName = false }: BasicAuthOptions = {}) {
    super();
    this.verify = verify;
    this.allowEmptyName = allowEmptyName;
  }

  override identify({ headers, context }: Invocation): Awaitable<void> {
    const value = headers.get("authorization");
    const encoded = value === null ? null : afterScheme(value, "Basic");
    if (encoded === null) throw missing(CHALLENGE);
    const isOne = headers.getAll("authorization").length === 1;
    const credentials = isOne ? parseBasicCredentials(encoded, this.allowEmptyName !== false) : null;
    if (credentials === null) throw invalid();
    const { username, password } = credentials;
    const name = username === "" && typeof this.allowEmptyName === "string" ? this.allowEmptyName : username;
    return mapAwaitable(this.verify(username, password), (isRight) => {
      if (isRight !== true) throw invalid();
      context.set(User, name);
    });
  }

  override credentialFields(): readonly string[] {
    return ["Authorization"];
  }

  protected override schemes(): SecuritySchemes {
    return { basicAuth: { type: "http", scheme: "basic" } };
  }

  protected override prepare(host: Host): void {
    if (typeof this.verify === "function") return;
    host.problem({
      code: "CORE_BAD_CONFIG",
      message: "BasicAuth takes a function (username, password) => boolean",
    });
  }
}

const invalid = (): UnauthorizedError => new UnauthorizedError("Invalid credentials", CHALLENGE);
