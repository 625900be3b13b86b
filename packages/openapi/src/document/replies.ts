import type { RouteInfo } from "@framework/core";
import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import { hasType } from "./accepted-types.ts";
import type { Components } from "./components.ts";
import { errorReference, impliedReference } from "./implied-replies.ts";
import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import type { Content, Reference, Reply } from "./openapi-document.ts";
import { jsonSchemaOf } from "./standard-json-schema.ts";

/** The body of a reply that a route lists. */
export interface OwnBody {
  /** `true` when its library has no JSON Schema for it. */
  readonly schema: JsonSchema;
  /** Schema of the body as text: that of its strings; `null` if it has none. */
  readonly text: JsonSchema | null;
  readonly mayBeNull: boolean;
}

/** The bodies of a route's own replies, by status. */
export const ownReplies = (
  route: RouteInfo,
  components: Components,
  name: string,
): ReadonlyMap<number, OwnBody> =>
  new Map(
    Object.entries(route.options.responses ?? {}).map(([status, standard]) => {
      const found = jsonSchemaOf(standard, "output");
      if (found === null) return [Number(status), { schema: true, text: null, mayBeNull: false }];
      const schema = components.place({ schema: found, side: "output", name: `${name}_${status}` });
      return [Number(status), { schema, text: textOf(found, schema), mayBeNull: hasType(found, "null") }];
    }),
  );

const textOf = (found: JsonSchemaObject, placed: JsonSchema): JsonSchema | null => {
  if (!hasType(found, "string")) return null;
  return found["type"] === "string" || found["$ref"] !== undefined ? placed : { type: "string" };
};

/** All replies of an operation: its own, the implied ones, and a generic success if the route lists none. */
export const repliesOf = (
  { method }: RouteInfo,
  implied: readonly ImpliedReply[],
  own: ReadonlyMap<number, OwnBody>,
  fields: Reply["headers"],
): Readonly<Record<string, Reply | Reference>> => {
  const replies: Record<string, Reply | Reference> = {};
  for (const { status } of implied) if (!own.has(status)) replies[status] = impliedReference(status);
  for (const [status, body] of own) {
    const shared = implied.find((reply) => reply.status === status);
    replies[status] = replyOf({ method, status, body, shared, fields });
  }
  if (own.get(200)?.mayBeNull === true) replies[204] ??= { description: "No content.", ...fieldsOf(fields) };
  if (![...own.keys()].some((status) => status >= 200 && status < 400))
    replies["2XX"] = { description: "Success.", ...fieldsOf(fields) };
  return Object.fromEntries(Object.entries(replies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** A reply that the route lists. */
interface OwnReply {
  readonly method: string;
  readonly status: number;
  readonly body: OwnBody;
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

const fieldsOf = (fields: Reply["headers"]): Pick<Reply, "headers"> =>
  fields === undefined ? {} : { headers: fields };

const replyOf = ({ method, status, body, shared, fields }: OwnReply): Reply => ({
  description: shared?.description ?? (status < 400 ? "Success." : "Failure."),
  ...(status < 400 ? fieldsOf(fields) : {}),
  ...(method === "HEAD" || status === 204 || status === 304
    ? {}
    : { content: contentOf(status, body, shared) }),
});

const contentOf = (status: number, { schema, text }: OwnBody, shared: ImpliedReply | undefined): Content => ({
  "application/json": { schema: jsonOf(status, schema, shared) },
  ...(text === null ? {} : { "text/plain": { schema: text } }),
});

const jsonOf = (status: number, schema: JsonSchema, shared: ImpliedReply | undefined): JsonSchema => {
  if (status >= 400 && shared !== undefined && shared.byHandler !== true)
    return { anyOf: [schema, errorReference] };
  return schema === true ? {} : schema;
};
