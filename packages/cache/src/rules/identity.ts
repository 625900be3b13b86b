import type { HttpRequest } from "@framework/core";

/** Keys of the context under which authentication puts who asks. */
const principalKeys = ["user", "jwt_claims", "api_key_name"];

/** Whether a request carries credentials, or somebody found out who sends it. */
export const hasIdentity = (request: HttpRequest): boolean =>
  request.getHeader("authorization") !== null ||
  request.getHeader("cookie") !== null ||
  hasPrincipal(request);

/** Whether the context names a principal by now; asked again after the handler, which may have found one. */
export const hasPrincipal = ({ context }: HttpRequest): boolean => {
  for (const key of principalKeys) if (context.get(key) !== null) return true;
  return false;
};

/** Keys of the context under which a handler got what belongs into one reply alone: a token against forgery, a nonce of a policy. */
const singleUseKeys = ["csrf_token", "csp_nonce"];

/** Whether the reply to a request may hold what no second client must get; asked after the handler. */
export const isSingleUse = ({ context }: HttpRequest): boolean => {
  for (const key of singleUseKeys) if (context.get(key) !== null) return true;
  return false;
};
