import {
  FrameworkError,
  type HttpRequest,
  type InferOutput,
  NotFoundError,
  type RouteOptions,
  type StandardSchema,
  ValueError,
} from "@framework/core";
import type { ExemptOption, Host } from "@framework/core/feature";
import { type AdminConfig, adminPath, objectSchema, replySchema } from "@framework/durable/feature";
import type { SagaFilter } from "../operate/saga-info.ts";
import type { Decision, Verb } from "../operate/verbs.ts";
import type { SagaRunner } from "../port/saga-runner.ts";
import { sagaStatuses } from "../transitions/transitions.ts";

const id = { type: "string", pattern: "^[0-9a-f-]{1,100}$" } as const;
const name = { type: "string", minLength: 1, maxLength: 400 } as const;
const listQuery = objectSchema({
  name,
  key: name,
  status: { type: "string", enum: sagaStatuses },
  after: { type: "string", pattern: "^[0-9]{1,15}_[0-9A-Za-z-]{1,100}$" },
  limit: { type: "integer", minimum: 1, maximum: 1000 },
});
const params = objectSchema({ id }, ["id"]);
const reason = { type: "string", minLength: 1, maxLength: 2000 } as const;
const decisionBody = objectSchema({ reason }, ["reason"]);
const settleBody = objectSchema(
  {
    reason,
    output: { description: "Output of the only unfinished branch of the step, as JSON; none by default" },
  },
  ["reason"],
);
const anyObject = replySchema({ type: "object" });

const verbs: Readonly<Record<Verb, string>> = {
  cancel: "Undoes a saga that has not passed its pivot",
  retry: "Restarts the attempts at the step or undo at which a saga is paused or stuck",
  skip: "Skips the step or undo at which a saga is paused or stuck",
  settle: "Records that the step or undo at which a saga is paused or stuck was done by other means",
};

/** Adds the HTTP API for operators: sagas, their timelines, and decisions. */
export const adminRoutes = (
  { http }: Pick<Host, "http">,
  config: AdminConfig,
  runner: () => SagaRunner,
): void => {
  const path = adminPath(config);
  const common: RouteOptions & ExemptOption = {
    guards: config.guards,
    exempt: ["guards"],
    tags: ["saga"],
    responses: { 200: anyObject },
  };
  http.route("GET", path, ({ input }) => runner().list(as(listQuery, input.query) as SagaFilter), {
    ...common,
    summary: "Lists sagas, oldest first",
    query: listQuery,
  });
  const ofOne = { ...common, params, errors: [404] } as const;
  http.route("GET", `${path}/{id}`, async ({ input }) => orNotFound(await runner().get(idOf(input))), {
    ...ofOne,
    summary: "Shows a saga with its steps",
  });
  const timeline = async ({ input }: HttpRequest): Promise<object> => {
    orNotFound(await runner().get(idOf(input)));
    return { timeline: await runner().timeline(idOf(input)) };
  };
  http.route("GET", `${path}/{id}/timeline`, timeline, {
    ...ofOne,
    summary: "Shows the timeline of a saga",
  });
  for (const [verb, summary] of Object.entries(verbs) as [Verb, string][]) {
    const act = async ({ input }: HttpRequest): Promise<object> => {
      const decision = as(settleBody, input.body) as Decision; // its reason is required
      if (!(await runner()[verb](idOf(input), decision).catch(rethrow))) throw noSaga();
      return { done: true };
    };
    http.route("POST", `${path}/{id}/${verb}`, act, {
      ...common,
      summary,
      params,
      body: verb === "settle" ? settleBody : decisionBody,
      errors: verb === "settle" ? [400, 404, 409] : [404, 409],
    });
  }
};

/** Rethrows an error. An output that cannot be stored, because it is too large, is a 400: it comes from the client. */
const rethrow = (error: unknown): never => {
  if (!FrameworkError.is(error) || error.code !== "SAGA_BAD_VALUE") throw error;
  throw new ValueError(error.message, { cause: error });
};

/** Casts a value that the route's schema has already checked. */
const as = <S extends StandardSchema>(_schema: S, value: unknown): InferOutput<S> => value as InferOutput<S>;

const idOf = (input: HttpRequest["input"]): string => as(params, input.params).id ?? "";

const noSaga = (): NotFoundError => new NotFoundError("There is no such saga");

const orNotFound = <T>(value: T | null): T => {
  if (value === null) throw noSaga();
  return value;
};
