import type { Problem } from "@framework/core";
import { isOptions, describeInvalid, unknownFields } from "@framework/core/feature";
import type { AnySaga } from "./definition/definition.ts";
import { SagaBuilder } from "./definition/saga-builder.ts";
import { badValue, notPossible } from "./errors/saga-errors.ts";
import type { SagaFilter } from "./operate/saga-info.ts";
import type { SagaRunner } from "./port/saga-runner.ts";
import type { StartOptions } from "./start/start.ts";

/** Wraps a runner: `start`, `deliver` and `list` reject values that the types forbid, and unknown option names. */
export const checkedCalls = (runner: SagaRunner): SagaRunner => ({
  start: async (definition, input, options) => {
    checkDefinition(definition);
    checkOptions("start", options, startNames, 'such as { key: "order-7" }');
    return await runner.start(definition, input, options);
  },
  deliver: async (definition, message, options = {}) => {
    checkDefinition(definition);
    const isMessage: boolean = isOptions(message);
    if (!isMessage)
      throw badValue("the message of deliver must be an object, such as { key, id, name, data }");
    const name: unknown = message.name;
    if (typeof name !== "string")
      throw badValue(`the name of a message must be a string, not ${describeInvalid(name)}`);
    checkOptions("deliver", options, ["tx"], "such as { tx }");
    return await runner.deliver(definition, message, options);
  },
  get: (id) => runner.get(id),
  list: async (filter = {}) => {
    const isRecord: boolean = isOptions(filter);
    const [problem] = isRecord
      ? unknownFields("the filter", filter, filterNames)
      : [`the filter must be an object, not ${describeInvalid(filter)}`];
    if (problem !== undefined) throw notPossible(problem); // a misspelt field would select more sagas than intended
    return await runner.list(filter);
  },
  timeline: (id) => runner.timeline(id),
  cancel: (id, decision) => runner.cancel(id, decision),
  retry: (id, decision) => runner.retry(id, decision),
  skip: (id, decision) => runner.skip(id, decision),
  settle: (id, decision) => runner.settle(id, decision),
});

/** Returns the problem of a value that is not a definition; `null` for a definition, which lists its own problems. @param call names the call in the message */
export const notADefinition = (value: unknown, call = "define"): Problem | null => {
  if (isDefinition(value)) return null;
  const remedy = value instanceof SagaBuilder ? "end it with .build()" : `it got ${describeInvalid(value)}`;
  return { code: "SAGA_BAD_DEFINITION", message: `${call} needs a built saga; ${remedy}` };
};

const isDefinition = (value: unknown): value is AnySaga =>
  typeof value === "object" && value !== null && "steps" in value && "problems" in value;

/** @throws SAGA_BAD_VALUE */
const checkDefinition = (value: unknown): void => {
  if (!isDefinition(value)) throw badValue("the first argument must be a built saga");
};

/** @throws SAGA_BAD_VALUE */
const checkOptions = (
  call: string,
  options: { readonly tx?: unknown },
  known: readonly string[],
  example: string,
): void => {
  const isRecord: boolean = isOptions(options);
  if (!isRecord) throw badValue(`the options of ${call} must be an object, ${example}`);
  const [unknown] = unknownFields(`the options object of ${call}`, options, known);
  if (unknown !== undefined) throw badValue(unknown);
  const { tx } = options;
  if (tx !== undefined && typeof (tx as { onCommit?: unknown } | null)?.onCommit !== "function")
    throw badValue(`tx must be a transaction, not ${describeInvalid(tx)}`);
};

const startNames = Object.keys({ key: 0, tx: 0, trace: 0 } satisfies Record<keyof StartOptions, 0>);
const filterNames = Object.keys({
  name: 0,
  status: 0,
  key: 0,
  after: 0,
  limit: 0,
} satisfies Record<keyof SagaFilter, 0>);
