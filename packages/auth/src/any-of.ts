import type { Awaitable, HttpRequest } from "@framework/core";
import { type Host, isPromise } from "@framework/core/feature";
import type { SecuritySchemes } from "./auth-description.ts";
import { Authentication } from "./authentication.ts";
import { authError } from "./errors.ts";

/**
 * Lets in whom any of several lets in: they are asked in order until one knows the caller; the 401 is the last one's.
 *
 * A path that one of them skips is skipped. Whatever is no 401, such as a 503, ends the search.
 *
 * @example
 * app.use(anyOf(new JwtAuth({ secret }), new ApiKeyAuth(keys, "X-API-Key")));
 * @throws AUTH_GUARD_EMPTY without arguments
 */
export const anyOf = (...alternatives: readonly Authentication[]): Authentication => new AnyOf(alternatives);

class AnyOf extends Authentication {
  private readonly alternatives: readonly Authentication[];

  constructor(alternatives: readonly Authentication[]) {
    super();
    if (alternatives.length === 0)
      throw authError("AUTH_GUARD_EMPTY", "anyOf() needs at least one to choose from");
    this.alternatives = alternatives;
  }

  protected override identify(request: HttpRequest): Awaitable<void> {
    return identifyFrom(this.alternatives, 0, request);
  }

  override skips(path: string): boolean {
    return super.skips(path) || this.alternatives.some((one) => one.skips(path));
  }

  protected override schemes(): SecuritySchemes {
    return Object.assign(
      {},
      ...this.alternatives.map((one) => one.describeAuth().schemes),
    ) as SecuritySchemes;
  }

  protected override prepare(host: Host): void {
    for (const one of this.alternatives) one.install(host);
  }
}

const identifyFrom = (
  alternatives: readonly Authentication[],
  from: number,
  request: HttpRequest,
): Awaitable<void> => {
  for (let index = from; index < alternatives.length; index++) {
    const isLast = index === alternatives.length - 1;
    try {
      const outcome = alternatives[index]?.authenticate(request);
      if (!isPromise(outcome)) return outcome;
      return isLast
        ? outcome
        : outcome.catch((error: unknown) => otherwise(error, alternatives, index, request));
    } catch (error) {
      if (isLast || !isUnauthorized(error)) throw error;
    }
  }
};

const otherwise = (
  error: unknown,
  alternatives: readonly Authentication[],
  index: number,
  request: HttpRequest,
): Awaitable<void> => {
  if (!isUnauthorized(error)) throw error;
  return identifyFrom(alternatives, index + 1, request);
};

const isUnauthorized = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "status" in error && error.status === 401;
