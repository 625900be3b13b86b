import { FrameworkError, type GuardObject, type Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";
import { noCaller } from "./no-caller.ts";

/**
 * Passes authenticated callers, whether by token, user name or API key; refuses others with 401. `Not(new AuthenticatedGuard())` passes
 * unauthenticated callers only. Works with every protocol.
 *
 * @param userKey context name of the application's own user. @default "user"
 * @throws CORE_BAD_CONFIG if `userKey` is not a non-empty string
 */
export class AuthenticatedGuard implements GuardObject {
  readonly name: string = "AuthenticatedGuard";
  readonly passesAnonymousWhenNegated: boolean = true;
  readonly readsCaller: boolean = true;
  private readonly userKey: string;

  constructor(userKey = "user") {
    if (typeof userKey !== "string" || userKey === "")
      throw new FrameworkError(
        "CORE_BAD_CONFIG",
        "the userKey of AuthenticatedGuard must be a non-empty string",
      );
    this.userKey = userKey;
  }

  check(invocation: Invocation): true {
    if (principalOf(invocation, this.userKey) === null) throw noCaller(invocation);
    return true;
  }
}
