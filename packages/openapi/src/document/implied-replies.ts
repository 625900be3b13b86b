import type { ImpliedReply } from "@framework/core/feature";
import { reasonPhrase } from "@framework/core/http";
import type { JsonSchema } from "./json-schema.ts";
import { mergeReplies } from "./merge-replies.ts";
import type { Reference, Reply } from "./openapi-document.ts";

/** The reference of an implied reply. */
export const impliedReference = (status: number): Reference => ({
  $ref: `#/components/responses/${nameOf(status)}`,
});

/** The referenced replies by name, each with all descriptions that it has on some route. */
export const impliedReplies = (implied: readonly ImpliedReply[]): Record<string, Reply> =>
  Object.fromEntries(
    mergeReplies(implied)
      .map((reply) => [nameOf(reply.status), toReply(reply)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Name under `components.responses`. */
const nameOf = (status: number): string => reasonPhrase(status).replaceAll(/[^A-Za-z0-9]/g, "");

const toReply = ({ status, description, headers }: ImpliedReply): Reply => ({
  description,
  ...impliedFields(headers),
  ...(status < 400
    ? {}
    : {
        content: {
          "application/json": { schema: errorReference },
          "application/problem+json": { schema: errorReference },
        },
      }),
});

/** The header fields of an implied reply; no member without any. */
export const impliedFields = (fields: ImpliedReply["headers"] = {}): Pick<Reply, "headers"> => {
  const headers = Object.entries(fields).map(
    ([name, { description, type }]) => [name, { description, schema: { type } }] as const,
  );
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
};

/** Reference of the one schema of errors. */
export const errorReference: JsonSchema = { $ref: "#/components/schemas/Error" };

/** Bodies of errors. Exception handlers may leave members out, but an error says what it is. */
export const errorSchema: JsonSchema = {
  type: "object",
  properties: {
    error: { type: "string", description: "What kind of error it is." },
    detail: { type: "string", description: "One sentence on what is wrong." },
    status: { type: "integer", description: "The status of the reply." },
    errors: {
      type: "array",
      description: "Every place that does not match its schema.",
      items: {
        type: "object",
        properties: {
          loc: { type: "array", items: { type: ["string", "integer"] } },
          msg: { type: "string" },
          type: { type: "string" },
          expected: { type: "string" },
          received: { type: "string" },
        },
        required: ["loc", "msg", "type"],
      },
    },
    retry_after: { type: "integer", description: "Seconds until a new attempt." },
  },
  required: ["error"],
};
