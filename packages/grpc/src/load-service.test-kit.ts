import { z } from "zod";
import { grpcService, type SchemaService } from "./index.ts";

interface Value {
  readonly n: number;
}
type Values = z.ZodType<Value, Value>;
const value: Values = z.object({ n: z.int() });

/** The schemas of `loadService`. */
export type LoadSchemas = {
  readonly One: { readonly request: Values; readonly response: Values };
  readonly Count: { readonly request: Values; readonly response: Values; readonly responseStream: true };
  readonly Sum: { readonly request: Values; readonly response: Values; readonly requestStream: true };
  readonly Echo: {
    readonly request: Values;
    readonly response: Values;
    readonly requestStream: true;
    readonly responseStream: true;
  };
};

/** A service with methods of all four kinds, for tests of processes under load. */
export const loadService: SchemaService<LoadSchemas> = grpcService("test.Load", {
  methods: {
    One: { request: value, response: value },
    Count: { request: value, response: value, responseStream: true },
    Sum: { request: value, response: value, requestStream: true },
    Echo: { request: value, response: value, requestStream: true, responseStream: true },
  },
});
