import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapAwaitable } from "@framework/core/feature";
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
    const added = addFields(request, (input) =>
      mapAwaitable(next(input), (reply) => {
        own = [...names, ...secure].filter((name) => reply.headers.has(name));
        return reply;
      }),
    );
    return mapAwaitable(added, (reply) => {
      const set = [...names, ...secure].filter((name) => reply.headers.has(name) && !own.includes(name));
      reasons.give(request, `${set.length} fields added`);
      if (own.length > 0) reasons.give(request, `already in the reply: ${own.join(", ")}`);
      if (secure.length > 0 && !request.isSecure)
        reasons.give(request, `omitted without TLS: ${secure.join(", ")}`);
      return reply;
    });
  };

/** Names and values alternate. */
const isName = (_text: string, index: number): boolean => index % 2 === 0;
