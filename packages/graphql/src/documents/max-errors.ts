import type { DocumentNode } from "graphql";

/** Maximum errors of a document; further ones are rarely useful, and cost time. */
const MAX_ERRORS = 10;

/** Maximum lines counted for the errors of one document: each error counts from the first line to its place. Ten errors in 16 000 lines took 15 ms. */
const MAX_LINES = 1000;

/** Returns how many errors of a document are reported: 10, and fewer for one of more than 100 lines. */
export const maxErrorsOf = ({ loc }: DocumentNode): number =>
  Math.max(1, Math.min(MAX_ERRORS, Math.floor(MAX_LINES / (loc?.endToken.line ?? 1))));
