import type { StandardSchema } from "@framework/core";
import { isOrder, type Order, orderText } from "../servers/workload.ts";
import { validate } from "../router/core-internals.ts";
import { freshValues } from "./inputs.ts";
import { defineCase, type Suite } from "./measure.ts";

const check: StandardSchema<unknown, Order>["~standard"]["validate"] = (value) =>
  isOrder(value) ? { value } : { issues: [{ message: "must be an order" }] };

const checkAsync: typeof check = async (value) => check(value);

const schemaOf = (run: typeof check): StandardSchema<unknown, Order> => ({
  "~standard": { version: 1, vendor: "bench", validate: run },
});

const schema = schemaOf(check);
const asyncSchema = schemaOf(checkAsync);

/** Overhead of validation by the framework. */
export const validation: Suite = {
  title: "Schema validation, a valid order of 200 bytes",
  reference: "the check alone",
  cases: [
    defineCase({
      name: "sync",
      inputs: freshValues(() => JSON.parse(orderText) as unknown),
      implementations: {
        "the check alone": isOrder,
        "Standard Schema": (value) => schema["~standard"].validate(value),
        ours: (value) => validate(schema, value, "body"),
      },
    }),
    defineCase({
      name: "async",
      inputs: freshValues(() => JSON.parse(orderText) as unknown),
      implementations: {
        "the check alone": async (value) => isOrder(value),
        "Standard Schema": (value) => asyncSchema["~standard"].validate(value),
        ours: (value) => validate(asyncSchema, value, "body"),
      },
    }),
  ],
};
