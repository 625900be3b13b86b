import type { ImpliedReply } from "@framework/core/feature";
import { reasonPhrase } from "@framework/core/http";
import type { JsonSchema } from "./json-schema.ts";
import { mergeReplies } from "./merge-replies.ts";
import type { Reference, Reply } from "./openapi-document.ts";

/** Returns the reference to an implied reply. */
export const impliedReference = (status: number): Reference => ({
  $ref: `#/components/responses/${nameOf(status)}`,
});

/** Returns the implied replies by name, each with the descriptions of all routes. */
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

/** Returns the header fields of an implied reply; `{}` if there are none. */
export const impliedFields = (fields: ImpliedReply["headers"] = {}): Pick<Reply, "headers"> => {
  const headers = Object.entries(fields).map(
    ([name, { description, type }]) => [name, { description, schema: { type } }] as const,
  );
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
};

/** Reference to the schema that all errors share. */
export const errorReference: JsonSchema = { $ref: "#/components/schemas/Error" };

/** Schema of error bodies. Only `error` is required, because exception handlers may omit the other members. */
export const errorSchema: JsonSchema = {
  type: "object",
  properties: {
    error: { type: "string", description: "Kind of the error." },
    detail: { type: "string", description: "Description of the error, in one sentence." },
    status: { type: "integer", description: "The status of the reply." },
    errors: {
      type: "array",
      description: "Every value that does not match its schema.",
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
    retry_after: { type: "integer", description: "Seconds to wait before a retry." },
  },
  required: ["error"],
};
