import { type GuardObject, type HttpRequest, UnauthorizedError } from "@framework/core";
import { principalsOf } from "../principal.ts";

/**
 * Passes whoever is known: by a token, a user name or an API key alike; refuses others with 401. `Not(new AuthenticatedGuard())` is for guests only.
 *
 * @param userKey where the application itself may have put its user in the context. @default "user"
 */
export class AuthenticatedGuard implements GuardObject {
  readonly name: string = "AuthenticatedGuard";
  readonly guestsWhenNegated: boolean = true;
  private readonly userKey: string;

  constructor(userKey = "user") {
    this.userKey = userKey;
  }

  check({ context }: HttpRequest): true {
    if (principalsOf(context, this.userKey).length === 0) throw new UnauthorizedError();
    return true;
  }
}
