import { type Invocation, RequestId } from "@framework/core";
import {
  ApiKeyName,
  type Claims,
  JwtClaims,
  type Principal,
  principalOf,
  User,
} from "@framework/core/feature";

/** Returns the caller that enqueued a command, as headers of the work item: principal, request id and path parameters. */
export const storedCaller = (invocation: Invocation): Readonly<Record<string, string>> => {
  const principal = principalOf(invocation);
  const requestId = invocation.context.get(RequestId);
  return {
    ...(principal !== null && { principal: JSON.stringify(principal, storedBigint) }),
    ...(requestId !== null && { request: requestId }),
    ...(Object.keys(invocation.params).length > 0 && { params: JSON.stringify(invocation.params) }),
  };
};

/** Member of the object that represents a bigint, which JSON lacks: databases may return bigints as user ids. */
const BIGINT = "cqrs:bigint";

const storedBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? { [BIGINT]: String(value) } : value;

const restoredBigint = (_name: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !(BIGINT in value)) return value;
  const digits = value[BIGINT];
  return typeof digits === "string" && /^-?\d+$/.test(digits) ? BigInt(digits) : value; // otherwise the program's own member of that name
};

/** Returns the path parameters of the request that enqueued a command. */
export const storedParams = ({
  params,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  params === undefined ? {} : (JSON.parse(params) as Record<string, string>); // written by `storedCaller`

/** Restores the caller of a command in the context of its execution. */
export const restoreCaller = (
  { context }: Invocation,
  { principal: text, request }: Readonly<Record<string, string>>,
): void => {
  if (request !== undefined) context.set(RequestId, request);
  if (text === undefined) return;
  const { user, claims, apiKeyName } = JSON.parse(text, restoredBigint) as Principal; // written by `storedCaller`
  if (typeof user === "string") context.set(User, user);
  else if (user !== undefined) context.set("user", user);
  if (claims !== undefined) context.set(JwtClaims, Object.freeze(claims) satisfies Claims);
  if (apiKeyName !== undefined) context.set(ApiKeyName, apiKeyName);
};
