import type { RouteInfo } from "@framework/core";
import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import type { Components } from "./components.ts";
import { errorReference, impliedReference } from "./implied-replies.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Reference, Reply } from "./openapi-document.ts";
import { jsonSchemaOf } from "./standard-json-schema.ts";

/** Schemas of a route's own replies, by status; `true` when its library has no JSON Schema for it. */
export const ownReplies = (
  route: RouteInfo,
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
  { method }: RouteInfo,
  implied: readonly ImpliedReply[],
  own: ReadonlyMap<number, JsonSchema>,
  fields: Reply["headers"],
): Readonly<Record<string, Reply | Reference>> => {
  const replies: Record<string, Reply | Reference> = {};
  for (const { status } of implied) if (!own.has(status)) replies[status] = impliedReference(status);
  for (const [status, schema] of own) {
    const shared = implied.find((reply) => reply.status === status);
    replies[status] = replyOf({ method, status, schema, shared, fields });
  }
  if (![...own.keys()].some((status) => status >= 200 && status < 400))
    replies["2XX"] = { description: "Success.", ...(fields === undefined ? {} : { headers: fields }) };
  return Object.fromEntries(Object.entries(replies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** A reply that the route lists. */
interface OwnReply {
  readonly method: string;
  readonly status: number;
  readonly schema: JsonSchema;
  /** The implied reply of the same status. */
  readonly shared: ImpliedReply | undefined;
  /** Header fields that features set on successful replies. */
  readonly fields: Reply["headers"];
}

/** The header fields that features set on the successful replies of a route; `undefined` without any. */
export const replyFields = (fields: readonly FieldUse[]): Reply["headers"] => {
  const set = fields.filter((field) => field.in === "reply");
  if (set.length === 0) return undefined;
  return Object.fromEntries(
    set.map(({ name, description, type }) => [name, { description, schema: { type } }]),
  );
};

const replyOf = ({ method, status, schema, shared, fields }: OwnReply): Reply => ({
  description: shared?.description ?? (status < 400 ? "Success." : "Failure."),
  ...(status < 400 && fields !== undefined ? { headers: fields } : {}),
  ...(method === "HEAD" || status === 204 || status === 304
    ? {}
    : { content: { "application/json": { schema: bodyOf(status, schema, shared) } } }),
});

const bodyOf = (status: number, schema: JsonSchema, shared: ImpliedReply | undefined): JsonSchema => {
  if (status >= 400 && shared !== undefined && shared.byHandler !== true)
    return { anyOf: [schema, errorReference] };
  return schema === true ? {} : schema;
};
