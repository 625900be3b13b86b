import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { ListNames } from "./list-names.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
import { outputOf, validate, type ValidationPlace } from "./validate.ts";

/**
 * Validates the values of a query or a form, in which a list with one element is indistinguishable from a single value.
 *
 * A single value that the schema rejects because it is not a list is validated again as a list with one element. The original value is validated first, so a
 * schema that splits a string itself, such as `z.preprocess((text) => text.split(","), z.array(z.string()))`, still gets the string.
 *
 * @param lists the properties that are lists
 * @throws ValidationError 422
 */
export const validateNamed = (
  schema: StandardSchema,
  value: unknown,
  place: ValidationPlace,
  lists: ListNames,
): Awaitable<unknown> => {
  const result = schema["~standard"].validate(value);
  const settle = (settled: StandardResult<unknown>): Awaitable<unknown> => {
    const changed = settled.issues === undefined ? null : withLists(value, settled.issues, lists);
    return changed === null ? outputOf(settled, value, place) : validate(schema, changed, place);
  };
  return isPromise(result) ? Promise.resolve(result).then(settle) : settle(result);
};

/** Copies the values and replaces each single value of `lists` that was rejected as not a list with a list of this value; `null` if there is none. */
const withLists = (value: unknown, issues: readonly StandardIssue[], lists: ListNames): unknown => {
  const copy: Record<string, unknown> = Object.assign(Object.create(null), value);
  let isChanged = false;
  for (const issue of Array.from(issues)) {
    const name = nameOf(issue);
    if (name === null || !lists.has(name) || !expectsList(issue)) continue;
    const single = copy[name];
    if (single === undefined || Array.isArray(single)) continue;
    copy[name] = [single];
    isChanged = true;
  }
  return isChanged ? copy : null;
};

/** The property that an issue concerns; `null` if the issue concerns a part of a property, or the whole value. */
const nameOf = ({ path = [] }: StandardIssue): string | null => {
  const [first, ...rest] = Array.from(path);
  const key = typeof first === "object" ? first.key : first;
  return typeof key === "string" && rest.length === 0 ? key : null;
};

/**
 * Whether an issue reports that a list is expected; for a union, whether an issue of one of its alternatives does. An issue with only a message counts as such
 * a report.
 */
const expectsList = (issue: StandardIssue): boolean => {
  const { expected, code, type, errors } = issue as StandardIssue & Readonly<Record<string, unknown>>;
  if (typeof expected === "string") return /array|tuple|list/i.test(expected);
  if (Array.isArray(errors))
    return errors.flat().some((each: StandardIssue) => concernsWhole(each) && expectsList(each));
  return expected === undefined && code === undefined && type === undefined;
};

/** Whether an issue of an alternative concerns the whole value. */
const concernsWhole = ({ path = [] }: StandardIssue): boolean => Array.from(path).length === 0;
