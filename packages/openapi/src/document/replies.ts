import type { Components } from "./components.ts";
import {
  errorReference,
  impliedDescription,
  impliedReference,
  impliedStatuses,
  isHandlers,
  type RouteFacts,
} from "./implied-replies.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Reference, Reply } from "./openapi-document.ts";
import { jsonSchemaOf } from "./standard-json-schema.ts";

/** Schemas of a route's own replies, by status; `true` where its library has no JSON Schema for it. */
export const ownReplies = (
  { route }: Pick<RouteFacts, "route">,
  components: Components,
  name: string,
): ReadonlyMap<number, JsonSchema> =>
  new Map(
    Object.entries(route.options.responses ?? {}).map(([status, standard]) => {
      const schema = jsonSchemaOf(standard, "output");
      const source = { schema: schema ?? {}, side: "output", name: `${name}_${status}` } as const;
      return [Number(status), schema === null ? true : components.place(source)];
    }),
  );

/** All replies of an operation: its own, the implied ones, and a generic success if the route lists none. */
export const repliesOf = (
  facts: RouteFacts,
  own: ReadonlyMap<number, JsonSchema>,
): Readonly<Record<string, Reply | Reference>> => {
  const implied = impliedStatuses(facts);
  const replies: Record<string, Reply | Reference> = {};
  for (const status of implied) if (!own.has(status)) replies[status] = impliedReference(status);
  for (const [status, schema] of own) {
    const shared = status >= 400 && implied.includes(status) && !isHandlers(status);
    replies[status] = replyOf(
      facts.route.method,
      status,
      shared ? { anyOf: [schema, errorReference] } : schema,
    );
  }
  if (![...own.keys()].some((status) => status >= 200 && status < 400))
    replies["2XX"] = { description: "Success." };
  return Object.fromEntries(Object.entries(replies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const replyOf = (method: string, status: number, schema: JsonSchema): Reply => ({
  description: impliedDescription(status) ?? (status < 400 ? "Success." : "Failure."),
  ...(method === "HEAD" || status === 204 || status === 304
    ? {}
    : { content: { "application/json": { schema: schema === true ? {} : schema } } }),
});
