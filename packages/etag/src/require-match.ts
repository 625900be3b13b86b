import { HttpError, type HttpRequest } from "@framework/core";
import { precondition, type Validators } from "@framework/core/http";

/**
 * Prevents lost updates: throws 412 unless the request's `If-Match`, `If-Unmodified-Since` and `If-None-Match` hold (RFC
 * 9110 13.2.2). Call it in the handler, before anything is changed.
 *
 * @param current current tag and modification time, or `null` when there is no resource; a weak tag never matches `If-Match`
 * @param options.required answers 428 to a request with none of these fields (RFC 6585 3). @default false
 * @throws HttpError 412, 428
 */
export const requireMatch = (
  request: HttpRequest,
  current: Validators | null,
  { required = false }: { readonly required?: boolean } = {},
): void => {
  if (required && fields.every((name) => request.getHeader(name) === null)) {
    throw new HttpError(428, "If-Match with the current entity tag is required");
  }
  if (precondition(request, current) === "failed") {
    throw new HttpError(412, "The resource has changed since it was read");
  }
};

const fields = ["if-match", "if-unmodified-since", "if-none-match"];
