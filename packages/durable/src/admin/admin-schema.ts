import type { StandardSchema } from "@framework/core";

/** JSON Schema of one member. A member without a `type` accepts any JSON value. */
export type Member =
  | { readonly type?: undefined; readonly description: string }
  | {
      readonly type: "string";
      readonly pattern?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
    }
  | { readonly type: "string"; readonly enum: readonly string[] }
  | { readonly type: "integer"; readonly minimum: number; readonly maximum: number }
  | { readonly type: "array"; readonly items: Member; readonly minItems: number; readonly maxItems: number };

/** Members of an object. */
export type Members = Readonly<Record<string, Member>>;

/** Type of an object with these members. */
export type ValueOf<M extends Members> = {
  readonly [K in keyof M]?: M[K] extends { readonly type: "integer" }
    ? number
    : M[K] extends { readonly type: "array" }
      ? readonly string[]
      : M[K] extends { readonly type: "string" }
        ? string
        : unknown;
};

/** Returns a Standard Schema of an object that rejects unknown members. It has a JSON Schema for the API document, and accepts integers as strings, as in a query. */
export const objectSchema = <const M extends Members>(
  members: M,
  required: readonly (keyof M & string)[] = [],
): StandardSchema<unknown, ValueOf<M>> => {
  const json = { type: "object", properties: members, required, additionalProperties: false };
  return standard(json, (value) => {
    if (typeof value !== "object" || value === null) return { issues: [{ message: "must be an object" }] };
    const given = value as Readonly<Record<string, unknown>>;
    const read: Record<string, unknown> = {};
    const issues = [
      ...Object.keys(given)
        .filter((name) => !Object.hasOwn(members, name))
        .map((name) => ({ message: "is unknown", path: [name] })),
      ...required
        .filter((name) => given[name] === undefined)
        .map((name) => ({ message: "is missing", path: [name] })),
    ];
    for (const [name, member] of Object.entries(members)) {
      if (given[name] === undefined) continue;
      read[name] = member.type === "integer" ? numberIn(given[name]) : given[name];
      const problem = problemOf(member, read[name]);
      if (problem !== null) issues.push({ message: problem, path: [name] });
    }
    return issues.length > 0 ? { issues } : { value: read as ValueOf<M> };
  });
};

/** Returns a schema of replies for the API document. It accepts any value, because the routes create the replies. */
export const replySchema = (json: object): StandardSchema => standard(json, (value) => ({ value }));

const standard = <T>(
  json: object,
  validate: (
    value: unknown,
  ) => { readonly value: T } | { readonly issues: readonly { readonly message: string }[] },
): StandardSchema<unknown, T> => {
  const jsonSchema = { input: () => json, output: () => json };
  const properties = { version: 1 as const, vendor: "framework", validate, jsonSchema };
  return { "~standard": properties };
};

/** Converts a string of digits to a number; returns any other value unchanged. */
const numberIn = (value: unknown): unknown =>
  typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;

const problemOf = (member: Member, value: unknown): string | null => {
  if (member.type === undefined) return null;
  if (member.type === "integer") {
    const { minimum, maximum } = member;
    const isWithin = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return isWithin ? null : `must be a whole number from ${minimum} to ${maximum}`;
  }
  if (member.type === "array") {
    const { items, minItems, maxItems } = member;
    const isList = Array.isArray(value) && value.length >= minItems && value.length <= maxItems;
    if (!isList) return `must be a list of ${minItems} to ${maxItems} items`;
    return value.map((item) => problemOf(items, item)).find((problem) => problem !== null) ?? null;
  }
  return typeof value === "string" ? textProblem(member, value) : "must be a string";
};

const textProblem = (member: Member & { readonly type: "string" }, value: string): string | null => {
  if ("enum" in member)
    return member.enum.includes(value) ? null : `must be one of ${member.enum.join(", ")}`;
  const { pattern = "", minLength = 0, maxLength = 1000 } = member;
  if (value.length < minLength || value.length > maxLength)
    return `must have ${minLength} to ${maxLength} characters`;
  if (value.includes("\0")) return "must not contain NUL, which databases cannot store";
  return new RegExp(pattern, "u").test(value) ? null : `must match ${pattern}`;
};
