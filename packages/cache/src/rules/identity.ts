import type { HttpRequest } from "@framework/core";
import { ApiKeyName, JwtClaims, SingleUse, User } from "@framework/core/feature";

/** Context names of a principal. Read by name, because an application may set them itself. */
const principalNames: readonly string[] = [User, JwtClaims, ApiKeyName].map(({ name }) => name);

/** Whether a request has credentials or an authenticated principal. */
export const hasIdentity = (request: HttpRequest): boolean =>
  request.getHeader("authorization") !== null ||
  request.getHeader("cookie") !== null ||
  hasPrincipal(request);

/** Whether the context contains a principal. Checked again after the handler, which may authenticate the client itself. */
export const hasPrincipal = ({ context }: HttpRequest): boolean => {
  for (const name of principalNames) if (isPresent(context.get(name))) return true;
  return false;
};

/** Whether a value identifies a caller, by the rule of `principalOf`. */
const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && value !== "";

/** Whether the reply contains a value for one client, such as a CSRF token or a CSP nonce; known after the handler. */
export const isSingleUse = ({ context }: HttpRequest): boolean => context.get(SingleUse);
