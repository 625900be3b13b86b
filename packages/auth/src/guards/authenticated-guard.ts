import { type GuardObject, type Invocation, UnauthorizedError } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/**
 * Passes callers that are identified, by a token, a user name or an API key alike; refuses others with 401. `Not(new AuthenticatedGuard())` is for
 * guests only. Works at every door.
 *
 * @param userKey name under which the application sets its own user in the context. @default "user"
 */
export class AuthenticatedGuard implements GuardObject {
  readonly name: string = "AuthenticatedGuard";
  readonly guestsWhenNegated: boolean = true;
  private readonly userKey: string;

  constructor(userKey = "user") {
    this.userKey = userKey;
  }

  check(invocation: Invocation): true {
    if (principalOf(invocation, this.userKey) === null) throw new UnauthorizedError();
    return true;
  }
}
