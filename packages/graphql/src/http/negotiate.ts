import { namesType, preferred } from "@framework/core/http";

/** Media types of replies. */
export const JSON_TYPE = "application/json; charset=utf-8";
const RESPONSE_TYPE = "application/graphql-response+json; charset=utf-8";

const jsonFirst = [JSON_TYPE, RESPONSE_TYPE];
const responseFirst = [RESPONSE_TYPE, JSON_TYPE];

/**
 * Returns the type of the reply by `Accept`, weights included; `null` when neither is acceptable. Of equal weights, `application/graphql-response+json` is
 * taken where the field names it, `application/json` where it has wildcards only.
 */
export const negotiate = (accept: string | null): string | null =>
  accept === null || accept === "*/*" || accept === "application/json"
    ? JSON_TYPE
    : preferred(accept, namesType(accept, "application/graphql-response+json") ? responseFirst : jsonFirst);
