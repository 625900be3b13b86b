import type { InferInput, InferOutput, StandardSchema } from "./standard-schema.ts";
import { validate } from "./validate.ts";

declare const year: StandardSchema<string, number>;

export const input: InferInput<typeof year> = "1984";
export const output: InferOutput<typeof year> = 1984;
export const any: StandardSchema = year;
export const validated: number | Promise<number> = validate(year, "1984", "query");

// @ts-expect-error the output of the schema is a number
export const wrongOutput: InferOutput<typeof year> = "1984";
// @ts-expect-error a promise is possible
export const certain: number = validate(year, "1984", "query");
// @ts-expect-error there is no such place
void validate(year, "1984", "header");
// @ts-expect-error a function is not a schema
void validate((value: unknown) => value, "1984", "query");
