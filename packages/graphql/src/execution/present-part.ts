import type { PartMember, ResultPart } from "../graphql-js/in-parts.ts";
import type { PresentError } from "./present-error.ts";

/** A part for clients: with its errors, and those of its members, formatted. */
export const presentPart = (part: ResultPart, present: PresentError): object => {
  const { incremental, completed } = part;
  return {
    ...withErrors(part, present),
    ...(incremental !== undefined && { incremental: incremental.map((each) => withErrors(each, present)) }),
    ...(completed !== undefined && { completed: completed.map((each) => withErrors(each, present)) }),
  };
};

const withErrors = <T extends PartMember>(member: T, present: PresentError): object =>
  member.errors === undefined ? member : { ...member, errors: member.errors.map(present) };
