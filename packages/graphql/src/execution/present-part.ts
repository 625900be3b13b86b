import type { PartMember, ResultPart } from "../graphql-js/in-parts.ts";
import type { PresentError } from "./present-error.ts";

/** Returns a part for clients: its errors and the errors of its members are formatted. */
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
