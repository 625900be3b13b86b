import type { InferInput, InferOutput, StandardSchema } from "@framework/core";
import type { GrpcService } from "./grpc-service.ts";

/** A method by its schemas. */
export interface MethodSchemas {
  /** Schema of the request, an object. */
  readonly request: StandardSchema;
  /** Schema of the response, an object. */
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

/** A service whose messages are described by schemas. */
export interface SchemaService<Methods extends ServiceSchemas = ServiceSchemas> extends GrpcService<
  ShapesOf<Methods>
> {
  /** Its methods with their schemas. */
  readonly schemas: Methods;
  /** The recorded `.proto`; `null` without one. */
  readonly proto: URL | null;
}

/** Whether a value is a service made by `grpcService`. */
export const isSchemaService = (value: unknown): value is SchemaService =>
  typeof value === "object" && value !== null && "schemas" in value && "resolve" in value && "proto" in value;
