import { type Awaitable, FrameworkError, type Invocation } from "@framework/core";
import { type Host, type ImpliedReply, isPromise, mergeSchemes } from "@framework/core/feature";
import type { SecuritySchemes } from "./auth-description.ts";
import { Authentication } from "./authentication.ts";
import { challengesOf } from "./guards/no-caller.ts";
import { authError } from "./errors.ts";

/** An authentication for `anyOf`: one of this package, `app.sessions.auth` of `@framework/sessions`, or another object with these members. */
export type AuthAlternative = Pick<
  Authentication,
  "identify" | "install" | "describeAuth" | "skips" | "credentialFields"
>;

/**
 * Creates an authentication that calls several in order until one identifies the caller; if none does, the last one's 401 is the reply.
 *
 * A path that one of them exempts with `skipPath` is exempt from all. Any error except 401, such as a 503, ends the search.
 *
 * @example
 * app.use(anyOf(new JwtAuth({ secret }), new ApiKeyAuth(keys, "X-API-Key")));
 * @throws AUTH_GUARD_EMPTY without arguments, CORE_BAD_ARGUMENT for an argument that is not an authentication
 */
export const anyOf = (...alternatives: readonly AuthAlternative[]): Authentication => new AnyOf(alternatives);

class AnyOf extends Authentication {
  private readonly alternatives: readonly AuthAlternative[];
  private readonly fields: readonly string[];

  constructor(alternatives: readonly AuthAlternative[]) {
    super();
    if (alternatives.length === 0)
      throw authError("AUTH_GUARD_EMPTY", "anyOf() needs at least one authentication");
    if (!alternatives.every(isAlternative))
      throw new FrameworkError(
        "CORE_BAD_ARGUMENT",
        "anyOf takes authentications, such as anyOf(new JwtAuth(config), new ApiKeyAuth(keys))",
      );
    this.alternatives = alternatives;
    this.fields = distinct(alternatives.flatMap((one) => one.credentialFields()));
  }

  override identify(invocation: Invocation): Awaitable<void> {
    return identifyFrom(this.alternatives, 0, invocation);
  }

  override credentialFields(): readonly string[] {
    return this.fields;
  }

  /** Returns the challenges of all alternatives. */
  challenges(): readonly string[] {
    return this.alternatives.flatMap(challengesOf);
  }

  override skips(path: string): boolean {
    return super.skips(path) || this.alternatives.some((one) => one.skips(path));
  }

  protected override schemes(): SecuritySchemes {
    return mergeSchemes(this.alternatives.map((one) => one.describeAuth().schemes));
  }

  protected override replies(): readonly ImpliedReply[] {
    return [...new Set(this.alternatives.flatMap((one) => one.describeAuth().replies ?? []))];
  }

  protected override prepare(host: Host): void {
    for (const one of this.alternatives) one.install(host);
  }
}

const isAlternative = (value: unknown): value is AuthAlternative =>
  typeof value === "object" &&
  value !== null &&
  ["identify", "install", "describeAuth", "skips", "credentialFields"].every((name) => name in value);

/** Removes duplicate field names, ignoring case: several alternatives may read the same field. */
const distinct = (names: readonly string[]): readonly string[] => {
  const known = names.map((name) => name.toLowerCase());
  return names.filter((name, at) => known.indexOf(name.toLowerCase()) === at);
};

const identifyFrom = (
  alternatives: readonly AuthAlternative[],
  from: number,
  invocation: Invocation,
): Awaitable<void> => {
  for (let index = from; index < alternatives.length; index++) {
    const isLast = index === alternatives.length - 1;
    try {
      const outcome = alternatives[index]?.identify(invocation);
      if (!isPromise(outcome)) return outcome;
      return isLast
        ? outcome
        : outcome.catch((error: unknown) => tryNext(error, alternatives, index, invocation));
    } catch (error) {
      if (isLast || !isUnauthorized(error)) throw error;
    }
  }
};

const tryNext = (
  error: unknown,
  alternatives: readonly AuthAlternative[],
  index: number,
  invocation: Invocation,
): Awaitable<void> => {
  if (!isUnauthorized(error)) throw error;
  return identifyFrom(alternatives, index + 1, invocation);
};

const isUnauthorized = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "status" in error && error.status === 401;
