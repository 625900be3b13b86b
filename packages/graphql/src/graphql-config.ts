import { type Awaitable, type Guard, type HttpRequest, isGuard } from "@framework/core";
import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  givenFields,
  integer,
  list,
  optional,
} from "@framework/core/feature";
import { type GraphQLSchema, isSchema } from "graphql";
import type { TrustedDocuments } from "./documents/trusted-documents.ts";
import type { GraphqlContext } from "./context/graphql-context.ts";
import type { Resolvers } from "./schema/field-options.ts";

/** Options of `enableGraphql`; `Values` are the members that `context` adds. */
export interface GraphQLConfig<Values extends object = object> {
  /** Path of the endpoint. @default "/graphql" */
  readonly path: string;
  /** Whether browsers get GraphiQL at the path. @default true in development, otherwise false */
  readonly playground: boolean | undefined;
  /** Whether clients may read the schema and get suggestions in messages. @default true in development, otherwise false */
  readonly introspection: boolean | undefined;
  /** The schema, as SDL or as a `GraphQLSchema`. @default an empty schema, with a warning */
  readonly schema: string | GraphQLSchema | undefined;
  /** Resolvers of a schema in SDL, by type and field. @default {} */
  readonly resolvers: Resolvers<GraphqlContext & Values>;
  /** Returns members to add to the context of an operation. @default none */
  readonly context: ((base: GraphqlContext) => Awaitable<Values>) | undefined;
  /** Guards of the endpoint, its page and the upgrade to WebSocket, after the app's; a refusal is an HTTP reply. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
  /**
   * Called with the payload of `connection_init`. Returning `false` or throwing an HttpError refuses the connection, with 4401 for the status 401 and 4403 for
   * others; a 500, like any other error, is logged and closes the connection with 1011. @default none
   */
  readonly connect:
    | ((payload: Readonly<Record<string, unknown>>, request: HttpRequest) => unknown)
    | undefined;
  /** Trusted documents: texts by id, or a function that returns the text of an id. @default none */
  readonly documents: TrustedDocuments | undefined;
  /** Whether only trusted documents are executed. @default false */
  readonly onlyDocuments: boolean;
  /** Maximum nesting of fields, fragments expanded; a fragment on an introspection type is counted separately. @default 20 */
  readonly maxDepth: number;
  /** Maximum cost of an operation: for each field its `cost` (default 1), times the sizes of the lists that contain it. @default no limit */
  readonly maxComplexity: number | undefined;
  /** Maximum number of tokens in a document; the same limit applies to its comments and to its lines. @default 1000 */
  readonly maxTokens: number;
  /** Maximum length of a document, in characters. @default 16384 */
  readonly maxDocumentLength: number;
  /** Maximum number of aliases and of fields that repeat a name in their selection set, fragments expanded. @default 15 */
  readonly maxAliases: number;
  /** Maximum number of directives, fragments expanded. @default 50 */
  readonly maxDirectives: number;
  /** Maximum number of fields in a document, fragments expanded. @default 1000 */
  readonly maxFields: number;
  /** Maximum number of named fragments in a document. @default 50 */
  readonly maxFragments: number;
  /** Whether clients may request parts of a result later, with `@defer` and `@stream`; needs graphql 17. @default false */
  readonly incremental: boolean;
  /** Whether a request may be a list of operations. @default false */
  readonly batching: boolean;
  /** Maximum number of operations in a request. @default 10 */
  readonly maxBatch: number;
  /** Maximum bytes of a request's body, and of a message of a socket: a document and its variables. @default 65536 */
  readonly maxBodyBytes: number;
  /** Maximum number of concurrent operations of a socket. @default 100 */
  readonly maxSubscriptions: number;
  /** Seconds within which a socket must send `connection_init`. @default 10 */
  readonly initSecs: number;
  /** Whether results of queries and mutations have the operation's duration in `extensions.tracing`, except results in several parts. @default false */
  readonly tracing: boolean;
}

/** Checks `GraphQLConfig`, and has two presets. */
export interface GraphQLConfigRecord extends ConfigRecord<GraphQLConfig> {
  /** For public services: neither playground nor introspection, depth 10, complexity 1000. */
  production<Values extends object>(
    input?: ConfigInput<GraphQLConfig<Values>>,
  ): ConfigInput<GraphQLConfig<Values>>;
  /** For development: playground, introspection, batches and tracing. */
  development<Values extends object>(
    input?: ConfigInput<GraphQLConfig<Values>>,
  ): ConfigInput<GraphQLConfig<Values>>;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const areTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value as object).every((text) => typeof text === "string");
const positive = (initial: number) => integer(initial, { min: 1 });

const record: ConfigRecord<GraphQLConfig> = configRecord<GraphQLConfig>("GraphQLConfig", {
  path: checked(
    "/graphql",
    "a path of letters, digits, dots, underscores and dashes, such as /graphql",
    (value) => typeof value === "string" && /^(?:\/[\w-][\w.-]*)+$/.test(value),
  ),
  playground: optional(flag(true)),
  introspection: optional(flag(true)),
  schema: optional<string | GraphQLSchema>({
    problem: (value) =>
      typeof value === "string" || isSchema(value) ? null : "must be SDL or a GraphQLSchema",
  }),
  resolvers: checked<Resolvers<GraphqlContext>>({}, "resolvers by type and field", isObject),
  context: optional<(base: GraphqlContext) => Awaitable<object>>({
    problem: (value) => (isFunction(value) ? null : "must be a function"),
  }),
  guards: list<Guard<HttpRequest>>([], "guards", isGuard),
  connect: optional<(payload: Readonly<Record<string, unknown>>, request: HttpRequest) => unknown>({
    problem: (value) => (isFunction(value) ? null : "must be a function"),
  }),
  documents: optional<TrustedDocuments>({
    problem: (value) => (isFunction(value) || areTexts(value) ? null : "must be texts by id, or a function"),
  }),
  onlyDocuments: flag(false),
  maxDepth: positive(20),
  maxComplexity: optional(positive(1)),
  maxTokens: positive(1000),
  maxDocumentLength: positive(16_384),
  maxAliases: integer(15),
  maxDirectives: integer(50),
  maxFields: positive(1000),
  maxFragments: integer(50),
  incremental: flag(false),
  batching: flag(false),
  maxBatch: positive(10),
  maxBodyBytes: positive(65_536),
  maxSubscriptions: positive(100),
  initSecs: decimal(10, { min: 0.01, max: 3600 }),
  tracing: flag(false),
});

export const GraphQLConfig: GraphQLConfigRecord = {
  ...record,
  production: (input) =>
    preset({ playground: false, introspection: false, maxDepth: 10, maxComplexity: 1000 }, input),
  development: (input) =>
    preset({ playground: true, introspection: true, batching: true, tracing: true }, input),
};

/** Creates a preset; a field of the input that is `undefined` has the value of the preset. */
function preset<Values extends object>(
  values: ConfigInput<GraphQLConfig<Values>>,
  input: ConfigInput<GraphQLConfig<Values>> = {},
): ConfigInput<GraphQLConfig<Values>> {
  return { ...values, ...givenFields(input) };
}
