import { HttpError, type HttpRequest } from "@framework/core";
import { parseHttpDate, precondition, type Validators } from "@framework/core/http";

/**
 * Prevents lost updates: throws 412 unless the request's `If-Match`, `If-Unmodified-Since` and `If-None-Match` hold (RFC
 * 9110 13.2.2). Call it in the handler, before it changes anything.
 *
 * @param current current tag and modification time, or `null` when there is no resource; a weak tag never matches `If-Match`
 * @param options.required rejects a request without a condition on the current state with 428 (RFC 6585 3): `If-Match`, `If-None-Match: *`, or an
 *   `If-Unmodified-Since` that can be compared with `lastModifiedMs`. @default false
 * @throws HttpError 412, 428
 */
export const requireMatch = (
  request: HttpRequest,
  current: Validators | null,
  { required = false }: { readonly required?: boolean } = {},
): void => {
  if (required && !protectsState(request, current)) {
    throw new HttpError(428, "If-Match with the current entity tag is required");
  }
  // Programs without types may pass undefined for an absent resource.
  if (precondition(request, current ?? null) === "failed") {
    throw new HttpError(412, "The resource has changed since it was read");
  }
};

/** Whether a condition of the request protects the current state; an ignored date and `If-None-Match` with tags do not. */
const protectsState = (request: HttpRequest, current: Validators | null): boolean => {
  if (request.getHeader("if-match") !== null) return true;
  if (request.getHeader("if-none-match")?.trim() === "*") return true;
  const since = request.getHeader("if-unmodified-since");
  return since !== null && parseHttpDate(since) !== null && Number.isFinite(current?.lastModifiedMs);
};
