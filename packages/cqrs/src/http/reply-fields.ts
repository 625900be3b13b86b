/** Header field of a reply that repeats an earlier one. */
export const REPLAYED_FIELD = "idempotent-replayed";

/** Header field with the position of the last event that a command appended. */
export const TOKEN_FIELD = "consistency-token";
