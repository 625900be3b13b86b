import { namesType, preferredType } from "@framework/core/http";

/** Media types of replies. */
export const JSON_TYPE = "application/json; charset=utf-8";
const RESPONSE_TYPE = "application/graphql-response+json; charset=utf-8";

const jsonFirst = [JSON_TYPE, RESPONSE_TYPE];
const responseFirst = [RESPONSE_TYPE, JSON_TYPE];

/**
 * Returns the type of the reply for an `Accept` with weights; `null` if neither type is acceptable. With equal weights it is
 * `application/graphql-response+json` if the field names it, and `application/json` otherwise.
 */
export const negotiate = (accept: string | null): string | null =>
  accept === null || accept === "*/*" || accept === "application/json"
    ? JSON_TYPE
    : preferredType(
        accept,
        namesType(accept, "application/graphql-response+json") ? responseFirst : jsonFirst,
      );
