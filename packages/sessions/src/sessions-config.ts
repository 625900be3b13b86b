import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  isClock,
  oneOf,
  optional,
  pathPrefixes,
  secret,
  systemClock,
} from "@framework/core/feature";
import type { Secret } from "./signed/cookie-seal.ts";
import type { SessionStore } from "./store/session-store.ts";

/** Options of `enableSessions`. */
export interface SessionsConfig {
  /** Store of the sessions, such as `databaseSessions(app.db)`. @default the state that all workers share; with Redis, all hosts */
  readonly store: SessionStore | undefined;
  /** Stores the data in a signed cookie; the store then has only ended ids and the numbers of logins. @default false */
  readonly signed: boolean;
  /** Encrypts the cookie with AES-256-GCM. @default false */
  readonly encrypt: boolean;
  /** Key of signed cookies, 32 bytes or more, or a list of them: the first key signs, all are accepted. */
  readonly secret: Secret | readonly Secret[] | undefined;
  /** Idle timeout in seconds. Uses are recorded once per tenth of it, so a session may end after nine tenths. @default 1800 */
  readonly idleSecs: number;
  /** Maximum lifetime after the start of the session, or the last login, in seconds. @default 86400 */
  readonly absoluteSecs: number;
  /** Name of the cookie, which gets the prefix `__Host-` with TLS. @default "session_id" */
  readonly cookieName: string;
  /** Whether the cookie is sent when a user follows a link from another site (`lax`) or not (`strict`); case does not matter. @default "lax" */
  readonly sameSite: "lax" | "strict" | "Lax" | "Strict";
  /** Whether the cookie requires TLS. @default true in production; in development, whether the request came over TLS */
  readonly secure: boolean | undefined;
  /** Paths without sessions, such as `/static`, with all paths below them: no lookup is made. @default [] */
  readonly skipPaths: readonly string[];
  /** Maximum number of live sessions in the memory of a host, and of ended ones; Redis and databases have their own limits. @default 40000 */
  readonly maxSessions: number;
  /** Timeout of a call to the store, in milliseconds. @default 5000 */
  readonly storeTimeoutMs: number;
  /** Clock of the lifetimes, for tests. @default the system clock */
  readonly clock: Clock;
}

/** Default of `idleSecs`. */
const IDLE_SECS = 1800;
/** Minimum bytes of a key that cannot be guessed. */
const MIN_SECRET_BYTES = 32;
/** Maximum number of keys. */
const MAX_SECRETS = 10;

const isSecret = (value: unknown): boolean =>
  (typeof value === "string" && Buffer.byteLength(value) >= MIN_SECRET_BYTES) ||
  (value instanceof Uint8Array && value.byteLength >= MIN_SECRET_BYTES);

const areSecrets = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length >= 1 && value.length <= MAX_SECRETS && value.every(isSecret)
    : isSecret(value);

const isStore = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  ["read", "write", "end", "number", "raise"].every((name) => typeof Reflect.get(value, name) === "function");

export const SessionsConfig: ConfigRecord<SessionsConfig> = configRecord<SessionsConfig>("SessionsConfig", {
  store: checked<SessionStore | undefined>(
    undefined,
    "a store with read, write, end, number and raise, such as databaseSessions(app.db)",
    (value) => value === undefined || isStore(value),
  ),
  signed: flag(false),
  encrypt: flag(false),
  secret: secret(
    optional<Secret | readonly Secret[]>({
      problem: (value) =>
        areSecrets(value)
          ? null
          : `must be a string or bytes, ${MIN_SECRET_BYTES} bytes or more, or a list of 1 to ${MAX_SECRETS} of them`,
    }),
  ),
  idleSecs: integer(IDLE_SECS, { min: 60, max: 31_536_000 }),
  absoluteSecs: integer(86_400, { min: 60, max: 31_536_000 }),
  cookieName: checked(
    "session_id",
    "1 to 50 letters, digits, dashes or underscores, starting with a letter",
    (value) => typeof value === "string" && /^[A-Za-z][\w-]{0,49}$/.test(value),
  ),
  sameSite: oneOf("lax", ["lax", "strict", "Lax", "Strict"]),
  secure: optional<boolean>({
    problem: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  }),
  skipPaths: pathPrefixes,
  maxSessions: integer(40_000, { min: 1, max: 45_000 }),
  storeTimeoutMs: integer(5000, { min: 10, max: 60_000 }),
  clock: checked<Clock>(systemClock, "a clock", isClock),
});

/** Returns the contradictions between options. */
export const contradictions = (config: SessionsConfig): readonly string[] => {
  const found: string[] = [];
  if (config.signed && config.secret === undefined)
    found.push("signed sessions need a secret: set SessionsConfig.secret to 32 random bytes or more");
  if (!config.signed && (config.encrypt || config.secret !== undefined))
    found.push(
      "SessionsConfig.secret and encrypt are for cookies with data: set signed: true, or remove them",
    );
  // A session also ends after `absoluteSecs`, so the default may be greater.
  if (config.idleSecs > config.absoluteSecs && config.idleSecs !== IDLE_SECS)
    found.push("SessionsConfig.idleSecs is greater than absoluteSecs: choose a smaller one");
  return found;
};
