import type { RouteInfo } from "@framework/core";
import type { FieldUse } from "@framework/core/feature";

/** The properties of a used field that CORS reads. */
export type UsedField = Pick<FieldUse, "name" | "in">;

/** Returns the header fields of a route's authentications: credentials in requests, and the challenge of a 401. */
export const authFields = ({ auth }: Pick<RouteInfo, "auth">): readonly UsedField[] => {
  if (auth.length === 0) return [];
  const schemes = auth.flatMap((one) => Object.values(one.schemes));
  const carriers = schemes.flatMap((scheme) => {
    if (scheme.type === "http") return ["Authorization"];
    return scheme.in === "header" ? [scheme.name] : [];
  });
  return [...carriers.map((name) => ({ name, in: "request" }) as const), challenge];
};

const challenge: UsedField = { name: "WWW-Authenticate", in: "refusal" };
