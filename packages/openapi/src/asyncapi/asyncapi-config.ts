import { checked, type ConfigRecord, configRecord, list, optional, text } from "@framework/core/feature";
import { type Guard, type HttpRequest, isGuard } from "@framework/core";
import { isConverters, type SchemaConverters } from "../document/schema-libraries.ts";

/** Options of `enableAsyncapi`. */
export interface AsyncapiConfig {
  /** Name of the API. @default "Framework API" */
  readonly title: string;
  /** Version of the API, not of the framework. @default "1.0.1" */
  readonly version: string;
  /** Description of the API, in CommonMark. @default none */
  readonly description: string | undefined;
  /** Path of the document. @default "/asyncapi.json" */
  readonly path: string;
  /** Converters to JSON Schema, as in `OpenapiConfig`. @default {} */
  readonly jsonSchema: SchemaConverters;
  /** Guards of the document; they run after the app's guards. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
}

export const AsyncapiConfig: ConfigRecord<AsyncapiConfig> = configRecord("AsyncapiConfig", {
  title: text("Framework API"),
  version: text("1.0.1"),
  description: optional({ problem: (value) => (typeof value === "string" ? null : "must be a string") }),
  path: checked(
    "/asyncapi.json",
    "a path of letters, digits, dots, underscores and dashes, such as /asyncapi.json",
    (value) => typeof value === "string" && /^(?:\/[\w-][\w.-]*)+$/.test(value),
  ),
  jsonSchema: checked<SchemaConverters>(
    {},
    "an object of converter functions by the name of their schema library",
    isConverters,
  ),
  guards: list<Guard<HttpRequest>>([], "guards", isGuard),
});
