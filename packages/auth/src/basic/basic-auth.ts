import { type Awaitable, type Invocation, type Logger, UnauthorizedError } from "@framework/core";
import {
  checked,
  configRecord,
  type Host,
  recordIdentitySource,
  type ImpliedReply,
  mapAwaitable,
  throttledLog,
  User,
} from "@framework/core/feature";
import {
  type CallbackTimeout,
  callbackTimeoutRules,
  type CallbackTimer,
  createCallbackTimer,
} from "../callback-timeout.ts";
import type { SecuritySchemes } from "../auth-description.ts";
import { Authentication } from "../authentication.ts";
import { missingCredentials, unavailable, unavailableReply } from "../errors.ts";
import { afterScheme } from "../jwt/sent-token.ts";
import { parseBasicCredentials } from "./basic-credentials.ts";

/** Verifies a user's password: only `true` accepts. An `HttpError`, such as the 503 of `verifyPassword`, keeps its status; any other error becomes a 500. */
export type VerifyCredentials = (username: string, password: string) => Awaitable<boolean>;

/** Options of `BasicAuth`. If `verify` takes longer than `timeoutMs`, the caller is refused with 503. */
export interface BasicAuthOptions extends CallbackTimeout {
  /**
   * Whether the user name may be empty, as in `curl -u :TOKEN`. A string is the name that these callers get in the context; with `true` their name is empty, and
   * guards treat them as anonymous. @default false
   */
  readonly allowEmptyName?: boolean | string;
}

const basicOptions = configRecord<Required<BasicAuthOptions>>("BasicAuthOptions", {
  allowEmptyName: checked<boolean | string>(
    false,
    "true, false or the name for callers without a name",
    (value) => typeof value === "boolean" || (typeof value === "string" && value !== ""), // an empty string can be an unset variable
  ),
  ...callbackTimeoutRules,
});

/** Announces UTF-8 for names and passwords (RFC 7617 2.1). */
const CHALLENGE = 'Basic realm="Restricted", charset="UTF-8"';

/**
 * Authenticates callers by a name and a password (RFC 7617) that `verify` accepts, and sets the name in the context under `User`.
 *
 * @throws at start: CORE_BAD_CONFIG
 * @example
 * app.use(new BasicAuth((name, password) => verifyPassword(password, hashes.get(name))));
 */
export class BasicAuth extends Authentication {
  private readonly verify: VerifyCredentials;

  private readonly allowEmptyName: boolean | string;
  private readonly timer: CallbackTimer;
  private readonly logThrottled: ReturnType<typeof throttledLog>;
  private log: Logger = console;

  private readonly problems: readonly string[];

  constructor(verify: VerifyCredentials, options: BasicAuthOptions = {}) {
    super();
    const { value, problems } = basicOptions.read(options);
    this.verify = verify;
    this.allowEmptyName = value.allowEmptyName;
    this.timer = createCallbackTimer(value);
    this.logThrottled = throttledLog({ clock: value.clock });
    this.problems = problems;
  }

  override identify(invocation: Invocation): Awaitable<void> {
    const { headers, context } = invocation;
    const value = headers.get("authorization");
    const encoded = value === null ? null : afterScheme(value, "Basic");
    if (encoded === null) throw missingCredentials(CHALLENGE);
    const isSingle = headers.getAll("authorization").length === 1;
    const credentials = isSingle ? parseBasicCredentials(encoded, this.allowEmptyName !== false) : null;
    if (credentials === null) throw invalid();
    const { username, password } = credentials;
    const name = username === "" && typeof this.allowEmptyName === "string" ? this.allowEmptyName : username;
    const verified = this.timer.limit(this.verify(username, password), () => this.refuseTimedOut());
    return mapAwaitable(verified, (isValid) => {
      if (isValid !== true) throw invalid();
      context.set(User, name);
      recordIdentitySource(this, invocation);
    });
  }

  override credentialFields(): readonly string[] {
    return ["Authorization"];
  }

  protected override schemes(): SecuritySchemes {
    return { basicAuth: { type: "http", scheme: "basic" } };
  }

  protected override replies(): readonly ImpliedReply[] {
    return [unavailableReply];
  }

  protected override prepare(host: Host): void {
    const problem = (message: string): void => {
      host.problem({ code: "CORE_BAD_CONFIG", message });
    };
    if (typeof this.verify !== "function")
      problem("BasicAuth takes a function (username, password) => boolean");
    for (const message of this.problems) problem(message);
    host.life.onStart({ name: "BasicAuth", run: ({ log }) => void (this.log = log) });
  }

  /** Refuses a caller whose password was not verified in time. */
  private refuseTimedOut(): never {
    const message = "verify of BasicAuth did not answer in time and the request was refused";
    const { timeoutMs } = this.timer;
    this.logThrottled((omitted) => this.log.error(message, { timeoutMs, omitted }));
    throw unavailable("AUTH_VERIFY_TIMEOUT");
  }
}

const invalid = (): UnauthorizedError => new UnauthorizedError("Invalid credentials", CHALLENGE);
