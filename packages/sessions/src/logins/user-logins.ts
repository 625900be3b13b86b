import { createHash } from "node:crypto";
import type { Clock } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { SessionStore } from "../store/session-store.ts";

/** Numbers the logins of users, so that all sessions of a user can be ended without a list of them. */
export interface UserLogins {
  /** Returns the number of a new login, greater than that of every earlier `destroyAll`. */
  begin(user: string): Promise<number>;
  /** Whether a login's number is greater than that of the last `destroyAll`. */
  isAlive(user: string, login: number): Promise<boolean>;
  /** Ends every earlier login. Resolves when `isAlive` is false for them on every host. */
  destroyAll(user: string): Promise<void>;
}

/** Options of `userLogins`. */
export interface UserLoginsOptions {
  /** Maximum lifetime of a session in milliseconds; numbers are kept for this time after their last use. */
  readonly lifetimeMs: number;
  /** Clock of the numbers. */
  readonly clock: Clock;
}

/** Maximum number of attempts to claim a number; in each round one of several concurrent claims succeeds. */
const MAX_ATTEMPTS = 1000;

/**
 * Logins of users in a store, as a hybrid logical clock for each user: a number is the time in milliseconds, or one more than the latest number, whichever
 * is greater. Hosts whose clocks differ thus agree on which logins are older than a `destroyAll`.
 *
 * @throws SESSIONS_UNAVAILABLE (503) from `begin` and `destroyAll` when other claims win a thousand times in a row
 */
export const userLogins = (
  store: Pick<SessionStore, "number" | "raise">,
  { lifetimeMs, clock }: UserLoginsOptions,
): UserLogins => {
  /** Claims the next number; if another process claims it first, claims the following one. */
  const claim = async (user: string): Promise<number> => {
    const key = keyOf("latest", user);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const next = Math.max(Math.floor(clock.date()), (await store.number(key)) + 1);
      if (await store.raise(key, next, lifetimeMs)) return next;
    }
    throw unavailable("SESSIONS_UNAVAILABLE");
  };
  return {
    begin: claim,
    isAlive: async (user, login) => login > (await store.number(keyOf("destroyed", user))),
    async destroyAll(user) {
      const number = await claim(user);
      // Returns false only if a later destroyAll has already raised the number.
      await store.raise(keyOf("destroyed", user), number, lifetimeMs);
    },
  };
};

/** Creates a key of fixed length, since user ids are untrusted. */
const keyOf = (kind: string, user: string): string =>
  `${kind}:${createHash("sha256").update(Buffer.from(user, "utf16le")).digest("base64url")}`;
