import type { InferInput, InferOutput, StandardSchema } from "@framework/core";
import type { GrpcService } from "./grpc-service.ts";
import { resolveSchemaService } from "../schema/resolve-schema-service.ts";

/** A method by its schemas. */
export interface MethodSchemas {
  /** Schema of what the client sends, an object. */
  readonly request: StandardSchema;
  /** Schema of what the server sends, an object. */
  readonly response: StandardSchema;
  /** Whether the client sends a stream. @default false */
  readonly requestStream?: boolean;
  /** Whether the server sends a stream. @default false */
  readonly responseStream?: boolean;
}

/** The methods of a service by their names. */
export type ServiceSchemas = Readonly<Record<string, MethodSchemas>>;

/** The types of methods by their schemas. */
export type ShapesOf<Methods extends ServiceSchemas> = {
  readonly [Name in keyof Methods]: {
    readonly requestStream: Methods[Name]["requestStream"] extends true ? true : false;
    readonly responseStream: Methods[Name]["responseStream"] extends true ? true : false;
    readonly request: InferOutput<Methods[Name]["request"]>;
    readonly response: InferInput<Methods[Name]["response"]>;
    readonly sent: InferInput<Methods[Name]["request"]>;
    readonly received: InferOutput<Methods[Name]["response"]>;
  };
};

/** Options of `grpcService`. */
export interface SchemaServiceOptions<Methods extends ServiceSchemas> {
  /** The `.proto` that records the field numbers; `framework-grpc` writes it. Needed in production. */
  readonly proto?: URL;
  readonly methods: Methods;
}

/** A service whose messages are described by schemas. */
export interface SchemaService<Methods extends ServiceSchemas = ServiceSchemas> extends GrpcService<
  ShapesOf<Methods>
> {
  /** Its methods with their schemas. */
  readonly schemas: Methods;
  /** The recorded `.proto`; `null` without one. */
  readonly proto: URL | null;
}

/**
 * Defines a service by Standard Schemas, without a `.proto`: the messages follow from the schemas, and `proto` records their field numbers.
 *
 * @example
 * export const catalog = grpcService("books.v1.Catalog", {
 *   proto: new URL("./catalog.proto", import.meta.url),
 *   methods: { GetBook: { request: z.object({ id: z.int() }), response: Book } },
 * });
 */
export const grpcService = <const Methods extends ServiceSchemas>(
  name: string,
  { methods, proto = undefined }: SchemaServiceOptions<Methods>,
): SchemaService<Methods> => {
  const service: SchemaService<Methods> = {
    name,
    schemas: methods,
    proto: proto ?? null,
    resolve: (options) => resolveSchemaService(service, options),
  };
  return service;
};

/** Whether a value is a service made by `grpcService`. */
export const isSchemaService = (value: unknown): value is SchemaService =>
  typeof value === "object" && value !== null && "schemas" in value && "resolve" in value && "proto" in value;
