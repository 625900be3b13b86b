import type { RouteInfo, StandardSchema } from "@framework/core";
import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import { hasType } from "./accepted-types.ts";
import type { Components } from "./components.ts";
import { errorReference, impliedFields, impliedReference } from "./implied-replies.ts";
import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import type { Content, Reference, Reply } from "./openapi-document.ts";
import { documentsOf, jsonSchemaOf, resultOfUndefined } from "./standard-json-schema.ts";

/** The body of a reply that a route declares. */
export interface OwnBody {
  /** Schema of the body; `true` if its library has no JSON Schema for it. */
  readonly schema: JsonSchema;
  /** Schema of the strings that are sent as text; `null` if the body is never sent as text. */
  readonly text: JsonSchema | null;
  readonly mayBeNull: boolean;
}

/** Returns the bodies of a route's own replies, by the keys of `responses`: `200`, `4XX`, `default`. */
export const ownReplies = (
  route: RouteInfo,
  components: Components,
  name: string,
): ReadonlyMap<string, OwnBody> =>
  new Map(
    Object.entries(route.options.responses ?? {}).map(([status, standard]) => {
      const found = jsonSchemaOf(standard, "output");
      const schema =
        found === null || components.place({ schema: found, side: "output", name: `${name}_${status}` });
      if (documentsOf(standard) !== null) return [status, { schema, text: null, mayBeNull: false }]; // always sent as JSON
      const text = textOf(found ?? {}, schema);
      return [
        status,
        { schema, text, mayBeNull: hasType(found ?? {}, "null") || acceptsUndefined(standard) },
      ];
    }),
  );

/** Whether a schema turns `undefined` into `undefined` or `null`, as an optional schema does. Its JSON Schema does not express this. */
const acceptsUndefined = (schema: StandardSchema): boolean => {
  const result = resultOfUndefined(schema);
  return result !== null && (result.value === undefined || result.value === null);
};

const textOf = (found: JsonSchemaObject, placed: JsonSchema): JsonSchema | null => {
  if (!hasType(found, "string")) return null;
  return found["type"] === "string" || found["$ref"] !== undefined ? placed : { type: "string" };
};

/** Returns all replies of an operation: its own and implied replies, and a generic success if the route declares none. */
export const repliesOf = (
  { method }: RouteInfo,
  implied: readonly ImpliedReply[],
  own: ReadonlyMap<string, OwnBody>,
  fields: Reply["headers"],
): Readonly<Record<string, Reply | Reference>> => {
  const replies: Record<string, Reply | Reference> = {};
  for (const reply of implied) {
    const key = String(reply.status);
    const body = ownBody(own, reply.status);
    if (body === null) replies[key] = impliedReference(reply.status);
    else if (!own.has(key))
      replies[key] = replyOf({ method, key, body, implied: { ...reply, byHandler: false }, fields }); // the handler may also send this status
  }
  for (const [key, body] of own) {
    const reply = implied.find(({ status }) => String(status) === key);
    replies[key] = replyOf({ method, key, body, implied: reply, fields });
  }
  if (ownBody(own, 200)?.mayBeNull === true)
    replies[204] ??= { description: "No content.", ...fieldsOf(fields) };
  if (![...own.keys()].some(maySucceed)) replies["2XX"] = { description: "Success.", ...fieldsOf(fields) };
  return Object.fromEntries(Object.entries(replies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** Returns the body that the route declares for a status, its range (`4XX`) or `default`; `null` if the route declares none. For a 304 only its own key counts. */
export const ownBody = (own: ReadonlyMap<string, OwnBody>, status: number): OwnBody | null =>
  own.get(String(status)) ??
  (status === 304 ? undefined : (own.get(`${Math.trunc(status / 100)}XX`) ?? own.get("default"))) ??
  null;

/** Whether a key of `responses` includes successes or redirections. */
const maySucceed = (key: string): boolean => /^[23d]/.test(key);

/** A reply that the route declares. */
interface OwnReply {
  readonly method: string;
  /** Key in `responses` of the operation. */
  readonly key: string;
  readonly body: OwnBody;
  /** The implied reply with the same status. */
  readonly implied: ImpliedReply | undefined;
  /** Header fields that features set on successful replies. */
  readonly fields: Reply["headers"];
}

/** Returns the header fields that features set on the successful replies of a route; `undefined` if there are none. */
export const replyFields = (fields: readonly FieldUse[]): Reply["headers"] => {
  const set = fields.filter((field) => field.in === "reply");
  if (set.length === 0) return undefined;
  return Object.fromEntries(
    set.map(({ name, description, type }) => [name, { description, schema: { type } }]),
  );
};

const fieldsOf = (fields: Reply["headers"]): Pick<Reply, "headers"> =>
  fields === undefined ? {} : { headers: fields };

const replyOf = ({ method, key, body, implied, fields }: OwnReply): Reply => ({
  description: implied?.description ?? descriptionOf(key),
  ...(maySucceed(key) ? fieldsOf(fields) : impliedFields(implied?.headers)),
  ...(method === "HEAD" || key === "204" || key === "304" ? {} : { content: contentOf(key, body, implied) }),
});

/** Returns the description of a reply without an implied reply for its status. */
const descriptionOf = (key: string): string => {
  if (key === "default") return "Any other reply.";
  return maySucceed(key) ? "Success." : "Failure.";
};

const contentOf = (key: string, { schema, text }: OwnBody, implied: ImpliedReply | undefined): Content => {
  const isFrameworkError = !maySucceed(key) && implied !== undefined && implied.byHandler !== true;
  const own = schema === true ? {} : schema;
  return {
    "application/json": { schema: isFrameworkError ? { anyOf: [schema, errorReference] } : own },
    ...(isFrameworkError && { "application/problem+json": { schema: errorReference } }),
    ...(text === null ? {} : { "text/plain": { schema: text } }),
  };
};
