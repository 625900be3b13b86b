import type { ContractOperation } from "./contract-document.ts";
import { isJson } from "./json-object.ts";

/** Returns a problem if a 422 rejects a single value of a query parameter that is documented as a list; else `null`. */
export const refusedList = (
  { parameters }: ContractOperation,
  status: number,
  text: string,
): string | null => {
  if (status !== 422) return null;
  const refused = namesRefused(text);
  for (const { in: place, name, schema } of parameters)
    if (place === "query" && isJson(schema) && schema["type"] === "array" && refused.includes(name))
      return `refused one value of the query parameter ${JSON.stringify(name)}, which is documented as a list`;
  return null;
};

/** Returns names of query parameters that a 422 of the framework rejects because a list was expected. */
const namesRefused = (text: string): readonly unknown[] => {
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    return []; // another body, which `replyViolation` checks
  }
  const errors: unknown = isJson(reply) ? reply["errors"] : null;
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => {
    if (!isJson(error) || error["received"] !== "string" || !/array/i.test(String(error["expected"])))
      return [];
    const { loc } = error;
    return Array.isArray(loc) && loc.length === 2 && loc[0] === "query" ? [loc[1]] : [];
  });
};
