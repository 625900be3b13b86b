import type { StandardSchema } from "@framework/core";
import type { BrokerOutline } from "@framework/messaging/adapter";
import type { Components } from "../document/components.ts";
import { convertersFor, type SchemaConverters, withConverter } from "../document/schema-libraries.ts";
import type { JsonSchema } from "../document/json-schema.ts";
import { jsonSchemaOf } from "../document/standard-json-schema.ts";

/** A message of one type; `null` for any type. */
export interface TypedMessage {
  readonly type: string | null;
  readonly message: object;
}

/** Returns the JSON Schema of a message's input type; a schema that allows any value if there is none. */
export type PlaceSchema = (schema: StandardSchema, name: string) => JsonSchema;

/** Schema of any value. AsyncAPI does not allow `true` as a payload. */
const anything: JsonSchema = {};

type Schemas = BrokerOutline["receives"][number]["schemas"];

/** Returns a function that writes schemas with references to components. */
export const schemaPlacer = async (
  brokers: readonly BrokerOutline[],
  given: SchemaConverters,
  components: Components,
): Promise<PlaceSchema> => {
  const all = brokers.flatMap(({ sends, receives }) =>
    [...sends, ...receives].flatMap(({ schemas }) => schemasIn(schemas)),
  );
  const converters = await convertersFor(all, given);
  return (schema, name) => {
    const found = jsonSchemaOf(withConverter(schema, converters), "input");
    return found === null ? anything : components.place({ schema: found, side: "input", name });
  };
};

const schemasIn = (schemas: Schemas): readonly StandardSchema[] => {
  if (schemas === null) return [];
  return isSchema(schemas) ? [schemas] : Object.values(schemas);
};

const isSchema = (schemas: NonNullable<Schemas>): schemas is StandardSchema => "~standard" in schemas;

/** Returns the messages of a topic: one per type, or a single one for any type. */
export const messagesOf = (
  topic: string,
  schemas: Schemas,
  { envelope }: BrokerOutline,
  place: PlaceSchema,
): readonly TypedMessage[] => {
  const toMessage = (type: string | null, data: JsonSchema): TypedMessage => {
    const shape =
      envelope.mode === "binary" ? binaryMessage(envelope.prefix, type, data) : structuredMessage(type, data);
    return { type, message: { name: type ?? topic, ...shape } };
  };
  if (schemas === null) return [toMessage(null, anything)];
  if (isSchema(schemas)) return [toMessage(null, place(schemas, topic))];
  return Object.entries(schemas).map(([type, schema]) => toMessage(type, place(schema, type)));
};

const text = { type: "string" } as const;
const time = { type: "string", format: "date-time" } as const;

/** Returns the schemas of the attributes of CloudEvents 1.0. */
const attributes = (type: string | null): Readonly<Record<string, object>> => ({
  specversion: { const: "1.0" },
  id: text,
  type: type === null ? text : { const: type },
  source: { type: "string", format: "uri-reference" },
  subject: text,
  time,
  partitionkey: text,
});

const required = ["specversion", "id", "type", "source"];

/** Returns a message in binary mode: attributes in headers, the data as payload. */
const binaryMessage = (prefix: string, type: string | null, payload: JsonSchema): object => {
  const own = Object.entries(attributes(type)).map(([name, schema]) => [`${prefix}${name}`, schema] as const);
  return {
    contentType: "application/json",
    headers: {
      type: "object",
      required: required.map((name) => `${prefix}${name}`),
      properties: { ...Object.fromEntries(own), ...tracing },
    },
    payload,
  };
};

/** Returns a message in structured mode: one JSON object with the attributes and the data. */
const structuredMessage = (type: string | null, data: JsonSchema): object => ({
  contentType: "application/cloudevents+json",
  headers: { type: "object", properties: tracing },
  payload: {
    type: "object",
    required,
    properties: { ...attributes(type), datacontenttype: { const: "application/json" }, data },
  },
});

const tracing = { traceparent: text, tracestate: text, baggage: text };
