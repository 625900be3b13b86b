import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapOutput } from "@framework/core/feature";
import type { SecurityFields } from "./security-fields.ts";

/** Wraps the middleware to report the number of added fields, and the names of the fields not added, as reasons for tools. */
export const withReasons =
  (
    addFields: Middleware<HttpRequest, Response>,
    { always, overTls, policyName, policy }: SecurityFields,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    const names = [...always.filter(isName), ...(policy?.withNonce == null ? [] : [policyName])];
    const secure = overTls.filter(isName);
    let own: readonly string[] = [];
    const noteOwnFields = (reply: Response): Response => {
      own = [...names, ...secure].filter((name) => reply.headers.has(name));
      return reply;
    };
    const explain = (reply: Response): Response => {
      const set = [...names, ...secure].filter((name) => reply.headers.has(name) && !own.includes(name));
      reasons.give(request, `${set.length} fields added`);
      if (own.length > 0) reasons.give(request, `already in the reply: ${own.join(", ")}`);
      if (secure.length > 0 && !request.isSecure)
        reasons.give(request, `omitted without TLS: ${secure.join(", ")}`);
      return reply;
    };
    const added = addFields(request, (input) => mapOutput(next(input), noteOwnFields, null));
    return mapOutput(added, explain, null);
  };

/** Names and values alternate. */
const isName = (_text: string, index: number): boolean => index % 2 === 0;
