import type { HttpRequest, Middleware, Response } from "@framework/core";
import { type DecisionReasons, mapAwaitable } from "@framework/core/feature";
import type { SecurityFields } from "./security-fields.ts";

/** Adds the names of the added fields as reasons, for tools that show the steps of a request; values such as a nonce are omitted. */
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
      if (own.length > 0) reasons.give(request, `kept from the reply: ${own.join(", ")}`);
      if (secure.length > 0 && !request.isSecure)
        reasons.give(request, `only over TLS: ${secure.join(", ")}`);
      return reply;
    });
  };

/** Names and values alternate. */
const isName = (_text: string, index: number): boolean => index % 2 === 0;
