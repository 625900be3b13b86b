import type { Awaitable } from "@framework/core";
import { authError } from "../errors.ts";
import type { NewClaims } from "../tokens/new-token.ts";

/** Returns the claims of a renewed login; gets the old claims, except claims that only `JwtAuth` sets. */
export type UpdateClaims = (claims: NewClaims) => Awaitable<NewClaims>;

/** Returns the result of `update`. @throws errors of `update`; AUTH_BAD_CLAIMS if the result is not an object */
export const callUpdate = async (update: UpdateClaims, claims: NewClaims): Promise<NewClaims> => {
  const updated: unknown = await update(claims);
  if (typeof updated === "object" && updated !== null) return updated as NewClaims; // the issuer checks it
  throw authError(
    "AUTH_BAD_CLAIMS",
    "update of refreshToken must return the claims, such as { ...claims, roles }",
  );
};
