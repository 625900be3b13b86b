import type { Ajv } from "./peers.ts";
import { isJson } from "./json-object.ts";

/** Describes the violations of a schema by a JSON value, each with its JSON Pointer; `null` if it conforms. */
export type SchemaValidator = (schema: unknown, value: unknown) => string | null;

/**
 * Validates values against the schemas of one OpenAPI document (JSON Schema 2020-12); references resolve within the document. Formats are not checked, and
 * unknown keywords are ignored. Each schema is compiled once.
 */
export const schemaValidator = (Ajv: Ajv, document: unknown): SchemaValidator => {
  const ajv = new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    multipleOfPrecision: 9,
    logger: false,
  });
  const { paths, components } = isJson(document) ? document : {};
  const compile = (schema: unknown) => ajv.compile({ paths, components, allOf: [schema] });
  const compiled = new Map<unknown, ReturnType<typeof compile>>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? null : (validate.errors ?? []).map(toProblem).join("; ");
  };
};

interface ValidationError {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const toProblem = ({ instancePath, message = "", params }: ValidationError): string => {
  const detail = params["additionalProperty"] ?? params["allowedValues"] ?? params["allowedValue"];
  return `the body${instancePath} ${message}${detail === undefined ? "" : `: ${JSON.stringify(detail)}`}`;
};
