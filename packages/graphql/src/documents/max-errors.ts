import type { DocumentNode } from "graphql";

/** More errors would only repeat what is wrong, at a cost. */
const MAX_ERRORS = 10;

/** Lines that the errors of one document count in all, each from the first line to its place: of 16 000 lines, ten errors took 15 ms. */
const MAX_LINES = 1000;

/** Returns how many errors of a document are reported: 10, and fewer for one of more than 100 lines. */
export const maxErrorsOf = ({ loc }: DocumentNode): number =>
  Math.max(1, Math.min(MAX_ERRORS, Math.floor(MAX_LINES / (loc?.endToken.line ?? 1))));
