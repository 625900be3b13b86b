import type { SchemaService, ServiceSchemas } from "../service/schema-service.ts";
import { resolveSchemaService } from "../schema/resolve-schema-service.ts";

/** Options of `grpcService`. */
export interface SchemaServiceOptions<Methods extends ServiceSchemas> {
  /** The `.proto` that records the field numbers; `framework-grpc` writes it. Needed in production. */
  readonly proto?: URL;
  /** The methods by their names. */
  readonly methods: Methods;
}

/**
 * Defines a service by Standard Schemas, without a `.proto`: the messages are derived from the schemas, and `proto` records their field numbers.
 *
 * @example
 * export const catalog = grpcService("books.v1.Catalog", {
 *   proto: new URL("./catalog.proto", import.meta.url),
 *   methods: { GetBook: { request: z.object({ id: z.int() }), response: Book } },
 * });
 */
export const grpcService = <const Methods extends ServiceSchemas>(
  name: string,
  { methods, proto }: SchemaServiceOptions<Methods>,
): SchemaService<Methods> => {
  const service: SchemaService<Methods> = {
    name,
    schemas: methods,
    proto: proto ?? null,
    resolve: (options) => resolveSchemaService(service, options),
  };
  return service;
};
