import type { RouteInfo, StandardSchema } from "@framework/core";
import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import { type Components, createComponents } from "./components.ts";
import { errorSchema, impliedReplies } from "./implied-replies.ts";
import { containsFile, type JsonSchemaObject, requiresMembers } from "./json-schema.ts";
import { type ListedRoute, listedRoutes } from "./listed-routes.ts";
import type {
  Info,
  License,
  OpenapiDocument,
  Operation,
  PathItem,
  RequestBody,
  Server,
  Tag,
} from "./openapi-document.ts";
import { mergeReplies } from "./merge-replies.ts";
import { operationIds } from "./operation-id.ts";
import { fieldParameters, pathParameters, queryParameters } from "./parameters.ts";
import { type OwnBody, ownBody, ownReplies, repliesOf, replyFields } from "./replies.ts";
import { requestSchema } from "./request-schema.ts";
import { createSecurity, type Security } from "./security.ts";
import { documentsOf, jsonSchemaOf, resultOfUndefined } from "./standard-json-schema.ts";

/** Metadata of the API; see `OpenapiConfig`. */
export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly license: License | undefined;
  readonly servers: readonly Server[];
  readonly tags: readonly Tag[];
}

/** Arguments of `createDocument`. */
export interface DocumentParts {
  readonly config: ApiDescription;
  readonly routes: readonly RouteInfo[];
  /** Returns the replies that a route implies. */
  readonly impliedReplies: (route: RouteInfo) => readonly ImpliedReply[];
  /** Returns the header fields that features use on a route. */
  readonly usedFields: (route: RouteInfo) => readonly FieldUse[];
  /** Called with a message for each route or schema that the document cannot express. */
  readonly warn: (message: string) => void;
}

/** An operation under construction. */
interface Draft {
  readonly entry: ListedRoute;
  readonly implied: readonly ImpliedReply[];
  readonly fields: readonly FieldUse[];
  readonly id: string;
  readonly own: ReadonlyMap<string, OwnBody>;
}

/** Returns the OpenAPI 3.1 document of an app, which does not depend on the order in which routes were registered. */
export const createDocument = (parts: DocumentParts): OpenapiDocument => {
  const { config, warn } = parts;
  const entries = listedRoutes(parts.routes, warn);
  const idOf = operationIds(entries.map(({ route }) => route));
  const components = createComponents({ Error: errorSchema });
  const security = createSecurity();
  for (const { route } of entries) warnOfSchemas(route, warn);
  const drafts = entries.map((one): Draft => {
    const id = idOf(one.route);
    const implied = parts.impliedReplies(one.route);
    const fields = parts.usedFields(one.route);
    return { entry: one, id, implied, fields, own: ownReplies(one.route, components, id) }; // replies first, so their schemas get the names without `Input`
  });
  const paths: Record<string, Record<string, Operation>> = {};
  for (const draft of drafts) {
    const { path, route } = draft.entry;
    const key = route.method === "QUERY" ? "x-query" : route.method.toLowerCase();
    (paths[path] ??= {})[key] = operation(draft, components, security);
  }
  const shared = drafts.flatMap(({ implied, own }) =>
    implied.filter(({ status }) => ownBody(own, status) === null),
  );
  const schemes = security.schemes();
  return {
    openapi: "3.1.0",
    info: infoOf(config),
    servers: config.servers,
    security: [],
    ...(config.tags.length === 0 ? {} : { tags: config.tags }),
    paths: paths satisfies Record<string, PathItem>,
    components: {
      schemas: shared.length === 0 && entries.length === 0 ? {} : components.schemas(),
      responses: impliedReplies(shared),
      ...(Object.keys(schemes).length === 0 ? {} : { securitySchemes: schemes }),
    },
  };
};

const infoOf = ({ title, version, description, license }: ApiDescription): Info => ({
  title,
  version,
  ...(description === undefined ? {} : { description }),
  ...(license === undefined ? {} : { license }),
});

/** Whether a route without a body schema accepts any object, by its method. */
const takesAnyObject = ({ method }: RouteInfo): boolean =>
  method === "POST" || method === "PUT" || method === "PATCH" || method === "QUERY";

const operation = (
  { entry, implied, fields, id, own }: Draft,
  components: Components,
  security: Security,
): Operation => {
  const { route } = entry;
  const { summary = `${route.method} ${route.path}`, description, query } = route.options;
  const parameters = [
    ...pathParameters(entry, components, `${id}_params`),
    ...queryParameters(query, components, `${id}_query`),
    ...fieldParameters(fields),
  ];
  const body = requestBody(route, components, `${id}_body`);
  const requirements = security.requirements(route);
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isDeprecated(fields) ? { deprecated: true } : {}),
    ...(route.tags.length === 0 ? {} : { tags: route.tags }),
    ...(requirements.length === 0 ? {} : { security: requirements }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: repliesOf(route, mergeReplies(implied), own, replyFields(fields)),
  };
};

/** Whether a route is deprecated: its replies have the field Deprecation (RFC 9745). */
const isDeprecated = (fields: readonly FieldUse[]): boolean =>
  fields.some((field) => field.in === "reply" && field.name.toLowerCase() === "deprecation");

const requestBody = (route: RouteInfo, components: Components, name: string): RequestBody | null => {
  const { body } = route.options;
  if (body !== undefined) {
    const schema = jsonSchemaOf(body, "input") ?? {};
    const type = containsFile(schema) ? "multipart/form-data" : "application/json";
    const content = {
      [type]: { schema: components.place({ schema: requestSchema(schema), side: "input", name }) },
    };
    return { ...(isRequired(body, schema) ? { required: true } : {}), content };
  }
  return takesAnyObject(route) ? { content: { "application/json": { schema: { type: "object" } } } } : null;
};

/** Whether the body is required: its schema refuses `undefined`. A part of an object is required if it has required members. */
const isRequired = (body: StandardSchema, jsonSchema: JsonSchemaObject): boolean => {
  const documents = documentsOf(body);
  if (documents === null || documents.part === null)
    return resultOfUndefined(documents?.schema ?? body) === null;
  return requiresMembers(jsonSchema);
};

const warnOfSchemas = ({ method, path, options }: RouteInfo, warn: (message: string) => void): void => {
  const { params, query, body, responses = {} } = options;
  const inputs = Object.entries({ params, query, body }).map(
    ([part, schema]) => [part, schema, "input"] as const,
  );
  const outputs = Object.entries(responses).map(
    ([status, schema]) => [`reply ${status}`, schema, "output"] as const,
  );
  for (const [part, schema, side] of [...inputs, ...outputs]) {
    if (schema === undefined || jsonSchemaOf(schema, side) !== null) continue;
    warn(
      `${method} ${path}: the API document cannot show the schema of its ${part}, which its library cannot convert to JSON Schema`,
    );
  }
};
